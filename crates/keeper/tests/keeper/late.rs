//! Posts of hooks that a keeper could not take in time: each arrives once and in order, whichever process
//! was stopped or gone meanwhile.

use crate::sandbox::{DEADLINE, Home, alive, entry, kill9, screen_shows, until};
use downbeat_keeper::{EntryKind, Report, leftover_entries, lost_posts, post_hook};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use tokio::sync::mpsc::Receiver;

/// The length of a body that exceeds a socket's buffer, and is not JSON that would be slimmed.
const LONG: usize = 300 << 10;

/// Runs a hook as an agent does. The hook prints nothing and never fails.
fn hook(keeper: &Path, body: &str) {
    let program = crate::sandbox::binary().with_file_name("hook");
    assert!(program.exists(), "build the example first: {}", program.display());
    let mut child = Command::new(program)
        .env_clear()
        .env("DOWNBEAT_KEEPER", keeper)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stdout.is_empty() && output.stderr.is_empty(),
        "{output:?}"
    );
}

fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

fn waiting(keeper: &Path) -> usize {
    std::fs::read_dir(keeper.join("spool")).unwrap().count()
}

/// Returns the first word of each post, once `count` have arrived.
async fn posts(reports: &mut Receiver<Report>, count: usize) -> Vec<String> {
    let mut seen = Vec::new();
    while seen.len() < count {
        let entry = entry(reports, |what| matches!(what, EntryKind::Hook { .. })).await;
        let EntryKind::Hook { body } = entry.what else {
            unreachable!()
        };
        seen.push(body.split(' ').next().unwrap().to_owned());
    }
    seen
}

#[tokio::test]
async fn posts_to_a_stopped_keeper_arrive_once_each_and_in_order() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let (dir, pid) = (home.keeper(), link.hello().pid);
    signal(pid, Signal::STOP);
    let late = tokio::task::spawn_blocking(move || {
        for n in 1..=20 {
            let more = if n % 5 == 0 { LONG } else { 10 };
            hook(&dir, &format!("{n} {}", "x".repeat(more)));
        }
        waiting(&dir)
    });
    let late = late.await.unwrap();
    // Includes posts that the socket has.
    assert_eq!(late, 20, "left in the spool");
    signal(pid, Signal::CONT);
    let wanted: Vec<String> = (1..=20).map(|n| n.to_string()).collect();
    assert_eq!(posts(&mut reports, 20).await, wanted);
    // None of them arrives a second time.
    let dir = home.keeper();
    post_hook(&dir, b"last").unwrap();
    assert_eq!(posts(&mut reports, 1).await, ["last"]);
    // A post leaves the spool after it was reported.
    until("an empty spool", async || (waiting(&dir) == 0).then_some(())).await;
    assert_eq!(lost_posts(&dir), 0);
}

/// Returns the frames of a post: the greeting of a hook, its mark, its body.
fn frames(at: i64, body: &str) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 4, 1, 0, 1, 2, 0, 0, 0, 13, 13];
    bytes.extend(at.to_be_bytes());
    bytes.extend(7_u32.to_be_bytes());
    bytes.extend((body.len() as u32 + 1).to_be_bytes());
    bytes.push(7);
    bytes.extend(body.as_bytes());
    bytes
}

fn leave(keeper: &Path, at: i64, body: &str) {
    std::fs::write(keeper.join(format!("spool/{at:020}-7")), body).unwrap();
}

#[tokio::test]
async fn a_post_that_arrives_in_both_ways_counts_once_and_no_post_waits_for_another() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let dir = home.keeper();
    let knock = || UnixStream::connect(dir.join("sock")).unwrap();
    let hand = |at, body: &str| {
        let mut sender = knock();
        sender.write_all(&frames(at, body)).unwrap();
        sender.read_exact(&mut [0; 5]).unwrap();
    };
    leave(&dir, 2_000_000, "second");
    leave(&dir, 1_000_000, "first");
    hand(1_000_000, "first");
    hand(2_000_000, "second");
    hand(3_000_000, "third");
    leave(&dir, 3_000_000, "third");
    leave(&dir, 4_000_000, "fourth");
    // A knock; no further post follows.
    drop(knock());
    assert_eq!(
        posts(&mut reports, 4).await,
        ["first", "second", "third", "fourth"]
    );
    until("the spool is empty", async || (waiting(&dir) == 0).then_some(())).await;
    hand(5_000_000, "fifth");
    assert_eq!(posts(&mut reports, 1).await, ["fifth"]);
    let own = leftover_entries(&dir);
    let of = |body: &str| {
        own.iter()
            .find(|entry| matches!(&entry.what, EntryKind::Hook { body: b } if b == body))
    };
    assert_eq!(of("fourth").unwrap().at.as_second(), 4, "it keeps its own time");
}

#[tokio::test]
async fn posts_in_the_socket_of_a_stopped_keeper_survive_its_death() {
    let home = Home::new();
    let (link, _reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let (dir, pid) = (home.keeper(), link.hello().pid);
    signal(pid, Signal::STOP);
    for n in 0..3 {
        hook(&dir, &format!("short {n}"));
    }
    kill9(pid);
    until("the keeper is gone", async || (!alive(pid)).then_some(())).await;
    let left = leftover_entries(&dir);
    let bodies: Vec<&str> = left
        .iter()
        .filter_map(|entry| match &entry.what {
            EntryKind::Hook { body } => Some(body.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(bodies, ["short 0", "short 1", "short 2"]);
}

#[tokio::test]
async fn a_post_without_a_knock_is_taken_with_the_next_output() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&["read x; echo on; read x"]).await;
    leave(&home.keeper(), 1_000_000, "unheard");
    link.input(b"\n".to_vec()).await.unwrap();
    assert_eq!(posts(&mut reports, 1).await, ["unheard"]);
}

#[tokio::test]
async fn a_hook_may_only_post_and_a_viewer_may_only_look_and_type() {
    let home = Home::new();
    let (link, _reports) = home.launch(&["echo here; read x; echo typed; read x"]).await;
    screen_shows(&link, "here").await;
    // The greeting of each role, then a forbidden request: keys from a hook, a kill from a viewer.
    let input: &[u8] = &[0, 0, 0, 2, 3, b'\n'];
    let kill: &[u8] = &[0, 0, 0, 13, 6, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    for (role, frame) in [(2, input), (2, kill), (1, kill)] {
        let mut client = UnixStream::connect(home.keeper().join("sock")).unwrap();
        client.write_all(&[0, 0, 0, 4, 1, 0, 1, role]).unwrap();
        client.write_all(frame).unwrap();
        // The keeper hangs up on the client.
        client.set_read_timeout(Some(DEADLINE)).unwrap();
        let end = client.read_to_end(&mut Vec::new());
        assert!(
            !matches!(&end, Err(error) if error.kind() == ErrorKind::WouldBlock),
            "{end:?}"
        );
    }
    assert_eq!(link.text(10).await.unwrap().text, "here");
    link.kill(std::time::Duration::ZERO).await.unwrap();
}

#[tokio::test]
async fn a_dead_keeper_leaves_its_spooled_posts_and_posts_to_a_full_spool_are_counted() {
    let home = Home::new();
    let (link, reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let (dir, pid) = (home.keeper(), link.hello().pid);
    drop((link, reports));
    post_hook(&dir, b"taken").unwrap();
    signal(pid, Signal::STOP);
    hook(&dir, &format!("late {}", "x".repeat(LONG)));
    assert_eq!((waiting(&dir), lost_posts(&dir)), (1, 0));
    for n in 0..1023 {
        leave(&dir, n, "other");
    }
    hook(&dir, &format!("more {}", "x".repeat(LONG)));
    assert_eq!((waiting(&dir), lost_posts(&dir)), (1024, 1));
    kill9(pid);
    until("the keeper is gone", async || {
        UnixStream::connect(dir.join("sock")).is_err().then_some(())
    })
    .await;
    // A hook that posts to a dead keeper prints nothing.
    hook(&dir, "nobody");
    assert_eq!((waiting(&dir), lost_posts(&dir)), (1024, 2));
    let left = leftover_entries(&dir);
    let numbers: Vec<u64> = left.iter().map(|entry| entry.seq).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let bodies = left.iter().filter_map(|entry| match &entry.what {
        EntryKind::Hook { body } => Some(body.split(' ').next().unwrap()),
        _ => None,
    });
    let bodies: Vec<&str> = bodies.collect();
    assert_eq!(bodies.len(), 1025);
    assert_eq!((bodies[0], bodies[1024]), ("taken", "late"));
    // A new keeper starts with an empty spool.
    let (_link, mut reports) = tokio::time::timeout(DEADLINE, home.launch(&["read x"]))
        .await
        .unwrap();
    post_hook(&dir, b"new").unwrap();
    assert_eq!(posts(&mut reports, 1).await, ["new"]);
}
