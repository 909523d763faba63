//! From a key to its echo: the thread that receives it processes it, and the order with queued work is kept.

use crate::sandbox::{DEADLINE, Home, Viewer, screen_shows};
use downbeat_keeper::{Link, Report};
use downbeat_model::terminal::{Frame, Input};
use std::time::Instant;

const ECHOING: &str = "stty raw -echo; printf ready; exec cat";

/// Returns how often the owner's thread, which everything else waits for, was put to sleep.
fn owner_slept(link: &Link) -> u64 {
    let pid = link.hello().pid;
    let status = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.unwrap().trim().parse().unwrap()
}

#[tokio::test]
async fn a_key_and_its_echo_wake_no_thread_between_them() {
    const KEYS: u64 = 300;
    let home = Home::new();
    let (link, _reports) = home.launch(&[ECHOING]).await;
    screen_shows(&link, "ready").await;
    let mut viewer = Viewer::new(&home.keeper(), Some((80, 24))).await;
    let started = Instant::now();
    let before = owner_slept(&link);
    for _ in 0..KEYS {
        let seq = viewer.seq;
        viewer.types("x").await;
        viewer.until("its echo", |viewer| viewer.seq == seq + 1).await;
    }
    let slept = owner_slept(&link) - before;
    // The thread wakes up once a second to report output.
    let reports = started.elapsed().as_secs() * 2;
    assert!(slept < KEYS / 4 + reports, "woken {slept} times");
}

#[tokio::test]
async fn typed_keys_stay_in_order_among_resizes_and_journaled_keys() {
    let home = Home::new();
    let (link, _reports) = home.launch(&[ECHOING]).await;
    screen_shows(&link, "ready").await;
    // An engine types as well; its input is always queued.
    let engine = link.clone();
    let dots = tokio::spawn(async move {
        for _ in 0..300 {
            engine.input(b".".to_vec()).await.unwrap();
        }
    });
    let mut viewer = Viewer::new(&home.keeper(), Some((80, 24))).await;
    let mut typed = Vec::new();
    for n in 0..3000u16 {
        let key = b"abcdefghijklmnopqrstuvwxyz"[usize::from(n) % 26];
        let input = match n % 7 {
            3 => Input::Resize {
                cols: 60 + n % 40,
                rows: 20,
            },
            5 => Input::Data(b"\r".to_vec()),
            _ => Input::Data(vec![key]),
        };
        if let Input::Data(bytes) = &input {
            typed.extend_from_slice(bytes);
        }
        viewer.inputs.send(input).await.unwrap();
    }
    dots.await.unwrap();
    let mut echoed = Vec::new();
    while echoed.len() < typed.len() {
        let frame = tokio::time::timeout(DEADLINE, viewer.frames.recv()).await;
        let frame = frame.expect("an echo is missing").unwrap();
        if let Frame::Output { data, .. } = &frame {
            echoed.extend(data.iter().filter(|byte| **byte != b'.'));
        }
        viewer.take(frame).await;
    }
    assert!(echoed == typed, "{}", String::from_utf8_lossy(&echoed));
    viewer
        .until("the last size", |viewer| {
            viewer.screen.size() == (60 + 2999 % 40, 20)
        })
        .await;
}

#[tokio::test]
async fn a_viewer_that_attaches_between_small_pieces_of_output_misses_none() {
    const VIEWERS: usize = 12;
    let home = Home::new();
    let script = "n=0; while [ $n -lt 20000 ]; do n=$((n+1)); echo line $n; done; read x";
    let (link, _reports) = home.launch(&["read x", script]).await;
    let mut viewers = vec![Viewer::new(&home.keeper(), Some((80, 24))).await];
    viewers[0].types("\n").await;
    while viewers.len() < VIEWERS {
        viewers.push(Viewer::new(&home.keeper(), None).await);
    }
    // Each viewer checks that what it is sent fits its snapshot.
    for viewer in &mut viewers {
        viewer.shows("line 20000").await;
        assert_eq!(viewer.screen.text(10_000), link.text(10_000).await.unwrap().text);
    }
}

#[tokio::test]
async fn output_is_reported_even_if_it_woke_no_thread() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&[ECHOING]).await;
    screen_shows(&link, "ready").await;
    let mut viewer = Viewer::new(&home.keeper(), None).await;
    for _ in 0..20 {
        let seq = viewer.seq;
        viewer.types("x").await;
        viewer.until("its echo", |viewer| viewer.seq == seq + 1).await;
    }
    let last = async {
        loop {
            match reports.recv().await.unwrap() {
                Report::Output { seq, .. } if seq == viewer.seq => return,
                _ => {}
            }
        }
    };
    tokio::time::timeout(DEADLINE, last).await.expect("no report");
}

#[tokio::test]
async fn keys_typed_into_a_pager_are_not_text_in_the_shells_prompt() {
    let home = Home::new();
    // A shell with job control, like a person's own: the programs that it starts get the terminal.
    let (link, _reports) = home.launch(&["PS1='ready> ' exec sh -i"]).await;
    screen_shows(&link, "ready>").await;
    let viewer = Viewer::new(&home.keeper(), Some((80, 24))).await;
    let pager = "sh -c 'stty -icanon -echo; printf u; echo p; dd bs=1 count=1 2>/dev/null; stty icanon echo; echo go\"\"ne'\r";
    viewer.types(pager).await;
    screen_shows(&link, "up").await;
    viewer.types("q").await;
    screen_shows(&link, "gone").await;
    let typed = link.text(10).await.unwrap().typed.unwrap();
    assert!(!typed.stands, "{typed:?}");
    // Input typed while a program reads nothing waits for the shell.
    viewer.types("sleep 1; echo sl\"\"ept\r").await;
    viewer.types("q").await;
    screen_shows(&link, "slept").await;
    let typed = link.text(10).await.unwrap().typed.unwrap();
    assert!(typed.stands && typed.keys == 1, "{typed:?}");
}
