//! Reads transcript files piece by piece and turns their entries into pages of the chronicle. Only one piece
//! of a file is in memory at a time.

use crate::host::blocking;
use crate::state::context::Engine;
use crate::state::error;
use crate::state::transcripts::Refusal;
use downbeat_agents::Manifest;
use downbeat_agents::transcript::{Entry, LONGEST, Place, What};
use downbeat_model::{SessionId, TextKind};
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
        tracing::warn!(session = %id, "the transcript {text} cannot be followed: {error}");
    }
}

/// The number of bytes that are read at once and written in one transaction.
const PIECE: usize = 1 << 20;

/// The number of bytes of one session's transcripts after which other sessions have their turn.
const SHARE: usize = 16 << 20;

/// The amount of new data in one file, in bytes, above which it is skipped: no agent writes so much between
/// two looks.
const TOO_MUCH: u64 = 1 << 30;

/// The number of characters of one text that can be searched; longer texts are pastes.
const FINDABLE: usize = 100_000;

/// The result of a read, besides what it wrote down.
#[derive(Debug, Default)]
pub struct New {
    /// Whether there was anything new.
    pub is_new: bool,
    /// The last error of the agent itself, not of a sub-agent, if nothing came after it.
    pub refused: Option<Refusal>,
    /// Whether the agent itself went on: what comes last is no error.
    pub goes_on: bool,
    /// The sub-agents, by their own ids, whose last turn ended in an error.
    pub failed: Vec<String>,
}

/// Reads all transcripts of a session to their ends. `first` is set for the first read by this engine: the
/// previous one may have died after it recorded its position and before it reported what it had read.
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
        all.goes_on |= one.goes_on;
        all.failed.extend(one.failed);
    }
    Ok(all)
}

/// A piece of a file.
pub(crate) enum Piece {
    /// There is nothing new, or no file.
    Nothing,
    /// The file is shorter than what was read of it, so it is another file.
    Another,
    /// There is too much new data. Holds the length of the file.
    TooMuch(u64),
    /// The bytes that follow.
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
                tracing::warn!(session = %owner.session, "skipped {length} bytes of {}", file.path.display());
                (place.offset, place.skipping) = (length, true);
                let pages = Pages {
                    place: serde_json::to_string(&place).unwrap_or_default(),
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
            // The last line is still being written.
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
        new.take_in(last, sub_agent, &place.conversation);
    }
}

impl New {
    /// Takes in what came last in a piece of a file: the agent's own, or that of a sub-agent.
    fn take_in(&mut self, last: Last, sub_agent: bool, conversation: &str) {
        match last {
            Last::Nothing => {}
            Last::Other => {
                (self.refused, self.failed) = (None, Vec::new());
                self.goes_on = !sub_agent;
            }
            // A sub-agent's file belongs to one conversation and covers nothing else.
            Last::Refused(refusal) if sub_agent => {
                let failed = refusal.ends_turn.then(|| conversation.to_owned());
                self.failed = failed.into_iter().collect();
            }
            Last::Refused(refusal) => (self.refused, self.goes_on) = (Some(refusal), false),
        }
    }
}

fn piece(path: &Path, offset: u64, room: usize) -> Piece {
    // The path comes from outside: anything but a regular file, such as a pipe, is neither read nor waited
    // for.
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

/// A reader's permit, one of a few; it is released now and then.
pub struct Turn<'a> {
    pub(crate) of: &'a Semaphore,
    pub(crate) place: Option<SemaphorePermit<'a>>,
    pub(crate) read: usize,
}

impl<'a> Turn<'a> {
    /// Waits for a permit.
    pub async fn of(of: &'a Semaphore) -> Self {
        let place = of.acquire().await.ok();
        Self { of, place, read: 0 }
    }

    /// Counts the bytes that were read. After each share, waiting readers go first.
    pub(crate) async fn read(&mut self, bytes: usize) {
        self.read += bytes;
        if self.read >= SHARE {
            self.place = None;
            *self = Self::of(self.of).await;
        }
    }
}

/// The last entry in a piece of the agent itself or, in a sub-agent's file, of that sub-agent.
pub(crate) enum Last {
    /// There is none.
    Nothing,
    /// The model returned an error.
    Refused(Refusal),
    /// Any other entry.
    Other,
}

/// Returns the contents of `bytes` as pages, the position after them, and the last entry.
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
                // Usage is summed up after the error.
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
        What::Said(text) => find(TextKind::Said, &text),
        What::Called { tool, about } => find(TextKind::Called, &format!("{tool} {about}")),
        What::Refused(_) | What::Failed(_) => {}
        What::Answered { message, text } => {
            find(TextKind::Answered, &text);
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

/// Replaces the previous answer, or appends a further piece of the same one.
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

/// Returns a text without control characters, cut to [`FINDABLE`].
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
    async fn a_long_read_yields_its_place_to_those_who_wait() {
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
    fn a_huge_file_is_skipped() {
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
    fn a_failed_sub_agent_is_kept_with_the_position_until_it_continues() {
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
