//! A keeper under pressure: many facts that nobody took, a program's child that never stops
//! printing, a keeper that is stopped, a viewer that falls behind.

use crate::sandbox::{DEADLINE, Home, Viewer, alive, binary, ended, kill9, screen_shows, until};
use downbeat_keeper::{
    EntryKind, Error, FrameReader, InputWriter, Report, Screen, attach_blocking, connect, launch, post_hook,
};
use downbeat_model::terminal::{Frame, Input, WINDOW};
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
async fn a_session_ends_even_if_a_child_never_stops_printing() {
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
async fn a_process_that_cleared_its_environment_is_found_after_its_keeper_was_killed() {
    let home = Home::new();
    let daemon = "env -i setsid sleep 1000";
    let (link, _reports) = home
        .launch(&[&format!("trap '' HUP; {daemon} & echo on; sleep 1000")])
        .await;
    let (dir, keeper) = (home.keeper(), link.hello().pid);
    // The child of the step, which does not have our mark. Others are written down, too, if they start their program just then.
    let noted = until("it is written down", async || {
        let steps = std::fs::read_to_string(dir.join("steps")).unwrap_or_default();
        steps.lines().skip(1).find_map(|line| {
            let noted: serde_json::Value = serde_json::from_str(line).ok()?;
            let pid = u32::try_from(noted["pid"].as_u64()?).ok()?;
            let environment = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
            environment.is_empty().then_some(pid)
        })
    })
    .await;
    let keepers = dir.parent().unwrap();
    kill9(keeper);
    until("the keeper is gone", async || (!alive(keeper)).then_some(())).await;
    assert!(alive(noted));
    let marked = downbeat_keeper::marked(keepers);
    assert!(
        marked
            .iter()
            .any(|one| one.pid == noted && one.session == home.id)
    );
    downbeat_keeper::end_tree(&dir, &home.id, Duration::ZERO);
    until("it is ended", async || (!alive(noted)).then_some(())).await;
}

/// Connects to a keeper as a client of a role, and sends its greeting and the beginning of a frame.
fn half_sent(socket: &std::path::Path, role: u8) -> std::os::unix::net::UnixStream {
    use std::io::Write as _;
    let mut client = std::os::unix::net::UnixStream::connect(socket).unwrap();
    client.write_all(&[0, 0, 0, 4, 1, 0, 1, role, 0, 0, 0]).unwrap();
    client
}

/// Reports whether the keeper hangs up on a client within a while.
fn is_cut_off(client: &mut std::os::unix::net::UnixStream) -> bool {
    use std::io::Read as _;
    client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    loop {
        match client.read(&mut [0; 4096]) {
            Ok(0) => return true,
            // Its greeting.
            Ok(_) => {}
            Err(error) => return error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

#[tokio::test]
async fn clients_above_the_limit_are_disconnected_and_the_engine_is_served() {
    let home = Home::new();
    let (link, _reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let socket = home.keeper().join("sock");
    // Posts in pieces may hold memory, so of these few are served; each is one of the clients, too.
    let mut hooks: Vec<_> = (0..20).map(|_| half_sent(&socket, 2)).collect();
    until("four posts too many are cut off", async || {
        let cut_off = hooks.iter_mut().map(is_cut_off);
        (cut_off.filter(|is_cut_off| *is_cut_off).count() == 4).then_some(())
    })
    .await;
    let mut viewers: Vec<_> = (0..260).map(|_| half_sent(&socket, 1)).collect();
    until("the last viewer is cut off", async || {
        is_cut_off(viewers.last_mut().unwrap()).then_some(())
    })
    .await;
    assert_eq!(link.text(10).await.unwrap().text, "here");
    drop((hooks, viewers));
    until("a free place", async || {
        connect(&home.keeper()).await.ok().map(drop)
    })
    .await;
}

#[tokio::test]
async fn attaching_to_a_stopped_keeper_fails_as_slow() {
    use rustix::process::{Pid, Signal, kill_process};
    let home = Home::new();
    let (link, _reports) = home.launch(&["read x"]).await;
    let pid = Pid::from_raw(i32::try_from(link.hello().pid).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let patience = Duration::from_millis(50);
    let shown = downbeat_keeper::attach_within(&home.keeper(), true, patience).await;
    let met = downbeat_keeper::connect_within(&home.keeper(), patience).await;
    kill_process(pid, Signal::CONT).unwrap();
    assert!(matches!(shown, Err(Error::Slow(..))));
    assert!(matches!(met, Err(Error::Slow(..))));
    let (_inputs, mut frames) = downbeat_keeper::attach_within(&home.keeper(), true, DEADLINE)
        .await
        .unwrap();
    assert!(matches!(frames.recv().await, Some(Frame::Snapshot { .. })));
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
    // The keeper got the request to close while its program ran, refused it, and is alive.
    connect(&home.keeper()).await.unwrap();
    link.kill(Duration::ZERO).await.unwrap();
}

#[tokio::test]
async fn a_keeper_that_is_slow_to_greet_has_started() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    // The keeper reports that it is ready, and is then stopped for longer than one greeting may take.
    let slow = home.dir.path().join("slow-keeper");
    let script = format!(
        "#!/bin/sh\nexec 3<&0\nmkfifo \"$2.said\"\n'{}' \"$@\" <&3 3<&- >\"$2.said\" &\npid=$!\nexec 3<&-\n\
         read said <\"$2.said\"\nkill -STOP $pid\necho $said\nexec >&-\nsleep 7\nkill -CONT $pid\n",
        binary().display()
    );
    std::fs::write(&slow, script).unwrap();
    std::fs::set_permissions(&slow, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (link, _reports) = launch(&slow, &home.keeper(), &home.spec(&["echo here; read x"]))
        .await
        .unwrap();
    screen_shows(&link, "here").await;
}

#[tokio::test]
async fn a_keeper_without_descriptors_does_not_spin() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let home = Home::new();
    let (link, _reports) = home.launch(&["read x"]).await;
    let pid = link.hello().pid;
    let to = Some(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap());
    let limit = |current| Rlimit {
        current: Some(current),
        maximum: Some(4096),
    };
    prlimit(to, Resource::Nofile, limit(3)).unwrap();
    // The client that the keeper waits for has its descriptor already.
    drop(connect(&home.keeper()).await);
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let fields: Vec<u64> = stat
            .rsplit_once(')')
            .unwrap()
            .1
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|field| field.parse().unwrap())
            .collect();
        fields[0] + fields[1]
    };
    let (before, dir) = (ticks(), home.keeper());
    let (waits, ()) = tokio::join!(connect(&dir), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
    });
    let ticks = ticks() - before;
    assert!(waits.is_err(), "it found a descriptor");
    assert!(ticks < 20, "{ticks} hundredths of a second");
    prlimit(to, Resource::Nofile, limit(1024)).unwrap();
    connect(&home.keeper()).await.unwrap();
}

/// Returns the lines of the next snapshot; acknowledges the output before it.
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
async fn a_viewer_with_its_own_scrollback_gets_the_requested_lines_once() {
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
    // The viewer reads nothing until the program is done: far more output than may be in transit later.
    link.input(b"\n".to_vec()).await.unwrap();
    screen_shows(&link, "over").await;
    let resynced = tokio::task::spawn_blocking(move || next_snapshot(&mut viewer));
    let resynced = resynced.await.unwrap();
    assert_eq!(resynced.len(), screen);
    assert_eq!(resynced.last().map(String::as_str), Some("over"));
}

#[tokio::test]
async fn a_viewer_that_acknowledges_every_hundred_kilobytes_catches_up() {
    let home = Home::new();
    let (link, _reports) = home
        .launch(&["read x; seq 1 600000; echo finished; read x"])
        .await;
    let mut viewer = Viewer::new(&home.keeper(), None).await;
    viewer.ack = false;
    viewer.types("\r").await;
    screen_shows(&link, "finished").await;
    // Like `downbeat attach`, which never acknowledges the rest of the window.
    const EVERY: u64 = WINDOW / 4;
    let start = viewer.seq;
    let caught_up = async {
        while viewer.snapshots < 2 {
            let frame = viewer.frames.recv().await.expect("the keeper is gone");
            viewer.take(frame).await;
            let seq = start + (viewer.seq - start) / EVERY * EVERY;
            viewer.inputs.send(Input::Ack { seq }).await.unwrap();
        }
    };
    tokio::time::timeout(DEADLINE, caught_up)
        .await
        .expect("no snapshot");
    assert!(viewer.screen.text(10_000) == link.text(10_000).await.unwrap().text);
}

#[tokio::test]
async fn a_viewer_that_is_behind_sees_the_last_screen_before_the_end() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&["read x; seq 1 600000; echo finished"]).await;
    let mut viewer = Viewer::new(&home.keeper(), None).await;
    viewer.ack = false;
    viewer.types("\r").await;
    ended(&mut reports).await;
    viewer.until("the end", |viewer| viewer.exit.is_some()).await;
    assert!(viewer.screen.text(10_000) == link.text(10_000).await.unwrap().text);
    assert!(viewer.screen.text(1).contains("finished"));
}

#[tokio::test]
async fn a_keeper_that_is_closed_waits_for_a_slow_viewer() {
    const BYTES: u64 = 600_000;
    let home = Home::new();
    let script = format!("read x; yes 0123456 | head -c {BYTES}");
    let (link, mut reports) = home.launch(&[&script]).await;
    let dir = home.keeper();
    let attached = tokio::task::spawn_blocking(move || attach_blocking(&dir, None, None).unwrap());
    let (mut frames, _inputs) = attached.await.unwrap();
    link.input(b"\n".to_vec()).await.unwrap();
    ended(&mut reports).await;
    let pid = link.hello().pid;
    link.close().await.unwrap();
    // Three seconds, as on a slow line; the keeper's own limit is longer than the test should take.
    let slow = tokio::task::spawn_blocking(move || {
        let started = Instant::now();
        let mut got = 0;
        loop {
            match frames.next_frame() {
                Ok(Some(Frame::Output { data, .. })) => got += data.len() as u64,
                Ok(Some(Frame::Exit { .. })) => return (got, true),
                Ok(None) | Err(_) => return (got, false),
                Ok(Some(_)) => {}
            }
            let due = started + Duration::from_secs(3).mul_f64(got as f64 / BYTES as f64);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    });
    let (got, exit) = slow.await.unwrap();
    assert!(exit && got > BYTES, "{got} bytes, and the end: {exit}");
    until("the keeper is gone", async || (!alive(pid)).then_some(())).await;
}

#[tokio::test]
async fn a_resize_from_very_wide_to_very_narrow_takes_little_memory() {
    let home = Home::new();
    let mut spec = home.spec(&["yes full | tr -d '\\n' | head -c 100000; echo; echo ready; read x"]);
    (spec.cols, spec.rows) = (1000, 100);
    let (link, _reports) = launch(&binary(), &home.keeper(), &spec).await.unwrap();
    screen_shows(&link, "ready").await;
    let status = || std::fs::read_to_string(format!("/proc/{}/status", link.hello().pid)).unwrap();
    let kib = |name: &str| {
        let text = status();
        let line = text
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap()
            .to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let before = kib("VmRSS:");
    for (cols, rows) in [(10, 100), (2, 10), (80, 24)] {
        link.resize(cols, rows).await.unwrap();
        link.text(1).await.unwrap();
    }
    assert!(
        kib("VmHWM:") < before + (48 << 10),
        "{} KiB at most",
        kib("VmHWM:")
    );
    assert!(kib("VmRSS:") < before + (12 << 10), "{} KiB left", kib("VmRSS:"));
}

#[tokio::test]
async fn only_the_last_of_many_waiting_resizes_counts_and_no_size_is_absurd() {
    use rustix::process::{Pid, Signal, kill_process};
    const MANY: u16 = 200;
    let home = Home::new();
    let (link, _reports) = home.launch(&["echo ready; read x"]).await;
    screen_shows(&link, "ready").await;
    let mut viewer = Viewer::new(&home.keeper(), Some((80, 24))).await;
    let pid = Pid::from_raw(i32::try_from(link.hello().pid).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    for n in 1..MANY {
        link.resize(100 + n, 30).await.unwrap();
    }
    link.resize(2, 1).await.unwrap();
    kill_process(pid, Signal::CONT).unwrap();
    viewer
        .until("the last size", |viewer| viewer.sizes.last() == Some(&(20, 4)))
        .await;
    assert!(viewer.sizes.len() < usize::from(MANY) / 2, "{:?}", viewer.sizes);
}

#[tokio::test]
async fn the_terminal_stays_usable_during_a_flood_of_posts() {
    const SENDERS: usize = 8;
    const EACH: usize = 2_500;
    let home = Home::new();
    let (link, reports) = home.launch(&["echo here; read x; echo heard $x; read y"]).await;
    screen_shows(&link, "here").await;
    // The entries are read, and never stored.
    drop((link, reports));
    let (link, mut reports) = connect(&home.keeper()).await.unwrap();
    let reading = tokio::spawn(async move { while reports.recv().await.is_some() {} });
    let started = Instant::now();
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| {
            let dir = home.keeper();
            std::thread::spawn(move || {
                let body = format!(
                    "{{\"hook_event_name\":\"PreToolUse\",\"x\":\"{}\"}}",
                    "x".repeat(2_000)
                );
                (0..EACH)
                    .filter(|_| post_hook(&dir, body.as_bytes()).is_ok())
                    .count()
            })
        })
        .collect();
    let mut slowest = Duration::ZERO;
    while senders.iter().any(|sender| !sender.is_finished()) {
        let asked = Instant::now();
        link.text(10).await.unwrap();
        slowest = slowest.max(asked.elapsed());
    }
    let took: usize = senders.into_iter().map(|sender| sender.join().unwrap()).sum();
    assert_eq!(
        took,
        SENDERS * EACH,
        "each finds room: old posts about tools make it"
    );
    assert!(
        slowest < Duration::from_secs(2),
        "{slowest:?} of {:?}",
        started.elapsed()
    );
    link.input(b"word\n".to_vec()).await.unwrap();
    screen_shows(&link, "heard word").await;
    let journal = std::fs::metadata(home.keeper().join("journal")).unwrap().len();
    assert!(journal <= 20 << 20, "{journal} bytes");
    link.kill(Duration::ZERO).await.unwrap();
    reading.abort();
}
