//! Measures the time from a key to its echo: a bare terminal, tmux and `downbeat attach` each with one client
//! in a PTY, and the API's terminal.

use crate::done::Done;
use crate::engine::{self, ECHOING, Terminal};
use crate::keeper::Keeper;
use crate::pty::{Pty, SIZE};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use crate::tmux::Tmux;
use serde_json::json;
use std::time::{Duration, Instant};

/// The pause between two keys, so that each finds everything idle.
const PAUSE: Duration = Duration::from_millis(2);

/// The number of turns, so that other load on the machine affects all of them.
const TURNS: usize = 5;

/// Something into which keys can be typed.
trait Typed {
    fn press(&mut self, keys: &[u8]) -> Done<()>;
    fn until(&mut self, wanted: &[u8]) -> Done<()>;
}

impl Typed for Pty {
    fn press(&mut self, keys: &[u8]) -> Done<()> {
        Pty::press(self, keys)
    }
    fn until(&mut self, wanted: &[u8]) -> Done<()> {
        Pty::until(self, wanted)
    }
}

impl Typed for Terminal {
    fn press(&mut self, keys: &[u8]) -> Done<()> {
        Terminal::press(self, keys)
    }
    fn until(&mut self, wanted: &[u8]) -> Done<()> {
        Terminal::until(self, wanted)
    }
}

/// Types `count` letters, each after the echo of the last one.
fn type_keys(typed: &mut dyn Typed, count: usize) -> Done<Samples> {
    let mut samples = Samples::default();
    for letter in (b'a'..=b'z').cycle().take(count) {
        if letter == b'a' {
            // Moves back to the start of the row, so that no line wraps.
            typed.press(b"\r")?;
        }
        std::thread::sleep(PAUSE);
        let start = Instant::now();
        typed.press(&[letter])?;
        typed.until(&[letter])?;
        samples.add(ms(start));
    }
    Ok(samples)
}

/// Measures all of them in turns.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let (world, _, project) = engine::started_with(1).await?;
    let body = json!({
        "projectId": project, "title": "echo", "agent": "echoing", "workspace": "in-place",
    });
    let id = engine::session(&world, body).await?;
    engine::keeper_shows(&world, &id, "ready").await?;
    let keeper = Keeper::start(&world, &ECHOING).await?;
    let tmux = Tmux::start(&world, SIZE, &ECHOING)?;
    let mut echoing = world.command(ECHOING[0]);
    echoing.args(&ECHOING[1..]);
    let mut bare = Pty::start(&echoing)?;
    let mut theirs = tmux.attach()?;
    let mut attached = keeper.attach()?;
    let mut through_api = Terminal::open(&world, &id)?;
    let mut all: [(&mut dyn Typed, Samples); 4] = [
        (&mut bare, Samples::default()),
        (&mut theirs, Samples::default()),
        (&mut attached, Samples::default()),
        (&mut through_api, Samples::default()),
    ];
    for (typed, _) in &mut all {
        typed.until(b"ready")?;
        type_keys(*typed, 20)?;
    }
    for _ in 0..TURNS {
        for (typed, samples) in &mut all {
            samples.join(&type_keys(*typed, scale.keys)?);
        }
    }
    for (percent, api_goal) in [(50, 2.0), (99, 3.0)] {
        let [bare, theirs, attached, api] = [0, 1, 2, 3].map(|n| all[n].1.percentile(percent));
        let beside = [("tmux with one client", theirs), ("a bare terminal", bare)];
        let what = format!("key to echo, p{percent}, `downbeat attach`");
        report.add(Line::new(&what, Unit::Ms, attached, &beside, Goal::Times(1.2)));
        let what = format!("key to echo, p{percent}, through the API");
        report.add(Line::new(&what, Unit::Ms, api, &beside, Goal::Times(api_goal)));
    }
    drop(all);
    drop(attached);
    keeper.end().await
}
