//! Measures searches for words in very many transcripts, through the API, against `grep` over the same text.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_model::{ProjectId, SessionId, TextKind};
use downbeat_store::chronicle::{Chronicle, Owner, Pages, Text};
use downbeat_tests::sandbox::Sandbox;
use serde_json::json;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

/// The number of sessions that the texts belong to.
const SESSIONS: usize = 20;

/// The number of texts that are written at a time.
const PAGE: usize = 500;

/// The number of words in a text.
const WORDS: u64 = 300;

/// The number of different words.
const VOCABULARY: u64 = 60_000;

/// The number of searches.
const QUESTIONS: u64 = 300;

/// One of this many searches is also run with `grep`, which takes long.
const GREPPED: u64 = 30;

/// Measures everything.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let (mut world, _, project) = engine::started_with(1).await?;
    let mut ids = Vec::new();
    for n in 0..SESSIONS {
        let body = json!({ "projectId": project, "title": format!("Said {n}"), "agent": "shell" });
        ids.push(engine::session(&world, body).await?);
    }
    engine::ask(&world, "POST", "/api/sessions/stop", Some(json!({ "all": true }))).await?;
    world.kill_engine();
    let plain = filled(&world, &project, &ids, scale.searched).await?;
    world.start().await;
    let (mut ours, mut theirs) = (Samples::new(), Samples::new());
    let (mut dice, mut found) = (Dice::new(7), 0);
    for n in 0..QUESTIONS {
        let words = question(&mut dice, n);
        let path = format!("/api/search?query={}", words.replace(' ', "%20"));
        let start = Instant::now();
        let hits = engine::ask(&world, "GET", &path, None).await?;
        ours.add(ms(start));
        found += u64::from(hits.as_array().is_some_and(|hits| !hits.is_empty()));
        if n % GREPPED == 0 {
            theirs.add(grep(&world, &plain, &words)?);
        }
    }
    // The rarest words may be missing in a small text.
    if found < QUESTIONS / 2 {
        return Err(format!("only {found} of {QUESTIONS} questions found something").into());
    }
    for percent in [50, 95] {
        let what = format!(
            "finding words in {} MB of transcripts, p{percent}",
            scale.searched >> 20
        );
        let beside = [("`grep` over the same text", theirs.percentile(percent))];
        let goal = if percent == 95 {
            Goal::Most(200.0)
        } else {
            Goal::Open
        };
        report.add(Line::new(
            &what,
            Unit::Ms,
            ours.percentile(percent),
            &beside,
            goal,
        ));
    }
    Ok(())
}

/// Returns rare words, two common ones, or beginnings as they occur while somebody types.
fn question(dice: &mut Dice, n: u64) -> String {
    match n % 4 {
        0 => word(VOCABULARY / 2 + dice.below(VOCABULARY / 8)),
        1 => format!("{} {}", word(dice.below(200)), word(dice.below(200))),
        2 => word(dice.below(2000)).chars().take(3).collect(),
        _ => word(dice.below(50)).chars().take(1).collect(),
    }
}

/// Writes the transcripts where the engine finds them, and once more as plain text.
async fn filled(world: &Sandbox, project: &str, ids: &[String], size: usize) -> Done<std::path::PathBuf> {
    let plain = world.path().join("plain.txt");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&plain)?);
    let chronicle = Chronicle::open(&world.data().join("chronicle.db")).await?;
    let project = ProjectId::parse(project).ok_or("no project")?;
    let ids: Vec<_> = ids.iter().filter_map(|id| SessionId::parse(id)).collect();
    let (mut written, mut dice) = (0, Dice::new(1));
    for (id, page) in ids.iter().cycle().zip(0_usize..) {
        if written >= size {
            break;
        }
        if page < ids.len() {
            chronicle
                .follow(id, &format!("/transcripts/{id}.jsonl"), false)
                .await?;
        }
        let transcripts = chronicle.transcripts(id).await?;
        let transcript = transcripts.first().ok_or("no transcript")?.id;
        let texts: Vec<Text> = (0..PAGE).map(|_| text(&mut dice)).collect();
        for text in &texts {
            written += text.text.len();
            writeln!(file, "{}", text.text)?;
        }
        let pages = Pages {
            place: "{}".into(),
            used: Vec::new(),
            texts,
            answer: None,
        };
        let owner = Owner {
            session: id,
            project: &project,
        };
        chronicle.write(owner, transcript, &pages, false).await?;
    }
    chronicle.close().await;
    file.flush()?;
    Ok(plain)
}

fn text(dice: &mut Dice) -> Text {
    let mut text = String::new();
    for _ in 0..WORDS {
        text.push_str(&word(dice.common()));
        text.push(' ');
    }
    Text {
        kind: TextKind::Answered,
        at: None,
        text,
    }
}

/// Returns the nth word: common ones are short, and no two are the same.
fn word(n: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "ba", "co", "di", "fe", "gu", "ha", "jo", "ki", "le", "mu", "na", "po", "ri", "se", "tu", "vo",
    ];
    let mut word = String::new();
    let mut left = n + 16;
    while left > 0 {
        word.push_str(SYLLABLES[usize::try_from(left % 16).unwrap_or(0)]);
        left /= 16;
    }
    word
}

/// Random numbers that are the same in each run.
pub struct Dice(u64);

impl Dice {
    /// Creates numbers that differ for each seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number from 0 to below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// Returns a word distributed as in language: the nth most common one occurs about 1/n as often as
    /// the first.
    fn common(&mut self) -> u64 {
        let share = self.below(1 << 24) as f64 / f64::from(1 << 24);
        ((VOCABULARY as f64).powf(share) as u64).min(VOCABULARY) - 1
    }
}

/// Measures the milliseconds that `grep` takes to count the lines with the first of these words.
fn grep(world: &Sandbox, plain: &std::path::Path, words: &str) -> Done<f64> {
    let first = words.split(' ').next().unwrap_or_default();
    let start = Instant::now();
    let mut command = world.command("grep");
    command
        .args(["-c", "-i", "-F", first])
        .arg(plain)
        .env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    Ok(ms(start))
}
