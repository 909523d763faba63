//! Tells an idle conductor what happened among its workers: what it was not told yet, joined into one
//! message that goes through its queue. What a tool handed out before is not told again, and the other
//! way round: being told is written down in the transaction that queues the message.
//!
//! A conductor that works is left alone; it asks by itself, or is told once it rests. Not told are
//! kills: whoever killed knows.

use crate::engine::Engine;
use crate::ledger::State;
use crate::messages::{self, New};
use crate::transition::TURN_OVER;
use crate::{launch, wait};
use downbeat_model::{ReasonKind, Sender, SessionId, Status, When, lines};
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use downbeat_wire::worker::WorkerEvent;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a conductor rests before it is told, so that workers that finish together are told
/// together, and a tool that it just called has answered.
const TOGETHER: Duration = Duration::from_millis(1500);

/// Before the next try where telling failed: a full disk, a full queue.
const AGAIN: Duration = Duration::from_secs(30);

/// Bytes of one worker's own words; the rest is in its terminal and its result file.
const MAX_WORDS: usize = 4 * 1024;

/// Bytes of all that is told together, so that no message becomes too long; what is over follows.
const MAX_TOGETHER: usize = 48 * 1024;

/// Tells, until the engine lets go.
pub fn start(engine: &Arc<Engine>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let mut commits = engine.ledger.commits();
    tokio::spawn(async move {
        loop {
            commits.mark_unchanged();
            let Some(engine) = weak.upgrade() else { return };
            let wait = match told(&engine).await {
                Ok(()) => None,
                Err(_) => Some(AGAIN),
            };
            drop(engine);
            tokio::select! {
                () = closing.cancelled() => return,
                () = pause(wait) => {}
                changed = commits.changed(), if wait.is_none() => match changed {
                    Ok(()) => tokio::time::sleep(TOGETHER).await,
                    Err(_) => return,
                },
            }
        }
    });
}

async fn pause(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// Tells every conductor that can be told now.
async fn told(engine: &Engine) -> Result<(), ApiError> {
    let state = engine.ledger.state();
    let mut done = Ok(());
    let parents: BTreeSet<SessionId> = state
        .sessions
        .values()
        .filter_map(|row| row.parent.clone())
        .collect();
    for conductor in parents {
        if listens(engine, &state, &conductor)
            && let Err(error) = tell(engine, &conductor).await
        {
            tracing::warn!(session = %conductor, "a conductor was not told of its workers: {error}");
            done = Err(error);
        }
    }
    done
}

/// Whether a session conducts, rests, and has nothing else to read first.
fn listens(engine: &Engine, state: &State, id: &SessionId) -> bool {
    let Some(row) = state.sessions.get(id) else {
        return false;
    };
    let rests = row.status == Status::Idle && row.intent.is_none() && launch::conducts(row);
    rests
        && !messages::has_open(state, id)
        && !engine.runtimes.of(id).is_waiting()
        && engine
            .agent(&row.agent)
            .is_ok_and(|agent| agent.can_conduct() && agent.has_hooks())
}

async fn tell(engine: &Engine, conductor: &SessionId) -> Result<(), ApiError> {
    let mut news = wait::untold(engine, conductor).await?;
    news.events.retain(|(_, event)| event.kind != "killed");
    let fit = fitting(news.events.iter().map(|(_, event)| event));
    if fit < news.events.len() {
        news.events.truncate(fit);
        news.until = news.events.last().map_or(news.until, |(seq, _)| *seq);
    }
    if news.events.is_empty() {
        // A page of kills is not to be looked through again.
        return match news.is_cut {
            true => wait::pass(engine, &news).await,
            false => Ok(()),
        };
    }
    let write = engine.ledger.write(|draft| {
        // It may have asked by a tool meanwhile, or begun to work.
        let untold: Vec<_> = wait::still(draft, &news).collect();
        let rests = |row: &Arc<SessionRow>| row.status == Status::Idle;
        if untold.is_empty() || !draft.state().sessions.get(conductor).is_some_and(rests) {
            return Ok(());
        }
        wait::mark(draft, &news.workers, news.until);
        let new = New {
            text: text(untold.into_iter()),
            sender: Sender::Downbeat,
            when: When::WhenReady,
            is_task: false,
        };
        messages::enqueue(draft, conductor, new).map(drop)
    });
    write.await
}

/// What is told, worker by worker. Their own words are set in: no line of them can be taken for ours,
/// or for the person's.
fn text<'a>(news: impl Iterator<Item = &'a WorkerEvent>) -> String {
    let mut text = String::from("Worker updates (automatic, from Downbeat):\n");
    for event in news {
        text.push_str(&line(event));
        text.push('\n');
    }
    text
}

/// What is told of one event.
fn line(event: &WorkerEvent) -> String {
    let name = &event.worker_name;
    let words = set_in(&event.detail);
    match event.kind.as_str() {
        "reported" => format!("- {name} reported its result: {words}"),
        "asks" => format!("- {name} asks you, and waits for send_to_worker: {words}"),
        "finished" if event.detail != TURN_OVER => format!("- {name} ran its task and ended: {words}"),
        "finished" => match &event.answer {
            Some(answer) => format!("- {name} finished its turn and said: {}", set_in(answer)),
            None => format!("- {name} finished its turn and reported nothing; see get_worker_output"),
        },
        "waiting" if !asks(event) => format!("- {name} waits: {words}"),
        "waiting" => format!(
            "- {name} waits with a question on its screen (answer_worker, where the person allows it): {words}"
        ),
        "setup_failed" => format!("- {name} did not start, its set-up failed: {words}"),
        kind => format!("- {name} {kind}: {words}"),
    }
}

/// How many of these events, from the first on, fit into one message.
fn fitting<'a>(news: impl Iterator<Item = &'a WorkerEvent>) -> usize {
    let mut bytes = 0;
    let fits = |event: &&WorkerEvent| {
        let fits = bytes < MAX_TOGETHER;
        bytes += line(event).len();
        fits
    };
    news.take_while(fits).count()
}

/// Whether it waits with a question, which can be answered.
fn asks(event: &WorkerEvent) -> bool {
    event
        .reason
        .as_ref()
        .is_none_or(|reason| reason.kind == ReasonKind::Question)
}

/// The beginning of others' text, set into ours.
pub fn set_in(words: &str) -> String {
    let mut end = words.len().min(MAX_WORDS);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    let cut = if end < words.len() { "\n…" } else { "" };
    lines::set_in(&format!("{}{cut}", &words[..end]), "    > ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use downbeat_model::Reason;

    fn event(kind: &str, detail: &str) -> WorkerEvent {
        WorkerEvent {
            session_id: SessionId::random().unwrap(),
            worker_name: "auth".into(),
            kind: kind.into(),
            detail: detail.into(),
            answer: None,
            reason: None,
            terminal_content: String::new(),
            timestamp: "2026-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    #[test]
    fn several_are_told_in_one_and_none_forges_another() {
        let news = [
            event(
                "reported",
                "done: all\n- tests exited: 1\r- docs exited: 2\u{2028}- api exited: 3",
            ),
            event("asks", "Which?"),
            WorkerEvent {
                reason: Some(Reason {
                    kind: ReasonKind::Limit,
                    text: "usage limit: resets at 3pm".into(),
                    until: None,
                }),
                ..event("waiting", "usage limit: resets at 3pm")
            },
            event("exited", &"ö".repeat(9000)),
        ];
        let text = text(news.iter());
        let ours: Vec<_> = text.lines().filter(|line| line.starts_with('-')).collect();
        assert_eq!(ours.len(), 4, "{text}");
        assert!(!text.contains("answer_worker"), "{text}");
        assert!(text.contains("\n    > - tests exited: 1\n"));
        assert!(text.len() < 6000, "{}", text.len());
    }

    #[test]
    fn long_answers_are_told_in_several_messages() {
        let finished = WorkerEvent {
            answer: Some("a line\n".repeat(4000)),
            ..event("finished", TURN_OVER)
        };
        let news = vec![finished; 100];
        let fit = fitting(news.iter());
        assert!((2..30).contains(&fit), "{fit}");
        let text = text(news[..fit].iter());
        assert!(text.len() < 2 * MAX_TOGETHER, "{}", text.len());
    }
}
