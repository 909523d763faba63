//! Measures how fast a flood of output is read, with nobody attached and with one client.

use crate::done::Done;
use crate::keeper::Keeper;
use crate::pty::{Pty, SIZE};
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use crate::tmux::Tmux;
use crate::{engine, sample};
use downbeat_keeper::Screen;
use downbeat_tests::sandbox::Sandbox;
use std::path::Path;
use std::time::Instant;

/// The text that the program prints after it has written everything.
const DRAINED: &str = "DRAINED";

/// The text that the program prints before it starts.
const WAITING: &str = "waiting";

/// The number of bytes at the end of the flood that determine the last screen.
const DECISIVE: usize = 1 << 20;

fn title(scale: &Scale, who: &str) -> String {
    format!("draining {} MB of mixed output, {who}", scale.drained >> 20)
}

/// Measures with nobody attached.
pub async fn unwatched(scale: &Scale, report: &mut Report) -> Done<()> {
    let world = Sandbox::new();
    let file = sample::mixed(world.path(), scale.drained)?;
    let (mut ours, mut theirs, mut floor) = (Samples::default(), Samples::default(), Samples::default());
    for _ in 0..scale.rounds {
        floor.add(bare(&world, &file)?);
        theirs.add(detached(&world, &file)?);
        ours.add(kept(&world, &file).await?);
    }
    report.add(Line::new(
        &title(scale, "nobody attached, transcript on"),
        Unit::Ms,
        ours.median(),
        &[("tmux", theirs.median()), ("a bare reader", floor.median())],
        Goal::Faster(2.5),
    ));
    Ok(())
}

fn bare(world: &Sandbox, file: &Path) -> Done<f64> {
    let mut command = world.command("cat");
    command.arg(file);
    let start = Instant::now();
    Pty::start(&command)?.drain();
    Ok(ms(start))
}

fn detached(world: &Sandbox, file: &Path) -> Done<f64> {
    let tmux = Tmux::start(world, SIZE, &["sleep", "1000"])?;
    let done = tmux.command(&["wait-for", "-S", "done"]);
    let mut script = vec!["new-window", "-d", "sh", "-c", "cat \"$0\"; exec \"$@\""];
    let file = file.to_string_lossy();
    script.push(&file);
    let signal: Vec<_> = std::iter::once(done.get_program())
        .chain(done.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    script.extend(signal.iter().map(String::as_str));
    let start = Instant::now();
    tmux.run(&script)?;
    tmux.run(&["wait-for", "done"])?;
    Ok(ms(start))
}

async fn kept(world: &Sandbox, file: &Path) -> Done<f64> {
    let start = Instant::now();
    let mut keeper = Keeper::start(world, &["cat", &file.to_string_lossy()]).await?;
    keeper.ended().await?;
    let took = ms(start);
    keeper.end().await?;
    Ok(took)
}

/// Measures with one client attached, in a terminal that draws everything it receives.
pub async fn watched(scale: &Scale, report: &mut Report) -> Done<()> {
    let world = engine::world()?;
    let file = sample::mixed(world.path(), scale.drained)?;
    let script = format!("printf {WAITING}; read _; cat \"$0\"; printf '\\r\\n{DRAINED}'; exec cat");
    let path = file.to_string_lossy();
    let program = ["sh", "-c", &script, &path];
    let wanted = last_screen(&file)?;
    let (mut ours, mut theirs) = (Samples::default(), Samples::default());
    for _ in 0..scale.rounds {
        {
            let tmux = Tmux::start(&world, SIZE, &program)?;
            theirs.add(drawn(tmux.attach()?, "tmux", &wanted)?);
        }
        let keeper = Keeper::start(&world, &program).await?;
        ours.add(drawn(keeper.attach()?, "downbeat attach", &wanted)?);
        keeper.end().await?;
    }
    report.add(Line::new(
        &title(scale, "one client attached, until its screen is the last one"),
        Unit::Ms,
        ours.median(),
        &[("tmux with one client", theirs.median())],
        Goal::Faster(2.0),
    ));
    Ok(())
}

fn drawn(mut client: Pty, name: &str, wanted: &str) -> Done<f64> {
    let (cols, rows) = SIZE;
    client.until(WAITING.as_bytes())?;
    let mut screen = Screen::new(cols, rows, 0);
    let start = Instant::now();
    client.press(b"\r")?;
    client.draw_until(&mut screen, DRAINED)?;
    let took = ms(start);
    let shown = visible(&mut screen);
    if shown != wanted {
        return Err(format!("{name} ended with another screen:\n{shown}\n--- wanted:\n{wanted}").into());
    }
    Ok(took)
}

/// Returns the text of the screen after the whole flood.
fn last_screen(file: &Path) -> Done<String> {
    let (cols, rows) = SIZE;
    let bytes = std::fs::read(file)?;
    let mut screen = Screen::new(cols, rows, 0);
    drop(screen.feed(&bytes[bytes.len().saturating_sub(DECISIVE)..]));
    drop(screen.feed(format!("\r\n{DRAINED}").as_bytes()));
    Ok(visible(&mut screen))
}

/// Returns the rows of a screen as text, without scrollback.
fn visible(screen: &mut Screen) -> String {
    let (cols, rows) = SIZE;
    let mut copy = Screen::new(cols, rows, 0);
    drop(copy.feed(&screen.snapshot(0)));
    copy.text(rows.into())
}
