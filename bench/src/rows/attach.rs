//! Measures the time until a terminal with ten thousand lines is shown: a Rust client, `downbeat attach`
//! against `tmux attach`, and the window's own terminal in a browser against a bare one.

use crate::done::Done;
use crate::engine;
use crate::keeper::Keeper;
use crate::pty::{Pty, SIZE};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::sample;
use crate::scale::Scale;
use crate::tmux::Tmux;
use downbeat_model::terminal::Frame;
use downbeat_tests::sandbox::Sandbox;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

/// The number of lines: a little more than the history keeps.
const LINES: usize = 10_100;

/// The sessions that a page opens one after another.
const FULL_SESSIONS: [&str; 4] = ["Full one", "Full two", "Full three", "Full four"];

/// The text in the last row of the screen.
const FULL: &str = "THE-LAST-ROW";

/// Measures all rows.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let world = engine::started().await?;
    commands(scale, report, &world).await?;
    window(scale, report, &world).await
}

fn script() -> String {
    format!("cat \"$0\"; printf {FULL}; exec cat")
}

async fn commands(scale: &Scale, report: &mut Report, world: &Sandbox) -> Done<()> {
    let file = sample::full_lines(world.path(), LINES, SIZE.0.into())?;
    let (script, path) = (script(), file.to_string_lossy());
    let program = ["sh", "-c", &script, &path];
    let keeper = Keeper::start(world, &program).await?;
    keeper.shows(FULL).await?;
    let tmux = Tmux::start(world, SIZE, &program)?;
    engine::soon("tmux's last row", async || {
        tmux.run(&["capture-pane", "-p"])
            .ok()?
            .contains(FULL)
            .then_some(())
    })
    .await?;
    let (mut client, mut ours, mut theirs) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..scale.turns * 3 {
        theirs.add(until_full(|| tmux.attach())?);
        ours.add(until_full(|| keeper.attach())?);
        client.add(first_frame(&keeper.dir)?);
    }
    let beside = [("`tmux attach`", theirs.median())];
    for (what, samples) in [("`downbeat attach`", ours), ("a client's first snapshot", client)] {
        let what = format!("attaching with 10,000 lines to the first full screen: {what}");
        report.add(Line::new(
            &what,
            Unit::Ms,
            samples.median(),
            &beside,
            Goal::Times(2.0),
        ));
    }
    keeper.end().await
}

fn until_full(attach: impl Fn() -> Done<Pty>) -> Done<f64> {
    let start = Instant::now();
    let mut client = attach()?;
    client.until(FULL.as_bytes())?;
    Ok(ms(start))
}

fn first_frame(dir: &Path) -> Done<f64> {
    let start = Instant::now();
    let (mut frames, _inputs) = downbeat_keeper::attach_blocking(dir, None, None)?;
    while !matches!(frames.next_frame()?, Some(Frame::Snapshot { .. }) | None) {}
    Ok(ms(start))
}

/// The milliseconds of one terminal of a page: from the request for it until the screen was painted, and until xterm has
/// processed the whole snapshot; from the click on its session until the screen was painted.
type Opened = [f64; 3];

/// What the script prints: for each page, its terminals, and as many of a blank page.
#[derive(Deserialize)]
struct Measured {
    took: Vec<Vec<Opened>>,
    bare: Vec<Vec<Opened>>,
}

/// Measures the terminal of a page in Chromium, from its opening until its screen is painted, and until xterm
/// has processed the whole snapshot.
async fn window(scale: &Scale, report: &mut Report, world: &Sandbox) -> Done<()> {
    let repository = engine::repository(world, 1)?;
    let project = engine::project(world, &repository).await?;
    let file = sample::full_lines(world.path(), LINES, 120)?;
    for name in FULL_SESSIONS {
        let body = json!({
            "projectId": project, "title": name, "agent": "shell", "workspace": "in-place",
        });
        let id = engine::session(world, body).await?;
        engine::keeper_shows(world, &id, engine::PROMPT).await?;
        world
            .press(&id, &format!("cat {}; echo {FULL}\r", file.display()))
            .await;
        world.shows(&id, &format!("\n{FULL}\n")).await;
    }
    let link = String::from_utf8(world.cli(&["start", "--link"]).stdout)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = world
        .command("node")
        .arg(root.join("scripts/bench/window.js"))
        .arg(link.trim())
        .arg(scale.rounds.to_string())
        .arg(FULL)
        .args(FULL_SESSIONS)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the page was not measured".into());
    }
    let measured: Measured = serde_json::from_slice(&output.stdout)?;
    let rows = [
        (
            "the screen painted",
            "a bare xterm.js given only the screen",
            Goal::Most(50.0),
        ),
        (
            "whole snapshot written",
            "a bare xterm.js given the whole snapshot",
            Goal::Open,
        ),
        (
            "from the click on the session until the screen is painted",
            "a bare xterm.js given only the screen",
            Goal::Open,
        ),
    ];
    for (which, (until, floor, goal)) in rows.into_iter().enumerate() {
        let (first, further) = split(&measured.took, which);
        let (bare_first, bare_further) = split(&measured.bare, which);
        let what = format!("the same in the window (Chromium), {until}");
        let fresh = format!("{what}: the first terminal of a fresh page");
        for (what, ours, bare, goal) in [
            (what, further, bare_further, goal),
            (fresh, first, bare_first, Goal::Open),
        ] {
            let beside = [(floor, bare.median())];
            report.add(Line::new(&what, Unit::Ms, ours.median(), &beside, goal));
        }
    }
    Ok(())
}

/// Returns one time of the first terminals of pages, and that of the further ones.
fn split(pages: &[Vec<Opened>], which: usize) -> (Samples, Samples) {
    let (mut first, mut further) = (Samples::default(), Samples::default());
    for page in pages {
        page.iter().take(1).for_each(|opened| first.add(opened[which]));
        page.iter().skip(1).for_each(|opened| further.add(opened[which]));
    }
    (first, further)
}
