//! Text of ours that stands in an agent's prompt although no turn is on it: a prompt that the agent gave
//! back when its turn was interrupted, and one that an engine left there when it died. What was given
//! back is in no conversation: it comes back before the message that interrupted, or is told as
//! interrupted. Typing is [`crate::effects::terminal::typing`]'s.

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

/// How long an agent has to draw what it gives back of an interrupted turn, or that its prompt is empty.
pub const DRAWN: Duration = Duration::from_secs(1);

/// How long a screen may lag behind the key that empties its prompt. Some agents end at a second one
/// that comes sooner.
const CLEARED: Duration = Duration::from_secs(3);

/// Between two looks whether that was drawn.
const LOOK: Duration = Duration::from_millis(50);

/// How long a screen may lag behind the hook of a prompt that its agent took.
const BEHIND: Duration = Duration::from_secs(2);

/// What an agent gave back.
enum Back {
    /// A message of the queue.
    Message(i64, String),
    /// The prompt that it was started with.
    Task(String),
}

/// What of ours stands in the prompt, where that was the agent's last: its turn was interrupted.
fn given_back(engine: &Engine, row: &SessionRow, agent: &Manifest, shown: &Text) -> Option<Back> {
    let stands = downbeat_agents::prompt_text(agent, &shown.text).filter(|text| !text.is_empty())?;
    let state = engine.ledger.state();
    let prompt = mailbox::last_prompt(&state, &row.id);
    let is_back = |text: &str| is_back(agent, &stands, prompt.as_deref(), text);
    let taken = |state| matches!(state, MessageState::Delivered | MessageState::Interrupted);
    let queue = state.queues.get(&row.id);
    let queue = || queue.into_iter().flat_map(|queue| queue.iter());
    if queue().any(|message| message.state == MessageState::Typing) {
        // What stands there is what an engine typed, and may begin with what was given back before.
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

/// Characters up to which one line is shown as it is by every agent: from 150 on OpenCode shows a mark in
/// place of a paste, from 800 on Claude Code.
const SHORT: usize = 150;

/// Whether what `stands` in a prompt is this text of ours: the screen may show it, and the prompt that
/// the agent took last is no other one, where that is known. A mark may stand for anything, but never
/// for one short line of ours.
fn is_back(agent: &Manifest, stands: &str, last: Option<&str>, text: &str) -> bool {
    let is_short = !text.contains('\n') && text.chars().count() < SHORT;
    let may_be = !is_short || !downbeat_agents::stands_for_paste(agent, stands);
    may_be
        && downbeat_agents::prompt_holds(agent, stands, text)
        && last.is_none_or(|last| downbeat_agents::is_same_prompt(text, last))
}

/// What becomes of what the agent gave back.
#[derive(Clone, Copy)]
enum Then {
    /// It goes in before the message that interrupted its turn.
    Before(i64),
    /// It waits before all others: its session is paused.
    Again,
    /// A person interrupted: it stays where the agent put it, and they are told.
    Told,
}

impl Then {
    /// By what the session waits for, where nobody knows any more who interrupted.
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

/// Looks whether the agent gave back the prompt of a turn that Downbeat interrupted, for the message
/// `next` or for a pause. What it gave back is taken out, and comes again: before `next`, or once the
/// session goes on. Anything else may be what a person typed meanwhile: it stays.
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

/// Writes down what becomes of what was given back, with the `end` of its turn where that was not known,
/// and takes it out of the prompt where it is not a person's.
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
    let stands = downbeat_agents::prompt_text(agent, &shown.text).unwrap_or_default();
    // Nobody knows what the mark stands for.
    let is_doubtful = downbeat_agents::stands_for_paste(agent, &stands)
        && mailbox::last_prompt(&engine.ledger.state(), &row.id).is_none();
    let is_told = matches!(then, Then::Told);
    let stays = is_theirs || is_doubtful || is_told || screen::asks(engine, row, link).await?;
    // First what becomes of it: a crash in between leaves it in the prompt, where it is found.
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
            // It is how the session goes on.
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

/// Whether a prompt still holds what it was `seen` to hold, and nothing that somebody typed since.
fn is_same(agent: &Manifest, seen: &Text, now: &Text) -> bool {
    let stands = |shown: &Text| downbeat_agents::prompt_text(agent, &shown.text);
    stands(seen) == stands(now) && !now.typed.is_some_and(|typed| typed.stands)
}

/// Empties the prompt where it holds what `is_ours`, and waits until that is drawn. False where there was
/// nothing to take out, or it is not empty then. The key ends an agent whose prompt is empty already, and
/// screens lag behind: it is pressed once, and not again for a while. Whoever calls holds the lock of
/// typing.
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

/// Why a prompt is looked at for what was given back.
#[derive(Debug, Clone, Copy)]
pub enum Look {
    /// A key ended a turn.
    Key,
    /// An engine that died may have pressed one.
    Behind,
}

/// Looks at a prompt beside all else: what comes next is not to wait until the agent drew it.
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
                tracing::debug!(session = %id, "its prompt was not looked at: {error}");
            },
            () = engine.closing.cancelled() => {}
        }
    });
}

/// A turn was interrupted by a key, whose ever: where the agent gave the message of that turn back, it
/// comes back or is told.
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
        // What a key brought since then was not given back.
        Some(back) if row.status != Status::Running && !was_touched(&shown, DRAWN) => {
            let then = Then::of(engine, &row);
            comes_back(engine, &row, &agent, &link, &shown, (back, then), None).await
        }
        _ => Ok(()),
    }
}

/// An engine that died may have interrupted a turn, and not have seen what the agent gave back: the
/// session seems to work, or to rest after it, while its title rests and the message of that turn
/// stands in its prompt. What was given back comes back or is told, as if that engine had seen it.
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
        detail: "the title says it rests, and its last message stands in its prompt again".into(),
        kind: FactKind::TurnEnded,
        about: About::default(),
    });
    let then = Then::of(engine, &now);
    comes_back(engine, &now, &agent, &link, &shown, (back, then), end).await
}

/// What was last heard of a session.
fn last_told(row: &SessionRow) -> Option<(&Evidence, Option<Timestamp>)> {
    let seen = row.observed.as_ref();
    seen.map(|seen| (&seen.evidence, seen.own_at))
}

/// Whether the last turn may have been interrupted without anybody who saw what was given back: it goes
/// on, or no hook told its end.
fn was_cut(row: &SessionRow) -> bool {
    let is_up = matches!(row.status, Status::Running | Status::Idle | Status::Paused);
    is_up && row.observed.as_ref().is_some_and(may_be_cut)
}

fn may_be_cut(seen: &Observed) -> bool {
    let ended_untold = seen.activity == Activity::Idle && seen.evidence.source == EvidenceSource::Title;
    seen.has_hooks && (seen.activity == Activity::Active || ended_untold)
}

/// How long ago the last turn ended; `None` where it goes on.
fn since_its_end(row: &SessionRow) -> Option<Duration> {
    let seen = row.observed.as_ref();
    let seen = seen.filter(|seen| seen.activity == Activity::Idle)?;
    Duration::try_from(Timestamp::now().duration_since(seen.since)).ok()
}

/// Whether a key was pressed within the time that is given.
fn was_touched(shown: &Text, within: Duration) -> bool {
    shown
        .typed
        .is_some_and(|typed| Duration::from_millis(typed.ago) < within)
}

/// Whether what stands in the prompt is this text or its beginning, and nothing that somebody added. By
/// what stands there alone: text without its Enter counts as keys, whoever typed it.
pub fn is_left(agent: &Manifest, shown: &Text, text: &str) -> bool {
    let stands = downbeat_agents::prompt_text(agent, &shown.text);
    stands.is_some_and(|stands| downbeat_agents::prompt_is(agent, &stands, text))
}

/// Takes text of ours out of the prompt, so that it can be typed again. False where it stays.
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
    fn what_is_given_back_is_the_prompt_that_was_taken_last() {
        let ours = "please have a look at all of the tests\nand mend them";
        let theirs = "please have a look at all of the documents";
        for (stands, last, is) in [
            (MARK, Some(ours), true),
            (MARK, Some(theirs), false),
            (MARK, None, true),
            (ours, Some(ours), true),
            (ours, None, true),
            (ours, Some("no"), false),
            (theirs, Some(theirs), false),
        ] {
            assert_eq!(is_back(&claude(), stands, last, ours), is, "{stands} {last:?}");
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
    fn what_somebody_typed_since_stays() {
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
