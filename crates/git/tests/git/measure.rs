//! Times against plain git on a repository of 5,000 files. Ignored: run by name, alone.
//! `cargo test -p downbeat-git --test git -- --ignored --nocapture measure`

use crate::fixture::{Fixture, git, write};
use crate::hermetic;
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 5_000;

/// The number of worktrees that are created in parallel.
const MANY: usize = 20;

fn large() -> Fixture {
    let f = Fixture::small();
    for n in 0..FILES {
        let text = format!("line {n}\n").repeat(60);
        write(&f.repo, format!("dir{}/sub{}/file{n}.txt", n % 50, n % 7), &text);
    }
    git(&f.repo, &["add", "-A"]);
    git(&f.repo, &["commit", "-qm", "large"]);
    f
}

fn plain(f: &Fixture, name: &str) {
    git(
        &f.repo,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            name,
            f.place(name).to_str().unwrap(),
        ],
    );
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

hermetic! {
    #[ignore = "a measurement"]
    fn worktrees_are_created_about_as_fast_as_by_git() {
        let f = large();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for n in 0..5 {
            theirs.push(timed(|| plain(&f, &format!("p{n}"))));
            ours.push(timed(|| drop(f.worktree(&format!("o{n}")))));
        }
        println!("one: git worktree add {:?}, register + checkout {:?}", median(theirs), median(ours));
        let register = timed(|| drop(f.register("alone").unwrap()));
        println!("register alone {register:?}");
        let sequence = timed(|| (0..MANY).for_each(|n| plain(&f, &format!("s{n}"))));
        let at_once = timed(|| {
            std::thread::scope(|scope| {
                for n in 0..MANY {
                    let f = &f;
                    scope.spawn(move || f.worktree(&format!("m{n}")));
                }
            });
        });
        println!("twenty: {sequence:?} in sequence with git, {at_once:?} at once with us");
        assert!(at_once < sequence * 3 / 2, "{at_once:?} against {sequence:?}");
    }
}
