//! What a new viewer is sent first: the screen alone before much scrollback, if it asks for that.

use crate::sandbox::{DEADLINE, Home, kill9, screen_shows, until};
use downbeat_keeper::{Screen, attach_within, checkpoint, checkpoint_frames, connect};
use downbeat_model::terminal::Frame;

/// Prints more lines than a viewer draws without a person noticing.
const MANY: &str = "n=0; while [ $n -lt 3000 ]; do n=$((n+1)); echo line $n; done; read x";

/// Returns what a frame of the screen or a snapshot shows on a terminal that was just reset, and its sequence number.
fn drawn(frame: Frame) -> (String, u64) {
    let (Frame::Screen {
        seq,
        cols,
        rows,
        data,
    }
    | Frame::Snapshot {
        seq,
        cols,
        rows,
        data,
    }) = frame
    else {
        panic!("{frame:?}")
    };
    let mut screen = Screen::new(cols, rows, 10_000);
    drop(screen.feed(&data));
    (screen.text(10_000), seq)
}

#[tokio::test]
async fn the_screen_alone_precedes_a_long_snapshot() {
    let home = Home::new();
    let (link, _reports) = home.launch(&[MANY]).await;
    screen_shows(&link, "line 3000").await;
    let (_inputs, mut frames) = attach_within(&home.keeper(), true, DEADLINE).await.unwrap();
    let first = frames.recv().await.unwrap();
    assert!(matches!(first, Frame::Screen { .. }), "{first:?}");
    let ((screen, seq), (whole, of)) = (drawn(first), drawn(frames.recv().await.unwrap()));
    assert_eq!(seq, of);
    assert!(
        screen.lines().count() <= 24 && screen.ends_with("line 3000"),
        "{screen}"
    );
    assert!(whole.starts_with("line 1\n") && whole.ends_with(&screen));
    let (_inputs, mut frames) = attach_within(&home.keeper(), false, DEADLINE).await.unwrap();
    let first = frames.recv().await.unwrap();
    assert!(
        matches!(first, Frame::Snapshot { .. }),
        "nobody asked for more: {first:?}"
    );

    // The same from the transcript of a keeper that is gone.
    until("the transcript", async || {
        let written = checkpoint(&home.keeper(), 10)?;
        written.text.contains("line 3000").then_some(())
    })
    .await;
    kill9(link.hello().pid);
    until("the keeper is gone", async || {
        connect(&home.keeper()).await.is_err().then_some(())
    })
    .await;
    let left: Vec<Frame> = checkpoint_frames(&home.keeper(), true).unwrap();
    assert!(matches!(
        left[..],
        [Frame::Screen { .. }, Frame::Snapshot { .. }, Frame::Exit { .. }]
    ));
    assert_eq!(drawn(left[0].clone()).0, screen);
    let left = checkpoint_frames(&home.keeper(), false).unwrap();
    assert!(matches!(left[..], [Frame::Snapshot { .. }, Frame::Exit { .. }]));
}

#[tokio::test]
async fn a_short_snapshot_comes_alone() {
    let home = Home::new();
    let (link, _reports) = home.launch(&["echo here; read x"]).await;
    screen_shows(&link, "here").await;
    let (_inputs, mut frames) = attach_within(&home.keeper(), true, DEADLINE).await.unwrap();
    let first = frames.recv().await.unwrap();
    assert!(matches!(first, Frame::Snapshot { .. }), "{first:?}");
}
