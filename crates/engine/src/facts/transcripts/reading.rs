//! Reads files piece by piece and turns what they tell into pages of the chronicle. Bounded: one
//! piece is in memory at a time, of any file.

use crate::facts::limits::Refusal;
use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use downbeat_agents::Manifest;
use downbeat_agents::transcript::{Entry, LONGEST, Place, What};
use downbeat_model::SessionId;
use downbeat_store::chronicle::{Answer, Owner, Pages, Text, Tokens, Transcript, Used};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

pub(crate) async fn follow(engine: &Engine, id: &SessionId, path: PathBuf, sub_agent: bool) {
    let Some(text) = path.to_str().map(str::to_owned) else {
        return;
    };
    if !engine.transcripts.note(id, path) {
        return;
    }
    let followed = engine.transcripts.chronicle.follow(id, &text, sub_agent);
    if let Err(error) = followed.await {
        tracing::warn!(session = %id, "the transcript {text} is not followed: {error}");
    }
}

/// Bytes that are read at once: what one transaction writes down.
const PIECE: usize = 1 << 20;

/// Bytes of one session's transcripts after which others have their turn.
const SHARE: usize = 16 << 20;

/// What is new in a file at once and is passed over: no agent writes so much between two looks.
const TOO_MUCH: u64 = 1 << 30;

/// Characters of one text that can be found; what is longer is a paste.
const FINDABLE: usize = 100_000;

/// What a read gave, beyond what it wrote down.
#[derive(Debug, Default)]
pub struct New {
    /// Whether there was anything.
    pub is_new: bool,
    /// The error that the agent itself, no sub-agent, got last, where nothing came after it.
    pub refused: Option<Refusal>,
    /// The sub-agents, by their own ids, whose last turn an error ended.
    pub failed: Vec<String>,
}

/// Reads all transcripts of a session to their ends. `first` for the first time in this engine: the one
/// before may have ended between noting how far it read and telling what it read.
pub async fn all(engine: &Engine, id: &SessionId, first: bool, turn: &mut Turn<'_>) -> Result<New, ApiError> {
    let row = engine.row(id)?;
    let agent = engine.agent(&row.agent)?;
    if !downbeat_agents::has_transcripts(&agent) {
        return Ok(New::default());
    }
    let chronicle = &engine.transcripts.chronicle;
    let mut files = chronicle.transcripts(id).await.map_err(error::store)?;
    let below = {
        let (agent, files) = (Arc::clone(&agent), files.clone());
        let main = move |file: &&Transcript| !file.sub_agent;
        blocking::blocking(move || -> Vec<PathBuf> {
            let main = files.iter().filter(main);
            main.flat_map(|file| downbeat_agents::sub_agent_transcripts(&agent, &file.path))
                .collect()
        })
        .await?
    };
    for path in below {
        if files.iter().all(|file| file.path != path) {
            follow(engine, id, path, true).await;
            files = chronicle.transcripts(id).await.map_err(error::store)?;
        }
    }
    let owner = Owner {
        session: id,
        project: &row.project_id,
    };
    let mut all = New::default();
    for file in files {
        let one = one(engine, owner, &agent, file, first, turn).await?;
        all.is_new |= one.is_new;
        all.refused = one.refused.or(all.refused);
        all.failed.extend(one.failed);
    }
    Ok(all)
}

/// A piece of a file.
pub(crate) enum Piece {
    /// There is nothing new, or no file.
    Nothing,
    /// It is shorter than what was read of it: another file.
    Another,
    /// More is new than is read. It has this length.
    TooMuch(u64),
    /// What follows.
    Bytes(Vec<u8>),
}

/// Reads one transcript to its end.
async fn one(
    engine: &Engine,
    owner: Owner<'_>,
    agent: &Arc<Manifest>,
    file: Transcript,
    first: bool,
    turn: &mut Turn<'_>,
) -> Result<New, ApiError> {
    let mut place: Place = serde_json::from_str(&file.place).unwrap_or_default();
    let (mut room, mut afresh, mut new) = (PIECE, false, New::default());
    if first && file.sub_agent && place.failed {
        new.failed.push(place.conversation.clone());
    }
    loop {
        let (path, offset) = (file.path.clone(), place.offset);
        let bytes = match blocking::blocking(move || piece(&path, offset, room)).await? {
            Piece::Nothing => return Ok(new),
            Piece::Another => {
                (place, afresh) = (Place::default(), true);
                continue;
            }
            Piece::TooMuch(length) => {
                tracing::warn!(session = %owner.session, "{length} bytes of {} are passed over", file.path.display());
                (place.offset, place.skipping) = (length, true);
                let place = serde_json::to_string(&place).unwrap_or_default();
                let pages = Pages {
                    place,
                    ..Pages::default()
                };
                let written = engine.transcripts.chronicle.write(owner, file.id, &pages, afresh);
                written.await.map_err(error::store)?;
                return Ok(new);
            }
            Piece::Bytes(bytes) => bytes,
        };
        turn.read(bytes.len()).await;
        let (is_whole, agent, sub_agent) = (bytes.len() < room, Arc::clone(agent), file.sub_agent);
        let read = blocking::blocking(move || pages(&agent, place, &bytes, sub_agent)).await?;
        let (pages, reached, last) = read;
        let is_stuck = reached.offset == offset;
        place = reached;
        if is_stuck && is_whole {
            // Its last line is still being written.
            return Ok(new);
        }
        if is_stuck {
            room = (room * 4).min(LONGEST);
            continue;
        }
        room = PIECE;
        let written = engine.transcripts.chronicle.write(owner, file.id, &pages, afresh);
        written.await.map_err(error::store)?;
        (afresh, new.is_new) = (false, true);
        match last {
            Last::Nothing => {}
            Last::Other => (new.refused, new.failed) = (None, Vec::new()),
            // A sub-agent's file is named by it, and tells of nothing else.
            Last::Refused(refusal) if file.sub_agent => {
                new.failed = refusal
                    .ends_turn
                    .then(|| place.conversation.clone())
                    .into_iter()
                    .collect();
            }
            Last::Refused(refusal) => new.refused = Some(refusal),
        }
    }
}

fn piece(path: &Path, offset: u64, room: usize) -> Piece {
    // A path comes from outside: what is no file, a pipe say, is not read, nor waited for.
    let Ok((file, length)) = downbeat_files::open_linked(path) else {
        return Piece::Nothing;
    };
    match length.checked_sub(offset) {
        None => return Piece::Another,
        Some(0) => return Piece::Nothing,
        Some(new) if new > TOO_MUCH => return Piece::TooMuch(length),
        Some(_) => {}
    }
    let mut bytes = Vec::new();
    let read = || -> std::io::Result<usize> {
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        file.take(room as u64).read_to_end(&mut bytes)
    };
    match read() {
        Ok(0) | Err(_) => Piece::Nothing,
        Ok(_) => Piece::Bytes(bytes),
    }
}

/// A place among the few that read, given back now and then.
pub struct Turn<'a> {
    pub(crate) of: &'a Semaphore,
    pub(crate) place: Option<SemaphorePermit<'a>>,
    pub(crate) read: usize,
}

impl<'a> Turn<'a> {
    /// Waits for one.
    pub async fn of(of: &'a Semaphore) -> Self {
        let place = of.acquire().await.ok();
        Self { of, place, read: 0 }
    }

    /// Counts what was read. After a share of it whoever waits goes first.
    pub(crate) async fn read(&mut self, bytes: usize) {
        self.read += bytes;
        if self.read >= SHARE {
            self.place = None;
            *self = Self::of(self.of).await;
        }
    }
}

/// The last thing in a piece of the agent itself or, in a sub-agent's file, of that.
pub(crate) enum Last {
    /// There is none.
    Nothing,
    /// It got an error.
    Refused(Refusal),
    /// Something else.
    Other,
}

/// What `bytes` tell, the place behind them, and what comes last.
fn pages(agent: &Manifest, mut place: Place, bytes: &[u8], sub_agent: bool) -> (Pages, Place, Last) {
    let (mut pages, mut last) = (Pages::default(), Last::Nothing);
    let zone = TimeZone::system();
    downbeat_agents::read_transcript(agent, &mut place, bytes, |entry| {
        if sub_agent || !entry.sub_agent {
            last = match &entry.what {
                What::Refused(text) | What::Failed(text) => Last::Refused(Refusal {
                    text: text.clone(),
                    at: entry.at.unwrap_or_else(Timestamp::now),
                    ends_turn: matches!(entry.what, What::Failed(_)),
                }),
                // What was used is summed up behind the error.
                What::Used(_) => std::mem::replace(&mut last, Last::Nothing),
                What::Said(_) | What::Answered { .. } | What::Called { .. } => Last::Other,
            };
        }
        add(&mut pages, entry, sub_agent, &zone);
    });
    match &last {
        Last::Nothing => {}
        Last::Other => place.failed = false,
        Last::Refused(refusal) => place.failed = refusal.ends_turn,
    }
    pages.place = serde_json::to_string(&place).unwrap_or_default();
    (pages, place, last)
}

fn add(pages: &mut Pages, entry: Entry, sub_agent: bool, zone: &TimeZone) {
    let at = entry.at;
    let mut find = |kind, text: &str| {
        let text = findable(text);
        if !text.trim().is_empty() {
            pages.texts.push(Text { kind, at, text });
        }
    };
    match entry.what {
        What::Said(text) => find("said", &text),
        What::Called { tool, about } => find("called", &format!("{tool} {about}")),
        What::Refused(_) | What::Failed(_) => {}
        What::Answered { message, text } => {
            find("answered", &text);
            if !sub_agent && !entry.sub_agent {
                answered(&mut pages.answer, Answer { message, text, at });
            }
        }
        What::Used(tokens) => pages.used.push(Used {
            key: tokens.key,
            day: at.unwrap_or_else(Timestamp::now).to_zoned(zone.clone()).date(),
            model: tokens.model,
            tokens: Tokens {
                input: tokens.input,
                cached: tokens.cached,
                written: tokens.written,
                output: tokens.output,
            },
        }),
    }
}

/// An answer takes the place of the one before; a further piece goes on with it.
fn answered(last: &mut Option<Answer>, new: Answer) {
    match last {
        Some(last) if !new.message.is_empty() && last.message == new.message => {
            last.text.push('\n');
            last.text.push_str(&new.text);
            last.at = new.at;
        }
        last => *last = Some(new),
    }
}

/// A text without control characters.
fn findable(text: &str) -> String {
    let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().filter(shown).take(FINDABLE).collect()
}

#[cfg(test)]
mod tests {
    use super::{PIECE, Piece, SHARE, TOO_MUCH, Turn, pages, piece};
    use downbeat_agents::transcript::Place;
    use serde_json::json;
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn who_reads_much_gives_its_place_back_to_those_who_wait() {
        let places = Semaphore::new(1);
        let mut long = Turn::of(&places).await;
        let mut other = std::pin::pin!(Turn::of(&places));
        assert!(futures_util::poll!(&mut other).is_pending());
        let mut reads = std::pin::pin!(async {
            for _ in 0..3 {
                long.read(SHARE / 2).await;
            }
        });
        assert!(
            futures_util::poll!(&mut reads).is_pending(),
            "the other one is first"
        );
        drop(other.await);
        reads.await;
    }

    #[test]
    fn a_file_without_measure_is_passed_over_and_a_pipe_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("big.jsonl");
        std::fs::File::create(&path)
            .unwrap()
            .set_len(TOO_MUCH + 5)
            .unwrap();
        assert!(matches!(piece(&path, 0, PIECE), Piece::TooMuch(length) if length == TOO_MUCH + 5));
        assert!(matches!(piece(&path, TOO_MUCH, PIECE), Piece::Bytes(bytes) if bytes.len() == 5));
        assert!(matches!(piece(&path, TOO_MUCH + 6, PIECE), Piece::Another));
    }

    #[test]
    fn that_an_error_ended_a_sub_agents_turn_is_kept_with_the_place_until_it_goes_on() {
        let agents = downbeat_agents::Agents::new("/bin/sh", []);
        let codex = agents.get("codex").unwrap();
        let failed = json!({ "type": "event_msg", "payload": { "type": "task_complete", "error": { "message": "no" } } });
        let goes_on = json!({ "type": "response_item", "payload": {
            "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "on" }],
        } });
        let mut place = Place::default();
        for (line, is_failed) in [(&failed, true), (&goes_on, false), (&failed, true)] {
            let (written, reached, _) = pages(codex, place, format!("{line}\n").as_bytes(), true);
            assert_eq!(reached.failed, is_failed, "{line}");
            // As the next engine reads it.
            place = serde_json::from_str(&written.place).unwrap();
            assert_eq!(place, reached);
        }
    }
}
