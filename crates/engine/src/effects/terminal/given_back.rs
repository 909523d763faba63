//! Handles text of ours that is in an agent's prompt without a turn: a prompt that the agent put back
//! when its turn was interrupted, or text that an engine left there when it died. What was given back is not
//! part of the conversation: it is sent again before the interrupting message, or reported as interrupted.
//! Typing is done in [`crate::effects::terminal::typing`].

use crate::decide::{mailbox, message_turns, observe};
use crate::host::failpoint::point;
use crate::keepers::screen;
use crate::keepers::screen::link;
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_keeper::{Link, Text};
use downbeat_model::{
    About, Activity, Evidence, EvidenceSource, Fact, FactKind, MessageState, Observed, Sender, SessionId,
    Status, When,
};
use downbeat_store::{MessageRow, SessionRow};
use downbeat_wire::ApiError;
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long an agent has to draw the prompt after an interrupt, with what it gives back or empty.
pub const DRAWN: Duration = Duration::from_secs(1);

/// How long a screen may lag behind the key that empties the prompt. Some agents exit on a second such key
/// that comes sooner.
const CLEARED: Duration = Duration::from_secs(3);

/// The interval between two looks at the prompt.
const LOOK: Duration = Duration::from_millis(50);

/// How long a screen may lag behind the hook that reports a prompt as taken.
const BEHIND: Duration = Duration::from_secs(2);

/// A prompt that an agent gave back.
enum Back {
    /// A message of the queue, by its number and text.
    Message(i64, String),
    /// The prompt that the session was started with.
    Task(String),
}

/// Returns the text of ours in the prompt, if it was the agent's last prompt: its turn was interrupted.
fn given_back(engine: &Engine, row: &SessionRow, agent: &Manifest, shown: &Text) -> Option<Back> {
    let in_prompt = downbeat_agents::prompt_text(agent, &shown.text).filter(|text| !text.is_empty())?;
    let state = engine.ledger.state();
    let prompt = mailbox::last_prompt(&state, &row.id);
    let is_back = |text: &str| is_back(agent, &in_prompt, prompt.as_deref(), text);
    let taken = |state| matches!(state, MessageState::Delivered | MessageState::Interrupted);
    let queue = state.queues.get(&row.id);
    let queue = || queue.into_iter().flat_map(|queue| queue.iter());
    if queue().any(|message| message.state == MessageState::Typing) {
        // The prompt contains what an engine typed, possibly after text that was given back earlier.
        return None;
    }
    let last = queue()
        .filter(|message| taken(message.state))
        .max_by_key(|message| message.changed_at);
    if let Some(message) = last.filter(|message| is_back(&message.text)) {
        return Some(Back::Message(message.id, message.text.clone()));
    }
    let waits = |message: &Arc<MessageRow>| message.state.is_open() && message.text.starts_with(&row.task);
    let is_task = is_back(&row.task) && !queue().any(waits);
    is_task.then(|| Back::Task(row.task.clone()))
}

/// The length in characters below which every agent shows a single line verbatim. OpenCode replaces a paste
/// by a mark from 150 characters on, Claude Code from 800.
const SHORT: usize = 150;

/// Whether the text `in_prompt` can be our `text`: the screen may show it, and the agent's last prompt, if
/// known, is the same. A paste mark may stand for any text except one short line.
fn is_back(agent: &Manifest, in_prompt: &str, last: Option<&str>, text: &str) -> bool {
    let is_short = !text.contains('\n') && text.chars().count() < SHORT;
    let may_be = !is_short || !downbeat_agents::stands_for_paste(agent, in_prompt);
    may_be
        && downbeat_agents::prompt_holds(agent, in_prompt, text)
        && last.is_none_or(|last| downbeat_agents::is_same_prompt(text, last))
}

/// The action for a prompt that the agent gave back.
#[derive(Clone, Copy)]
enum Then {
    /// Send it before the message that interrupted its turn.
    Before(i64),
    /// Queue it before all other messages, because its session is paused.
    Again,
    /// Leave it in the prompt and mark its message as interrupted, because a person interrupted the turn.
    Told,
}

impl Then {
    /// Chooses by what the session waits for, when nobody knows any more who interrupted.
    pub(crate) fn of(engine: &Engine, row: &SessionRow) -> Self {
        if row.hold.pause.is_some() {
            return Self::Again;
        }
        let state = engine.ledger.state();
        match mailbox::open(&state, &row.id).next() {
            Some(next) if next.state == MessageState::Queued && next.mode == When::Now => {
                Self::Before(next.id)
            }
            _ => Self::Told,
        }
    }
}

/// Checks whether the agent gave back the prompt of a turn that Downbeat interrupted, for the message `next`
/// or for a pause. Such a prompt is taken out and sent again: before `next`, or when the session continues.
/// Any other text may be a person's and stays.
pub async fn take(
    engine: &Engine,
    row: &SessionRow,
    agent: &Manifest,
    link: &Link,
    next: Option<i64>,
) -> Result<(), ApiError> {
    if agent.clear.is_none() {
        return Ok(());
    }
    tokio::time::sleep(DRAWN).await;
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    let shown = screen::look(engine, &row.id, link).await;
    let shown = shown.map_err(crate::state::error::keeper)?;
    match given_back(engine, row, agent, &shown) {
        Some(back) => {
            let then = next.map_or(Then::Again, Then::Before);
            comes_back(engine, row, agent, link, &shown, (back, then), None).await
        }
        None => Ok(()),
    }
}

/// Records what happens to a prompt that was given back, together with the `end` of its turn if that was not
/// known, and takes it out of the prompt unless a person wrote in it.
async fn comes_back(
    engine: &Engine,
    row: &SessionRow,
    agent: &Manifest,
    link: &Link,
    shown: &Text,
    (back, then): (Back, Then),
    end: Option<Fact>,
) -> Result<(), ApiError> {
    let is_theirs = shown.typed.is_some_and(|typed| typed.stands) || agent.clear.is_none();
    let in_prompt = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
    // Nobody knows what the mark stands for.
    let is_doubtful = downbeat_agents::stands_for_paste(agent, &in_prompt)
        && mailbox::last_prompt(&engine.ledger.state(), &row.id).is_none();
    let is_told = matches!(then, Then::Told);
    let stays = is_theirs || is_doubtful || is_told || screen::asks(engine, row, link).await?;
    // Recorded first: after a crash in between, the text is still in the prompt and is found there.
    let noted = engine.ledger.write(|draft| {
        if let Some(end) = &end {
            observe::note(draft, &row.id, end)?;
        }
        let comes_before = match (&back, then) {
            (Back::Message(id, _), _) if message_turns::comes_with_another(draft, &row.id, *id) => true,
            (Back::Message(_, text) | Back::Task(text), Then::Before(next)) if !stays => {
                message_turns::put_before(draft, &row.id, next, text)
            }
            _ => false,
        };
        let again = matches!(then, Then::Again) && !stays && !comes_before;
        if again {
            // The queued text is what continues the session.
            let hold = &mut draft.session(&row.id)?.hold;
            if let Some(pause) = &mut hold.pause {
                pause.interrupts = false;
            }
        }
        match &back {
            Back::Message(id, _) => {
                let detail = taken_back(agent);
                message_turns::interrupted(draft, &row.id, *id, &detail, again)
            }
            Back::Task(_) if comes_before || stays => Ok(()),
            Back::Task(text) => {
                let new = mailbox::New {
                    text: text.clone(),
                    sender: row.parent.clone().map_or(Sender::Person, Sender::Session),
                    when: When::WhenReady,
                    is_task: false,
                };
                mailbox::enqueue(draft, &row.id, new).map(drop)
            }
        }
    });
    noted.await?;
    point("message-given-back");
    if !stays {
        let is_same = |now: &Text| is_same(agent, shown, now);
        empty(engine, &row.id, agent, link, is_same).await?;
    }
    Ok(())
}

/// Whether the prompt still contains what was `seen` there, and nothing that somebody typed since.
fn is_same(agent: &Manifest, seen: &Text, now: &Text) -> bool {
    let in_prompt = |shown: &Text| downbeat_agents::prompt_text(agent, &shown.text);
    in_prompt(seen) == in_prompt(now) && !now.typed.is_some_and(|typed| typed.stands)
}

/// Empties the prompt if its content `is_ours`, and waits until that is drawn. Returns false if there was
/// nothing to take out, or if the prompt does not become empty. The key ends an agent whose prompt is already
/// empty, and screens lag behind, so it is pressed once and not again for a while. The caller must hold the
/// typing lock.
pub async fn empty(
    engine: &Engine,
    id: &SessionId,
    agent: &Manifest,
    link: &Link,
    is_ours: impl Fn(&Text) -> bool,
) -> Result<bool, ApiError> {
    let Some(clear) = agent.clear else {
        return Ok(false);
    };
    let live = engine.runtimes.of(id);
    if let Some(since) = live.since_cleared() {
        tokio::time::sleep(CLEARED.saturating_sub(since)).await;
    }
    let look = async || {
        screen::look(engine, id, link)
            .await
            .map_err(crate::state::error::keeper)
    };
    let shown = look().await?;
    // The key would deny a question.
    let asks = screen::asks(engine, &*engine.row(id)?, link).await?;
    if asks || screen::is_empty(agent, &shown) || !is_ours(&shown) {
        return Ok(false);
    }
    live.clear();
    let pressed = link.input(clear.bytes().into()).await;
    pressed.map_err(crate::state::error::keeper)?;
    let until = Instant::now() + CLEARED;
    while Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        if screen::is_empty(agent, &look().await?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn taken_back(agent: &Manifest) -> String {
    format!(
        "{} put it back into its prompt: its turn was interrupted",
        agent.name
    )
}

/// The reason to check a prompt for text that was given back.
#[derive(Debug, Clone, Copy)]
pub enum Look {
    /// A key ended a turn.
    Key,
    /// An engine that died may have pressed a key.
    Behind,
}

/// Checks a prompt in the background, so that callers need not wait until the agent has drawn it.
pub fn look_soon(engine: &Arc<Engine>, id: &SessionId, why: Look) {
    let (engine, id) = (Arc::clone(engine), id.clone());
    tokio::spawn(async move {
        let look = async {
            match why {
                Look::Key => look(&engine, &id).await,
                Look::Behind => look_behind(&engine, &id).await,
            }
        };
        tokio::select! {
            looked = look => if let Err(error) = looked {
                tracing::debug!(session = %id, "could not check its prompt: {error}");
            },
            () = engine.closing.cancelled() => {}
        }
    });
}

/// Handles a turn that a key interrupted, whoever pressed it: a message that the agent gave back is sent
/// again or reported.
async fn look(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, &row)?);
    if agent.prompt_box.is_none() {
        return Ok(());
    }
    tokio::time::sleep(DRAWN).await;
    let live = engine.runtimes.of(id);
    let _one_at_a_time = live.typing.lock().await;
    let shown = screen::look(engine, id, &link).await;
    let shown = shown.map_err(crate::state::error::keeper)?;
    let row = engine.row(id)?;
    match given_back(engine, &row, &agent, &shown) {
        // Text after a more recent key press was not given back.
        Some(back) if row.status != Status::Running && !was_touched(&shown, DRAWN) => {
            let then = Then::of(engine, &row);
            comes_back(engine, &row, &agent, &link, &shown, (back, then), None).await
        }
        _ => Ok(()),
    }
}

/// Finds a turn that an engine interrupted before it died, without having seen what the agent gave back. The
/// session's status says that it works, or that it rests after the turn, while its title rests and the turn's
/// message is in the prompt. That message is sent again or reported, as if the engine had seen it.
pub async fn look_behind(engine: &Engine, id: &SessionId) -> Result<(), ApiError> {
    let row = engine.row(id)?;
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, &row)?);
    if agent.prompt_box.is_none() || !was_cut(&row) {
        return Ok(());
    }
    let look = async || {
        screen::look(engine, id, &link)
            .await
            .map_err(crate::state::error::keeper)
    };
    let found = |shown: &Text| {
        let rests = downbeat_agents::title_works(&agent, &shown.title) == Some(false);
        let touched = since_its_end(&row).is_some_and(|ago| was_touched(shown, ago));
        given_back(engine, &row, &agent, shown).filter(|_| rests && !touched)
    };
    let first = look().await?;
    if found(&first).is_none() {
        return Ok(());
    }
    // The hook of a prompt may be ahead of the screen.
    tokio::time::sleep(BEHIND).await;
    let live = engine.runtimes.of(id);
    let _one_at_a_time = live.typing.lock().await;
    let now = engine.row(id)?;
    let shown = look().await?;
    let Some(back) = found(&shown).filter(|_| last_told(&now) == last_told(&row)) else {
        return Ok(());
    };
    let end = (now.status == Status::Running).then(|| Fact {
        at: Timestamp::now(),
        source: EvidenceSource::Title,
        detail: "the title shows it idle, and its last message is in its prompt again".into(),
        kind: FactKind::TurnEnded,
        about: About::default(),
    });
    let then = Then::of(engine, &now);
    comes_back(engine, &now, &agent, &link, &shown, (back, then), end).await
}

/// Returns a session's newest evidence, and the time of the newest fact about its agent's own turn.
fn last_told(row: &SessionRow) -> Option<(&Evidence, Option<Timestamp>)> {
    let seen = row.observed.as_ref();
    seen.map(|seen| (&seen.evidence, seen.own_at))
}

/// Whether the last turn may have been interrupted with nobody there to see what was given back: it still
/// runs, or no hook reported its end.
fn was_cut(row: &SessionRow) -> bool {
    let is_up = matches!(row.status, Status::Running | Status::Idle | Status::Paused);
    is_up && row.observed.as_ref().is_some_and(may_be_cut)
}

fn may_be_cut(seen: &Observed) -> bool {
    let ended_untold = seen.activity == Activity::Idle && seen.evidence.source == EvidenceSource::Title;
    seen.has_hooks && (seen.activity == Activity::Active || ended_untold)
}

/// Returns how long ago the last turn ended; `None` if it still runs.
fn since_its_end(row: &SessionRow) -> Option<Duration> {
    let seen = row.observed.as_ref();
    let seen = seen.filter(|seen| seen.activity == Activity::Idle)?;
    Duration::try_from(Timestamp::now().duration_since(seen.since)).ok()
}

/// Whether a key was pressed within the given time.
fn was_touched(shown: &Text, within: Duration) -> bool {
    shown
        .typed
        .is_some_and(|typed| Duration::from_millis(typed.ago) < within)
}

/// Whether the prompt contains this text or its beginning, and nothing that somebody added. Judges by the
/// content alone: text without its Enter counts as keys, whoever typed it.
pub fn is_left(agent: &Manifest, shown: &Text, text: &str) -> bool {
    let in_prompt = downbeat_agents::prompt_text(agent, &shown.text);
    in_prompt.is_some_and(|in_prompt| downbeat_agents::prompt_is(agent, &in_prompt, text))
}

/// Takes text of ours out of the prompt, so that it can be typed again. Returns false if the text stays.
pub async fn take_out(
    engine: &Engine,
    row: &SessionRow,
    is_ours: impl Fn(&Manifest, &Text) -> bool,
) -> Result<bool, ApiError> {
    let (agent, link) = (engine.agent(&row.agent)?, link(engine, row)?);
    let live = engine.runtimes.of(&row.id);
    let _one_at_a_time = live.typing.lock().await;
    // The key would end a turn, or deny a question.
    let works = engine.row(&row.id)?.status == Status::Running;
    if works || screen::asks(engine, row, &link).await? {
        return Ok(false);
    }
    empty(engine, &row.id, &agent, &link, |shown| is_ours(&agent, shown)).await
}

#[cfg(test)]
mod tests {
    use super::{DRAWN, is_back, is_same, may_be_cut, was_touched};
    use downbeat_agents::Manifest;
    use downbeat_keeper::{Text, Typed};
    use downbeat_model::{Activity, EvidenceSource, Observed};
    use jiff::Timestamp;

    fn claude() -> Manifest {
        let agents = downbeat_agents::Agents::new("/bin/sh", []);
        Manifest::clone(agents.get("claude").unwrap())
    }

    const MARK: &str = "[Pasted text #1 +9 lines]";

    #[test]
    fn only_the_prompt_that_was_taken_last_counts_as_given_back() {
        let ours = "please have a look at all of the tests\nand mend them";
        let theirs = "please have a look at all of the documents";
        for (in_prompt, last, is) in [
            (MARK, Some(ours), true),
            (MARK, Some(theirs), false),
            (MARK, None, true),
            (ours, Some(ours), true),
            (ours, None, true),
            (ours, Some("no"), false),
            (theirs, Some(theirs), false),
        ] {
            assert_eq!(
                is_back(&claude(), in_prompt, last, ours),
                is,
                "{in_prompt} {last:?}"
            );
        }
        assert!(!is_back(&claude(), MARK, Some("one line"), "one line"));
        let long = "one line ".repeat(100);
        assert!(is_back(&claude(), "[Pasted text #2]", Some(&long), &long));
    }

    fn shown(text: &str, typed: Option<(bool, u64)>) -> Text {
        Text {
            text: format!("──────\n❯ {text}\n──────"),
            typed: typed.map(|(stands, ago)| Typed { stands, ago, keys: 1 }),
            ..Text::default()
        }
    }

    #[test]
    fn text_that_somebody_typed_since_stays() {
        let seen = shown("mend it", Some((false, 2000)));
        for (now, is) in [
            (shown("mend it", Some((false, 2100))), true),
            (shown("mend it now", Some((true, 10))), false),
            (shown("mend it", Some((true, 10))), false),
            (shown("other", None), false),
        ] {
            assert_eq!(is_same(&claude(), &seen, &now), is, "{now:?}");
        }
        assert!(was_touched(&shown("", Some((false, 400))), DRAWN));
        assert!(!was_touched(&shown("", Some((false, 1400))), DRAWN));
        assert!(!was_touched(&shown("", None), DRAWN));
    }

    #[test]
    fn a_turn_may_have_been_cut_while_its_session_is_paused() {
        let mut seen = Observed::started(Timestamp::now());
        seen.has_hooks = true;
        for (activity, source, is) in [
            (Activity::Active, EvidenceSource::Hook, true),
            (Activity::Idle, EvidenceSource::Title, true),
            (Activity::Idle, EvidenceSource::Hook, false),
            (Activity::WaitingInput, EvidenceSource::Title, false),
        ] {
            (seen.activity, seen.evidence.source) = (activity, source);
            assert_eq!(may_be_cut(&seen), is, "{activity:?} {source:?}");
        }
    }
}
