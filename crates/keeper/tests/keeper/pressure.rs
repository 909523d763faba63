//! A keeper under pressure: many facts that nobody took, a program's child that never falls
//! silent, a keeper that is stopped, a viewer that falls behind.

use crate::sandbox::{DEADLINE, Home, ended, screen_shows};
use downbeat_keeper::{
    EntryKind, Error, FrameReader, InputWriter, Report, Screen, attach_blocking, connect, post_hook,
};
use downbeat_model::terminal::{Frame, Input};
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
    let (closed, typed) = tokio::join!(link.close(), link.input(b"x".to_vec()));
    kill_process(pid, Signal::CONT).unwrap();
    assert!(matches!(met, Err(Error::Slow(..))), "{met:?}");
    assert!(matches!(closed, Err(Error::Slow(..))), "{closed:?}");
    assert!(matches!(typed, Err(Error::Slow(..))), "{typed:?}");
    // It was asked while its program ran, refused, and lives.
    connect(&home.keeper()).await.unwrap();
    link.kill(Duration::ZERO).await.unwrap();
}

/// The lines of the next snapshot; output before it is acknowledged.
fn next_snapshot((frames, inputs): &mut (FrameReader, InputWriter)) -> Vec<String> {
    loop {
        let (seq, snapshot) = match frames.next_frame().unwrap().unwrap() {
            Frame::Snapshot { seq, data, .. } => (seq, Some(data)),
            Frame::Output { seq, data } => (seq + data.len() as u64, None),
            other => panic!("{other:?}"),
        };
        inputs.send(&Input::Ack { seq }).unwrap();
        if let Some(data) = snapshot {
            let mut screen = Screen::new(80, 24, 10_000);
            drop(screen.feed(&data));
            return screen.text(10_000).lines().map(str::to_owned).collect();
        }
    }
}

#[tokio::test]
async fn a_viewer_with_scrollback_of_its_own_gets_ours_once_and_as_much_as_it_asked_for() {
    let home = Home::new();
    let script = "seq 1000 1999; read x; seq 100000 399999; echo over; read x";
    let (link, _reports) = home.launch(&[script]).await;
    screen_shows(&link, "1999").await;
    let dir = home.keeper();
    let attached = tokio::task::spawn_blocking(move || {
        let mut viewer = attach_blocking(&dir, None, Some(100)).unwrap();
        (next_snapshot(&mut viewer), viewer)
    });
    let (first, mut viewer) = attached.await.unwrap();
    let screen = 23;
    assert_eq!((first.len(), first[0].as_str()), (screen + 100, "1877"));
    // It reads nothing until the program is done, far more than may be under way later.
    link.input(b"\n".to_vec()).await.unwrap();
    screen_shows(&link, "over").await;
    let resynced = tokio::task::spawn_blocking(move || next_snapshot(&mut viewer));
    let resynced = resynced.await.unwrap();
    assert_eq!(resynced.len(), screen);
    assert_eq!(resynced.last().map(String::as_str), Some("over"));
}
