//! A real keeper process, driven as an engine, a viewer and a hook drive it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "files of its own")]
#![cfg(target_os = "linux")]

mod answers;
mod floods;
mod keys;
mod late;
mod pressure;
mod sandbox;
mod viewers;

use downbeat_keeper::{
    EntryKind, Error, Report, State, StepSpec, checkpoint, checkpoint_frames, connect, end_tree, launch,
    leftover_entries, post_hook,
};
use downbeat_model::terminal::{Frame, Input, WINDOW};
use sandbox::{DEADLINE, Home, Viewer, alive, binary, ended, entry, kill9, screen_shows, until};
use std::time::{Duration, Instant};

#[tokio::test]
async fn output_and_exit_code_are_kept_without_a_viewer() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&["seq 1 5000; printf '\\033]2;my title\\007'; exit 7"])
        .await;
    assert_eq!(ended(&mut reports).await, (Some(7), None));
    drop((link, reports));
    // No engine is connected; later one reconnects.
    let (link, mut reports) = connect(&home.keeper()).await.unwrap();
    assert_eq!(
        link.hello().state,
        State::Ended {
            code: Some(7),
            signal: None
        }
    );
    assert_eq!(link.hello().title, "my title");
    let wanted = (1..=5000).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    assert_eq!(link.text(10_000).await.unwrap().text, wanted);
    let mut seen = Vec::new();
    while let Some(Report::Entry(entry)) = reports.recv().await {
        seen.push(entry.seq);
        if matches!(entry.what, EntryKind::Ended { code: Some(7), .. }) {
            break;
        }
    }
    assert_eq!(seen, [1, 2, 3]);
    link.ack(3).await.unwrap();
    let pid = link.hello().pid;
    link.close().await.unwrap();
    until("the keeper is gone", async || (!alive(pid)).then_some(())).await;
    assert!(matches!(connect(&home.keeper()).await, Err(Error::Gone)));
    assert!(leftover_entries(&home.keeper()).is_empty());
}

#[tokio::test]
async fn two_viewers_see_the_same_and_the_one_that_types_decides_the_size() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&["echo before; while read line; do stty size; echo got $line; done"])
        .await;
    screen_shows(&link, "before").await;
    let mut one = Viewer::new(&home.keeper(), Some((100, 30))).await;
    one.shows("before").await;
    let mut two = Viewer::new(&home.keeper(), Some((60, 20))).await;
    one.until("the smaller size", |viewer| viewer.screen.size() == (60, 20))
        .await;
    one.types("hello\r").await;
    one.shows("got hello").await;
    two.shows("got hello").await;
    assert_eq!((one.screen.size(), two.screen.size()), ((100, 30), (100, 30)));
    one.shows("30 100").await;
    one.types("\x03").await;
    entry(
        &mut reports,
        |what| matches!(what, EntryKind::Key { name } if name == "ctrl-c"),
    )
    .await;
    one.until("the end", |viewer| viewer.exit.is_some()).await;
    two.until("the end", |viewer| viewer.exit.is_some()).await;
    assert_eq!(one.screen.text(1000), two.screen.text(1000));
}

#[tokio::test]
async fn a_slow_viewer_is_skipped_and_resynced() {
    let home = Home::new();
    let (link, _reports) = home
        .launch(&["read x; seq 1 600000; echo finished; read x"])
        .await;
    let mut viewer = Viewer::new(&home.keeper(), None).await;
    viewer.ack = false;
    viewer.types("\r").await;
    screen_shows(&link, "finished").await;
    // The viewer has drawn nothing: it gets at most a window of output, and then nothing more.
    let mut got = 0;
    while let Ok(Some(frame)) = tokio::time::timeout(Duration::from_millis(300), viewer.frames.recv()).await {
        if let Frame::Output { data, .. } = &frame {
            got += data.len() as u64;
        }
        viewer.take(frame).await;
    }
    assert!(got > 0 && got <= WINDOW, "{got}");
    assert_eq!(viewer.snapshots, 1);
    viewer.ack = true;
    viewer.inputs.send(Input::Ack { seq: viewer.seq }).await.unwrap();
    viewer.until("the snapshot", |viewer| viewer.snapshots == 2).await;
    assert_eq!(viewer.screen.text(10_000), link.text(10_000).await.unwrap().text);
}

#[tokio::test]
async fn a_kill_reaches_children_that_left_the_session() {
    let home = Home::new();
    let script = "setsid sh -c 'trap \"\" TERM HUP; echo escaped $$; while :; do sleep 1; done' & \
                  setsid setsid sleep 1000 & trap '' TERM; echo me $$; wait";
    let (link, mut reports) = home.launch(&[script]).await;
    let text = screen_shows(&link, "escaped").await;
    screen_shows(&link, "me").await;
    let escaped: u32 = text
        .split("escaped ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(alive(escaped));
    link.kill(Duration::from_millis(200)).await.unwrap();
    assert!(!alive(escaped));
    let (code, _) = ended(&mut reports).await;
    assert_ne!(code, Some(0));
    // The keeper itself continues.
    assert!(link.text(10).await.unwrap().text.contains("escaped"));
}

#[tokio::test]
async fn hooks_are_ordered_with_output_and_wait_for_an_engine() {
    let home = Home::new();
    let (link, reports) = home.launch(&["echo one; read x; echo two; read x"]).await;
    screen_shows(&link, "one").await;
    let dir = home.keeper();
    let first = link.text(1).await.unwrap().seq;
    drop((link, reports));
    let post = {
        let dir = dir.clone();
        move |body: String| post_hook(&dir, body.as_bytes()).unwrap()
    };
    tokio::task::spawn_blocking({
        let post = post.clone();
        move || post("{\"n\":1}".into())
    })
    .await
    .unwrap();
    let mut viewer = Viewer::new(&dir, None).await;
    viewer.types("\r").await;
    viewer.shows("two").await;
    tokio::task::spawn_blocking(move || (2..=50).for_each(|n| post(format!("{{\"n\":{n}}}"))))
        .await
        .unwrap();
    for _ in 0..2 {
        let (link, mut reports) = connect(&dir).await.unwrap();
        let mut bodies = Vec::new();
        while bodies.len() < 50 {
            let entry = entry(&mut reports, |what| matches!(what, EntryKind::Hook { .. })).await;
            let EntryKind::Hook { body } = entry.what else {
                unreachable!()
            };
            if bodies.is_empty() {
                assert_eq!(entry.output_seq, first);
            } else {
                assert!(entry.output_seq > first);
            }
            bodies.push(body);
        }
        let wanted: Vec<String> = (1..=50).map(|n| format!("{{\"n\":{n}}}")).collect();
        assert_eq!(bodies, wanted);
        drop(link);
    }
    assert_eq!(
        leftover_entries(&dir)
            .iter()
            .filter(|e| matches!(e.what, EntryKind::Hook { .. }))
            .count(),
        50
    );
}

#[tokio::test]
async fn every_line_arrives_once_even_if_clients_die_at_any_moment() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&["i=0; while [ $i -lt 9000 ]; do i=$((i+1)); echo line $i; done"])
        .await;
    drop(link);
    for _ in 0..20 {
        // Dropping the viewer closes the socket, as the end of its process does.
        let mut viewer = Viewer::new(&home.keeper(), Some((70, 22))).await;
        viewer.until("a little", |viewer| viewer.seq > 1000).await;
    }
    drop(reports.recv().await);
    let (link, mut reports) = connect(&home.keeper()).await.unwrap();
    ended(&mut reports).await;
    let viewer = Viewer::new(&home.keeper(), None).await;
    let wanted = (1..=9000)
        .map(|n| format!("line {n}"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(viewer.screen.text(20_000), wanted);
    assert_eq!(link.text(20_000).await.unwrap().text, wanted);
}

#[tokio::test]
async fn a_killed_keeper_leaves_a_checkpoint_and_a_tree_that_can_be_ended() {
    let home = Home::new();
    let (link, _reports) = home
        .launch(&["printf '\\033[1;31mred words\\033[0m\\r\\n'; setsid sleep 1000 & echo pid $!; sleep 1000"])
        .await;
    let text = screen_shows(&link, "pid").await;
    let pid: u32 = text.split("pid ").nth(1).unwrap().trim().parse().unwrap();
    let child = link.hello().pid;
    // The screen is slightly ahead of the transcript.
    until("the transcript", async || {
        let written = checkpoint(&home.keeper(), 100)?;
        written.text.contains("pid ").then_some(())
    })
    .await;
    kill9(child);
    until("the keeper is gone", async || {
        connect(&home.keeper()).await.is_err().then_some(())
    })
    .await;
    let (dir, id) = (home.keeper(), home.id.clone());
    tokio::task::spawn_blocking(move || end_tree(&dir, &id, Duration::from_millis(200)))
        .await
        .unwrap();
    assert!(!alive(pid));
    assert!(
        checkpoint(&home.keeper(), 100)
            .unwrap()
            .text
            .starts_with("red words\npid ")
    );
    let frames = checkpoint_frames(&home.keeper(), true).unwrap();
    assert!(matches!(
        &frames[..],
        [Frame::Snapshot { .. }, Frame::Exit { .. }]
    ));
    assert!(!leftover_entries(&home.keeper()).is_empty());
}

#[tokio::test]
async fn a_failed_step_holds_the_rest_until_it_is_retried() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&["echo setting up; test -e ok", "echo agent runs; exit 3"])
        .await;
    entry(&mut reports, |what| {
        matches!(
            what,
            EntryKind::StepEnded {
                index: 0,
                code: Some(1),
                ..
            }
        )
    })
    .await;
    let (again, _more) = connect(&home.keeper()).await.unwrap();
    assert_eq!(again.hello().state, State::Held { step: 0 });
    assert!(link.run(9, None).await.is_err());
    std::fs::write(home.dir.path().join("ok"), "").unwrap();
    link.run(0, None).await.unwrap();
    assert_eq!(ended(&mut reports).await, (Some(3), None));
    let text = link.text(100).await.unwrap().text;
    assert_eq!(text, "setting up\nsetting up\nagent runs");
    // Resume in place: another command on the same screen.
    link.run(0, Some(vec![home.step("agent", "echo resumed")]))
        .await
        .unwrap();
    assert_eq!(ended(&mut reports).await, (Some(0), None));
    assert!(
        link.text(100)
            .await
            .unwrap()
            .text
            .ends_with("agent runs\nresumed")
    );
    let gone = StepSpec {
        argv: vec!["/no/such/agent".into()],
        ..home.step("agent", "")
    };
    link.run(0, Some(vec![gone])).await.unwrap();
    let entry = entry(&mut reports, |what| matches!(what, EntryKind::StepEnded { .. })).await;
    assert!(
        matches!(entry.what, EntryKind::StepEnded { error: Some(_), .. }),
        "{entry:?}"
    );
}

#[tokio::test]
async fn a_large_paste_arrives_completely() {
    let home = Home::new();
    let (link, mut reports) = home
        .launch(&["stty raw -echo; echo ready; head -c 100000 | cksum"])
        .await;
    screen_shows(&link, "ready").await;
    let paste: Vec<u8> = (0..100_000u32).map(|n| b'a' + (n % 26) as u8).collect();
    link.input(paste.clone()).await.unwrap();
    assert_eq!(ended(&mut reports).await.0, Some(0));
    let mut cksum = std::process::Command::new("cksum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut cksum.stdin.take().unwrap(), &paste).unwrap();
    let wanted = String::from_utf8(cksum.wait_with_output().unwrap().stdout).unwrap();
    assert!(link.text(100).await.unwrap().text.contains(wanted.trim()));
}

#[tokio::test]
async fn titles_are_reported_and_secrets_are_not_written() {
    let home = Home::new();
    let mut spec = home.spec(&["printf '\\033]0;busy\\007'; read x; printf '\\033]0;done\\007'; read x"]);
    spec.steps[0]
        .env
        .push(("SECRET".into(), "do-not-write-me".into()));
    let (link, mut reports) = launch(&binary(), &home.keeper(), &spec).await.unwrap();
    link.input(b"\r".to_vec()).await.unwrap();
    let deadline = Instant::now() + DEADLINE;
    loop {
        assert!(Instant::now() < deadline);
        if reports.recv().await == Some(Report::Title("done".to_owned())) {
            break;
        }
    }
    for file in std::fs::read_dir(home.keeper()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains("do-not-write-me"));
    }
}

#[tokio::test]
async fn a_socket_path_to_another_sessions_keeper_is_rejected() {
    let (one, other) = (Home::new(), Home::new());
    let (_link, _reports) = other.launch(&["read x"]).await;
    let there = other.keeper().join("sock");
    std::fs::create_dir_all(one.keeper()).unwrap();
    let at = one.keeper().join("sock");
    for way in ["link", "hard link", "name"] {
        match way {
            "link" => std::os::unix::fs::symlink(&there, &at).unwrap(),
            "hard link" => std::fs::hard_link(&there, &at).unwrap(),
            _ => std::fs::write(one.keeper().join("socket-path"), there.to_str().unwrap()).unwrap(),
        }
        assert!(matches!(connect(&one.keeper()).await, Err(Error::Gone)));
        let seen = downbeat_keeper::attach(&one.keeper(), None).await;
        assert!(matches!(seen, Err(Error::Gone)));
        let dir = one.keeper();
        let seen = tokio::task::spawn_blocking(move || downbeat_keeper::attach_blocking(&dir, None, None));
        assert!(matches!(seen.await.unwrap(), Err(Error::Gone)), "{way}");
        let _ = std::fs::remove_file(&at);
    }
    let dir = one.keeper();
    std::fs::remove_dir_all(&dir).unwrap();
    std::os::unix::fs::symlink(other.keeper(), &dir).unwrap();
    assert!(matches!(connect(&dir).await, Err(Error::Gone)));
    std::fs::remove_file(&dir).unwrap();
}
