//! A keeper under pressure: many facts that nobody took, a program's child that never falls
//! silent, a keeper that is stopped.

use crate::sandbox::{DEADLINE, Home, ended, screen_shows};
use downbeat_keeper::{EntryKind, Error, Report, connect, post_hook};
use std::time::{Duration, Instant};

#[tokio::test]
async fn answers_do_not_wait_behind_thousands_of_entries() {
    const HOOKS: usize = 3_000;
    let home = Home::new();
    let (link, reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    drop((link, reports));
    let dir = home.keeper();
    tokio::task::spawn_blocking(move || {
        for n in 0..HOOKS {
            post_hook(&dir, format!("{{\"n\":{n}}}").as_bytes()).unwrap();
        }
    })
    .await
    .unwrap();
    let (link, mut reports) = connect(&home.keeper()).await.unwrap();
    assert_eq!(link.text(10).await.unwrap().text, "here");
    let (mut hooks, mut last) = (0, 0);
    while hooks < HOOKS {
        let report = tokio::time::timeout(DEADLINE, reports.recv()).await.unwrap();
        let Some(Report::Entry(entry)) = report else {
            assert!(!matches!(report, None | Some(Report::Lost)), "lost after {hooks}");
            continue;
        };
        assert_eq!(entry.seq, last + 1);
        last = entry.seq;
        if let EntryKind::Hook { body } = entry.what {
            assert_eq!(body, format!("{{\"n\":{hooks}}}"));
            hooks += 1;
        }
        link.ack(last).await.unwrap();
    }
    // Acknowledgements are in order with requests.
    link.text(1).await.unwrap();
    assert!(downbeat_keeper::leftover_entries(&home.keeper()).is_empty());
}

#[tokio::test]
async fn a_child_that_never_falls_silent_does_not_keep_the_session_from_ending() {
    for chatter in ["yes", "while :; do echo on; sleep 0.01; done"] {
        let home = Home::new();
        let script = format!("trap '' HUP; ({chatter}) & read x; exit 3");
        let (link, mut reports) = home.launch(&[&script]).await;
        link.input(b"\n".to_vec()).await.unwrap();
        let started = Instant::now();
        assert_eq!(ended(&mut reports).await, (Some(3), None), "{chatter}");
        assert!(started.elapsed() < Duration::from_secs(10), "{chatter}");
    }
}

#[tokio::test]
async fn a_stopped_keeper_is_slow_and_not_gone() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = Home::new();
    let (link, _reports) = home.launch(&["read x"]).await;
    let pid = Pid::from_raw(i32::try_from(link.hello().pid).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let met = connect(&home.keeper()).await.map(drop);
    let closed = link.close().await;
    kill_process(pid, Signal::CONT).unwrap();
    assert!(matches!(met, Err(Error::Slow(..))), "{met:?}");
    assert!(matches!(closed, Err(Error::Slow(..))), "{closed:?}");
    // It was asked while its program ran, refused, and lives.
    connect(&home.keeper()).await.unwrap();
    link.kill(Duration::ZERO).await.unwrap();
}
