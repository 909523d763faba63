//! Cancelling the creation of a worktree: none of its processes continue, and
//! it is completed or undone later.
#![cfg(target_os = "linux")]

use crate::fixture::{Fixture, git, read, status, write};
use crate::hermetic;
use downbeat_git::{Error, Interrupt, Programs, checkout, copy, plan_copies, roll_back};
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);

/// More than the number of processes that one checkout starts.
const ROOM: usize = 100;

/// Waits for the process whose id a script wrote into `file`.
fn process(file: &Path) -> u32 {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n') {
            return pid.parse().unwrap();
        }
        assert!(Instant::now() < deadline, "the script never ran");
        std::thread::yield_now();
    }
}

fn is_over(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn script(path: &Path, body: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Starts a checkout, waits until the script in `file` runs, cancels it, and returns its result.
fn cut_short(place: &Path, file: &Path) -> (Result<(), Error>, u32) {
    let (sender, receiver) = sync_channel(ROOM);
    let (tell, told) = sync_channel(ROOM);
    let interrupt = Interrupt::new(("MARK".into(), "it".into()), move |pid| tell.send(pid).unwrap());
    let (own, path): (Interrupt, PathBuf) = (interrupt.clone(), place.to_owned());
    std::thread::spawn(move || {
        sender
            .send(own.during(|| checkout(&path, Programs::Run)))
            .unwrap()
    });
    let pid = process(file);
    assert!(told.recv_timeout(PATIENCE).is_ok(), "git was not told of");
    interrupt.ask();
    (receiver.recv_timeout(PATIENCE).unwrap(), pid)
}

fn over(pid: u32) {
    let deadline = Instant::now() + PATIENCE;
    while !is_over(pid) {
        assert!(Instant::now() < deadline, "process {pid} runs on");
        std::thread::yield_now();
    }
}

hermetic! {
    fn a_hanging_hook_is_ended_with_git() {
        let f = Fixture::small();
        let before = f.census();
        let made = f.register("one").unwrap();
        let file = f.repo.parent().unwrap().join("pid");
        let hook = f.repo.join(".git/hooks/post-checkout");
        // The hook ignores SIGTERM and has a child process.
        script(&hook, &format!("trap '' TERM\nsleep 1000 &\necho $MARK > {0}.mark; echo $! > {0}\nwait", file.display()));
        let (result, pid) = cut_short(&made.path, &file);
        assert!(matches!(result, Err(Error::Interrupted { .. })), "{result:?}");
        over(pid);
        assert_eq!(read(f.repo.parent().unwrap(), "pid.mark"), "it\n");
        script(&hook, "exit 0");
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(status(&made.path), "");
        roll_back(&f.repo, &made.path, None).unwrap();
        assert_eq!(f.census(), before);
    }

    fn a_hanging_filter_is_ended_and_the_partial_tree_is_undone() {
        let f = Fixture::small();
        let file = f.repo.parent().unwrap().join("pid");
        let filter = f.repo.parent().unwrap().join("filter");
        write(&f.repo, ".gitattributes", "z.txt filter=slow\n");
        write(&f.repo, "z.txt", "z\n");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "filtered"]);
        script(&filter, &format!("echo $$ > {}\nexec sleep 1000", file.display()));
        git(&f.repo, &["config", "filter.slow.smudge", filter.to_str().unwrap()]);
        let before = f.census();
        let made = f.register("one").unwrap();
        let (result, pid) = cut_short(&made.path, &file);
        assert!(matches!(result, Err(Error::Interrupted { .. })), "{result:?}");
        over(pid);
        roll_back(&f.repo, &made.path, None).unwrap();
        assert_eq!(f.census(), before);
    }

    fn a_process_left_by_a_hook_does_not_delay_cancelling() {
        let f = Fixture::small();
        let made = f.register("one").unwrap();
        let file = f.repo.parent().unwrap().join("pid");
        // The process left git's process group, and holds git's output open.
        script(&f.repo.join(".git/hooks/post-checkout"), &format!("setsid sh -c 'echo $$ > {}; exec sleep 1000' &", file.display()));
        let (result, pid) = cut_short(&made.path, &file);
        assert!(matches!(result, Err(Error::Interrupted { .. })), "{result:?}");
        assert!(!is_over(pid), "its mark leads to it, nothing here does");
        std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
    }

    fn a_cancelled_creation_copies_and_starts_nothing() {
        let f = Fixture::small();
        write(&f.repo, ".env", "secret\n");
        let made = f.register("one").unwrap();
        let plan = plan_copies(&f.repo, &[], &[]).unwrap();
        let interrupt = Interrupt::new(("MARK".into(), "it".into()), |_| panic!("git ran"));
        interrupt.end();
        let cut = interrupt.during(|| checkout(&made.path, Programs::Run));
        assert!(matches!(cut, Err(Error::Interrupted { .. })), "{cut:?}");
        let cut = interrupt.during(|| copy(&f.repo, &made.path, &plan));
        assert!(matches!(cut, Err(Error::Interrupted { .. })), "{cut:?}");
        checkout(&made.path, Programs::Run).unwrap();
        copy(&f.repo, &made.path, &plan).unwrap();
        assert_eq!(read(&made.path, ".env"), "secret\n");
    }
}
