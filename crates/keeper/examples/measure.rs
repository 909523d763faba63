//! Measures a keeper against tmux and a bare PTY reader; prints one JSON line per measurement.
//! `measure [drain|idle|attach|echo]…`, all without arguments. Build with `--release`, together
//! with the `keeper` example, which it starts.

use downbeat_keeper::{EntryKind, Limits, Report, Spec, StepSpec, attach_blocking, connect, launch};
use downbeat_model::id::SessionId;
use downbeat_model::terminal::{Frame, Input};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::error::Error;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

type Done<T> = Result<T, Box<dyn Error>>;

const MEGABYTES: usize = 200;

fn main() -> Done<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let runtime = tokio::runtime::Runtime::new()?;
    if all("drain") {
        let file = mixed(MEGABYTES << 20)?;
        for _ in 0..3 {
            let bare = bare(&file)?;
            let tmux = tmux(&file)?;
            let keeper = runtime.block_on(drain(&file))?;
            say("drain_bare_ms", bare);
            say("drain_tmux_ms", tmux);
            say("drain_keeper_ms", keeper);
            println!("{{\"name\":\"drain_times_tmux\",\"value\":{:.2}}}", tmux / keeper);
            println!("{{\"name\":\"drain_of_bare\",\"value\":{:.2}}}", bare / keeper);
        }
    }
    if all("idle") || all("attach") || all("echo") {
        runtime.block_on(live())?;
    }
    Ok(())
}

fn say(name: &str, value: f64) {
    println!("{{\"name\":\"{name}\",\"value\":{value:.3}}}");
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Colours, UTF-8, redraws, long and short lines.
fn mixed(size: usize) -> Done<PathBuf> {
    let path = std::env::temp_dir().join(format!("downbeat-mixed-{size}"));
    if std::fs::metadata(&path).is_ok_and(|m| m.len() as usize >= size) {
        return Ok(path);
    }
    let mut block = Vec::new();
    for n in 0..4000u32 {
        match n % 8 {
            0 => writeln!(
                block,
                "\x1b[32m   Compiling\x1b[0m crate-{n} v1.{n}.0 (/home/me/work/crate-{n})\r"
            )?,
            1 => writeln!(
                block,
                "\x1b[1;38;5;{}merror[E{n:04}]\x1b[0m: mismatched types in `module::{n}`\r",
                n % 256
            )?,
            2 => writeln!(block, "  → «naïve café» 日本語テキスト {n} ✓ done\r")?,
            3 => write!(block, "\r\x1b[K[{n:>5}/4000] building … {}%", n / 40)?,
            4 => writeln!(
                block,
                "\r\n{}\r",
                "the quick brown fox jumps over the lazy dog ".repeat(3)
            )?,
            5 => write!(block, "\x1b[2A\x1b[38;2;10;{};90mstatus\x1b[m\x1b[2B\r", n % 256)?,
            6 => writeln!(
                block,
                "plain line number {n} of the build log, nothing special about it\r"
            )?,
            _ => writeln!(
                block,
                "{{\"level\":\"info\",\"n\":{n},\"msg\":\"request served\",\"ms\":{}}}\r",
                n % 97
            )?,
        }
    }
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    let mut written = 0;
    while written < size {
        file.write_all(&block)?;
        written += block.len();
    }
    file.flush()?;
    Ok(path)
}

fn bare(file: &Path) -> Done<f64> {
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size)?;
    let mut reader = pair.master.try_clone_reader()?;
    let start = Instant::now();
    let mut command = CommandBuilder::new("cat");
    command.arg(file);
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut buffer = vec![0; 64 << 10];
    while let Ok(1..) = reader.read(&mut buffer) {}
    child.wait()?;
    Ok(ms(start))
}

fn tmux(file: &Path) -> Done<f64> {
    let socket = format!("downbeat-measure-{}", std::process::id());
    let tmux = |args: &[&str]| {
        Command::new("tmux")
            .args(["-L", &socket, "-f", "/dev/null"])
            .args(args)
            .status()
    };
    tmux(&["new-session", "-d", "-x", "80", "-y", "24", "sleep 1000"])?;
    tmux(&["set-option", "-g", "history-limit", "10000"])?;
    let start = Instant::now();
    let script = format!("cat {}; tmux -L {socket} wait-for -S done", file.display());
    tmux(&["new-window", "-d", &script])?;
    tmux(&["wait-for", "done"])?;
    let took = ms(start);
    tmux(&["kill-server"])?;
    Ok(took)
}

fn spec(id: &SessionId, argv: &[&str]) -> Spec {
    let env = vec![
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
        ("TERM".to_owned(), "xterm-256color".to_owned()),
        ("DOWNBEAT_SESSION".to_owned(), id.to_string()),
    ];
    let argv = argv.iter().map(|&a| a.to_owned()).collect();
    let step = StepSpec {
        name: "agent".into(),
        argv,
        env,
        cwd: "/".into(),
    };
    Spec {
        id: id.clone(),
        cols: 80,
        rows: 24,
        steps: vec![step],
        limits: Limits::default(),
    }
}

fn keeper() -> Done<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("keeper"))
}

async fn ended(reports: &mut tokio::sync::mpsc::Receiver<Report>) {
    while let Some(report) = reports.recv().await {
        if matches!(report, Report::Entry(entry) if matches!(entry.what, EntryKind::Ended { .. })) {
            return;
        }
    }
}

async fn drain(file: &Path) -> Done<f64> {
    let id = SessionId::random().map_err(|e| e.to_string())?;
    let dir = std::env::temp_dir().join(format!("downbeat-measure-{id}"));
    let start = Instant::now();
    let (link, mut reports) = launch(&keeper()?, &dir, &spec(&id, &["cat", &file.to_string_lossy()])).await?;
    ended(&mut reports).await;
    let took = ms(start);
    say("keeper_pss_after_drain_kb", pss(link.hello().pid));
    link.close().await?;
    std::fs::remove_dir_all(dir)?;
    Ok(took)
}

fn pss(pid: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text
        .lines()
        .find(|line| line.starts_with("Pss:"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or_default()
}

async fn live() -> Done<()> {
    let id = SessionId::random().map_err(|e| e.to_string())?;
    let dir = std::env::temp_dir().join(format!("downbeat-measure-{id}"));
    let (link, _reports) = launch(&keeper()?, &dir, &spec(&id, &["cat"])).await?;
    say("idle_pss_kb", pss(link.hello().pid));
    echo(&dir)?;
    link.kill(Duration::from_secs(1)).await?;
    let lines = "i=0; while [ $i -lt 10100 ]; do i=$((i+1)); printf '%079d\\n' $i; done; cat";
    link.run(0, Some(spec(&id, &["sh", "-c", lines]).steps)).await?;
    while !link.text(3).await?.text.contains("10100") {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    say("full_pss_kb", pss(link.hello().pid));
    let mut times: Vec<f64> = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        let (mut frames, _inputs) = attach_blocking(&dir, None)?;
        while !matches!(frames.next_frame()?, Some(Frame::Snapshot { .. }) | None) {}
        times.push(ms(start));
    }
    times.sort_by(f64::total_cmp);
    say("attach_10000_lines_ms", times[times.len() / 2]);
    link.kill(Duration::ZERO).await?;
    connect(&dir).await?.0.close().await?;
    std::fs::remove_dir_all(dir)?;
    Ok(())
}

fn echo(dir: &Path) -> Done<()> {
    let (mut frames, mut inputs) = attach_blocking(dir, None)?;
    frames.next_frame()?;
    let mut times = Vec::new();
    for _ in 0..500 {
        std::thread::sleep(Duration::from_millis(2));
        let start = Instant::now();
        inputs.send(&Input::Data(b"x".to_vec()))?;
        loop {
            if let Some(Frame::Output { seq, data }) = frames.next_frame()? {
                times.push(ms(start));
                inputs.send(&Input::Ack {
                    seq: seq + data.len() as u64,
                })?;
                break;
            }
        }
    }
    times.sort_by(f64::total_cmp);
    say("echo_p50_ms", times[times.len() / 2]);
    say("echo_p99_ms", times[times.len() * 99 / 100]);
    Ok(())
}
