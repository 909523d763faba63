//! Times of the merge queue against plain git, in a repository of 4,000 files. Ignored: run by name, alone.
//! `cargo test -p downbeat-git --release --test git -- --ignored --nocapture queue_measure`

use crate::fixture::{Fixture, git, out, write};
use crate::hermetic;
use crate::queue::{commit, feed, lands, made};
use downbeat_git::{Landing, Strategy};
use std::time::{Duration, Instant};

/// The number of files in the repository.
const FILES: usize = 4_000;

/// The number of branches that are merged.
const BRANCHES: usize = 20;

/// The number of rounds, of which the median counts.
const ROUNDS: usize = 5;

fn name(number: usize) -> String {
    format!("dir{}/sub{}/file{number}.txt", number % 50, number % 7)
}

/// Returns a repository and the heads of its branches, each of which changes five files and adds one.
fn large() -> (Fixture, String, Vec<String>) {
    let f = Fixture::small();
    for n in 0..FILES {
        write(&f.repo, name(n), &format!("line {n}\n").repeat(60));
    }
    let base = commit(&f.repo, "large");
    // Loose objects would make both sides slow.
    git(&f.repo, &["repack", "-q", "-a", "-d"]);
    let heads = (0..BRANCHES).map(|branch| {
        git(&f.repo, &["checkout", "-q", "--detach", &base]);
        for n in 0..5 {
            let number = branch * 150 + n;
            write(&f.repo, name(number), &format!("line {number}\n").repeat(59));
        }
        write(&f.repo, format!("new/branch{branch}.txt"), "new\n");
        commit(&f.repo, &format!("branch {branch}"))
    });
    let heads = heads.collect();
    git(&f.repo, &["checkout", "-q", "main"]);
    (f, base, heads)
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all[all.len() / 2]
}

hermetic! {
    #[ignore = "a measurement"]
    fn twenty_branches_land_about_as_fast_as_git_merges_them() {
        let (f, base, heads) = large();
        let back = || git(&f.repo, &["reset", "-q", "--hard", &base]);
        let (mut plain, mut queued, mut making, mut batched) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut trees = Vec::new();
        for _ in 0..ROUNDS {
            back();
            let start = Instant::now();
            for head in &heads {
                git(&f.repo, &["merge", "-q", "--no-ff", "--no-edit", head]);
            }
            plain.push(start.elapsed());
            trees.push(out(&f.repo, &["rev-parse", "HEAD^{tree}"]));
            back();
            let (start, mut target, mut made_in) = (Instant::now(), base.clone(), Duration::ZERO);
            for head in &heads {
                let begun = Instant::now();
                let one = made(&f, &target, head, Strategy::Merge).commit;
                made_in += begun.elapsed();
                assert!(matches!(lands(&f.repo, &target, &one).unwrap(), Landing::Landed { .. }));
                target = one;
            }
            queued.push(start.elapsed());
            making.push(made_in);
            trees.push(out(&f.repo, &["rev-parse", "HEAD^{tree}"]));
            back();
            let (start, mut target) = (Instant::now(), base.clone());
            for batch in heads.chunks(4) {
                let old = target.clone();
                for head in batch {
                    target = made(&f, &target, head, Strategy::Merge).commit;
                }
                assert!(matches!(lands(&f.repo, &old, &target).unwrap(), Landing::Landed { .. }));
            }
            batched.push(start.elapsed());
            trees.push(out(&f.repo, &["rev-parse", "HEAD^{tree}"]));
        }
        trees.dedup();
        assert_eq!(trees.len(), 1, "all ways lead to the same tree");
        assert_eq!(feed(&f.repo, &["status", "--porcelain"], b""), "");
        let (plain, queued) = (median(plain), median(queued));
        let (making, batched) = (median(making), median(batched));
        let ratio = |time: Duration| time.as_secs_f64() / plain.as_secs_f64();
        println!("git merge of {BRANCHES}: {plain:?}; one by one {queued:?} ({:.2}), of which candidates {making:?}; in batches of 4 {batched:?} ({:.2})", ratio(queued), ratio(batched));
    }
}
