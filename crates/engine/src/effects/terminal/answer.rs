//! Answers an agent's open question through its terminal: moves the pointer to the answer, checks that it
//! arrived there, and presses Enter. No key is pressed unless the screen shows the intended question. A
//! question in prose is answered by a message, with one of its answers or any other text.
//!
//! This can race with a person who answers in the terminal: between the last look and the key press, the
//! agent has some milliseconds to draw its next question.

use crate::decide::{access, exchanges, reason};
use crate::effects::terminal::messages;
use crate::keepers::screen;
use crate::state::context::Engine;
use crate::state::requests;
use crate::state::requests::Effect;
use downbeat_agents::{ENTER, Manifest, Shown, Way};
use downbeat_keeper::{Link, SCREEN_ALONE};
use downbeat_model::lines::first_line;
use downbeat_model::{EventKind, MessageState, Observed, Question, QuestionKind, SessionId, Status};
use downbeat_store::SessionRow;
use downbeat_wire::message::SendMessage;
use downbeat_wire::session::{AnswerQuestion, AnswerReceipt, Delivery};
use downbeat_wire::{ApiError, Caller, Code};
use jiff::Timestamp;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The time limit for the question to be drawn, and for the pointer to follow the keys.
const DRAWN: Duration = Duration::from_secs(5);

/// How long the agent has to show that it took the answer before the key is pressed again: agents ignore keys
/// in the first moment of a question.
const TAKEN: Duration = Duration::from_secs(3);

/// The maximum number of times that the key is pressed.
const TRIES: u32 = 3;

/// The interval between two looks at the screen.
const LOOK: Duration = Duration::from_millis(100);

/// The number of consecutive looks without the question after which it counts as gone, since agents redraw.
const GONE: u32 = 5;

/// An answer in the process of being given.
struct Giving<'a> {
    engine: &'a Engine,
    id: &'a SessionId,
    agent: &'a Manifest,
    link: &'a Link,
    /// The question, and when it was opened.
    open: (Question, Timestamp),
    /// The screen at the time when the answer was chosen.
    shown: Shown,
    /// The index of the chosen answer.
    at: usize,
}

/// Answers the question that the session shows, if it is the one the request names.
pub async fn answer(
    engine: &Arc<Engine>,
    caller: &Caller,
    id: &SessionId,
    request: &AnswerQuestion,
) -> Result<AnswerReceipt, ApiError> {
    let row = engine.row(id)?;
    if *caller != Caller::Owner && request.question.is_none() {
        let what = "the request does not say which question it answers";
        return Err(
            ApiError::invalid(what).hint("pass its text as `question`: another one may be open by now")
        );
    }
    if row.observed.as_ref().is_some_and(Observed::asks_in_prose) {
        return by_message(engine, caller, &row, request).await;
    }
    let live = engine.runtimes.of(id);
    let _one_at_a_time = live.typing.lock().await;
    let row = engine.row(id)?;
    let open = meant(&row, request)?;
    let agent = engine.agent(&row.agent)?;
    let link = screen::link(engine, &row)?;
    let shown = drawn(&row, &agent, &link)
        .await?
        .ok_or_else(|| unknown(&row.name))?;
    let at = chosen(&shown.question.options, &request.choice)?;
    let label = shown.question.options[at].clone();
    if let Some(asked) = row.observed.as_ref().and_then(|seen| seen.open.first()) {
        access::may_choose(caller, asked, agent.has_hooks(), &label)?;
    }
    let kind = open.0.kind;
    let giving = Giving {
        engine,
        id,
        agent: &agent,
        link: &link,
        open,
        shown,
        at,
    };
    let pressed = AnswerReceipt {
        answer: label.clone(),
        delivery: Delivery::Uncertain,
        detail: "the keys were sent; nothing shows yet that the agent accepted them".into(),
    };
    if requests::is_keyed() {
        // Recorded before the first key: a repeat of the request must never press a key again.
        let claimed = engine.ledger.write(|draft| {
            draft.effect(Effect::Answer(json!(pressed)));
            Ok(())
        });
        claimed.await?;
    }
    let is_taken = giving.give().await?;
    noted(engine, caller, id, (&label, kind)).await?;
    Ok(match is_taken {
        false => pressed,
        true => AnswerReceipt {
            delivery: Delivery::Taken,
            detail: "the question is no longer open".into(),
            ..pressed
        },
    })
}

/// Returns the delivery state of an answer that was sent as a message.
pub fn delivery(message: MessageState) -> Delivery {
    match message {
        MessageState::Delivered => Delivery::Taken,
        _ => Delivery::Uncertain,
    }
}

/// Returns the open question if it is the one the request names.
fn meant(row: &SessionRow, request: &AnswerQuestion) -> Result<(Question, Timestamp), ApiError> {
    let open = open(row).ok_or_else(|| {
        let what = format!("{} has no open question; it is {}", row.name, reason::says(row));
        ApiError::new(Code::Conflict, what).hint("send it a message instead")
    })?;
    match &request.question {
        Some(meant) if ![open.0.text.as_str(), first_line(&open.0.text)].contains(&meant.as_str()) => {
            let what = format!("{} now asks something else: {}", row.name, open.0.text);
            Err(ApiError::new(Code::Conflict, what).hint("read that question and answer it"))
        }
        _ => Ok(open),
    }
}

/// Answers a question in prose: the agent is at its prompt, and takes any text.
async fn by_message(
    engine: &Arc<Engine>,
    caller: &Caller,
    row: &SessionRow,
    request: &AnswerQuestion,
) -> Result<AnswerReceipt, ApiError> {
    let (question, _) = meant(row, request)?;
    let answer = match chosen(&question.options, &request.choice) {
        Ok(at) => question.options[at].clone(),
        Err(_) => request.choice.clone(),
    };
    let message = SendMessage {
        id: row.id.to_string(),
        content: answer.clone(),
        ..SendMessage::default()
    };
    let receipt = messages::send(engine, caller, row, &message, true).await?;
    noted(engine, caller, &row.id, (&answer, question.kind)).await?;
    Ok(AnswerReceipt {
        answer,
        delivery: delivery(receipt.state),
        detail: receipt.detail,
    })
}

async fn noted(
    engine: &Engine,
    caller: &Caller,
    id: &SessionId,
    (answer, question): (&str, QuestionKind),
) -> Result<(), ApiError> {
    let by = match caller {
        Caller::Owner => None,
        Caller::Session(conductor) => Some(conductor),
    };
    let noted = engine.ledger.write(|draft| {
        let payload = json!({ "answer": answer, "by": by });
        draft.session_event(id, EventKind::QuestionAnswered, payload);
        exchanges::answered(draft, id, caller, question)
    });
    noted.await
}

/// Returns the question that the session waits for, and when it was opened.
fn open(row: &SessionRow) -> Option<(Question, Timestamp)> {
    let first = row.observed.as_ref()?.open.first()?;
    (row.status == Status::Waiting).then(|| (first.question.clone(), first.evidence.at))
}

fn unknown(name: &str) -> ApiError {
    let what = format!("Downbeat does not recognize the question on the screen of {name}");
    ApiError::new(Code::Conflict, what).hint("answer it in its terminal")
}

/// Waits until the question and its answers are drawn, and returns it as the screen shows it. Returns `None`
/// if it does not appear in time, or if the screen shows another one of the agent's open questions.
async fn drawn(row: &SessionRow, agent: &Manifest, link: &Link) -> Result<Option<Shown>, ApiError> {
    let until = Instant::now() + DRAWN;
    loop {
        let shown = look(agent, link).await?;
        if let Some(shown) = shown.filter(|shown| !shown.question.options.is_empty())
            && row.observed.as_ref().is_some_and(|known| is_first(known, &shown))
        {
            return Ok(Some(shown));
        }
        if Instant::now() > until {
            return Ok(None);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Whether the question on the screen is the first of the open questions: of all of their texts, the first
/// one's has to be the nearest above it. A first question that was read from the screen, or whose text the
/// screen need not repeat, has to be the only open one.
fn is_first(known: &Observed, shown: &Shown) -> bool {
    let told: Vec<Option<usize>> = known
        .open
        .iter()
        .map(|open| shown.tells(&open.question.text))
        .collect();
    match told.split_first() {
        Some((Some(first), others)) => others.iter().flatten().all(|other| other <= first),
        Some((None, others)) => others.is_empty() && !is_findable(&known.open[0].question.text),
        None => false,
    }
}

/// Whether agents draw the question's text verbatim: a command or a path.
fn is_findable(text: &str) -> bool {
    ["Bash: ", "bash: "].iter().any(|tool| text.starts_with(tool))
}

async fn look(agent: &Manifest, link: &Link) -> Result<Option<Shown>, ApiError> {
    let text = link
        .text(SCREEN_ALONE)
        .await
        .map_err(crate::state::error::keeper)?;
    Ok(downbeat_agents::screen_question(agent, &text.text))
}

/// Returns the index of the option that `choice` names by its number, its text or its beginning.
fn chosen(options: &[String], choice: &str) -> Result<usize, ApiError> {
    let choice = choice.trim();
    if let Ok(number) = choice.parse::<usize>()
        && (1..=options.len()).contains(&number)
    {
        return Ok(number - 1);
    }
    let lower = choice.to_lowercase();
    let found = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let all = options.iter().enumerate();
        all.filter(|(_, option)| fits(&option.to_lowercase()))
            .map(|(at, _)| at)
            .collect()
    };
    let whole = found(&|option| option == lower);
    let starts = found(&|option| !lower.is_empty() && option.starts_with(&lower));
    match (whole.as_slice(), starts.as_slice()) {
        ([at, ..], _) | ([], [at]) => Ok(*at),
        _ => {
            let list = options.iter().enumerate();
            let list = list.map(|(at, option)| format!("{} {option}", at + 1));
            let list = list.collect::<Vec<_>>().join("; ");
            let what = format!("{choice:?} matches no answer, or more than one");
            Err(ApiError::invalid(what).hint(format!("answer by number or text: {list}")))
        }
    }
}

impl Giving<'_> {
    /// Gives the answer. Returns whether the question is gone.
    async fn give(&self) -> Result<bool, ApiError> {
        let key = match self.shown.way_to(self.at) {
            Way::Point(keys) if keys.is_empty() => ENTER,
            Way::Point(keys) => {
                self.press(&keys).await?;
                ENTER
            }
            Way::Press(key) => key,
            Way::Closed => {
                let what = format!(
                    "{:?} cannot be chosen from here",
                    self.shown.question.options[self.at]
                );
                return Err(ApiError::new(Code::Conflict, what).hint("choose it in the agent's terminal"));
            }
        };
        for turn in 0..TRIES {
            if !self.stands().await? {
                if turn > 0 {
                    break;
                }
                let what = "the question changed meanwhile; nothing was chosen";
                return Err(ApiError::new(Code::Conflict, what).hint("look at its terminal"));
            }
            self.press(key).await?;
            if self.is_gone().await {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(crate) async fn press(&self, keys: &str) -> Result<(), ApiError> {
        self.link
            .input(keys.into())
            .await
            .map_err(crate::state::error::keeper)
    }

    /// Whether the same question is still open and on the screen, with the pointer at the answer if there is
    /// a pointer. Allows the pointer some time to follow the keys.
    pub(crate) async fn stands(&self) -> Result<bool, ApiError> {
        let until = Instant::now() + DRAWN;
        loop {
            let now = look(self.agent, self.link).await?;
            let points = |now: &Shown| self.shown.pointed.is_none() || now.pointed == Some(self.at);
            match now {
                _ if !self.is_open() => return Ok(false),
                Some(now) if now.is_same(&self.shown) && points(&now) => return Ok(true),
                _ if Instant::now() > until => return Ok(false),
                _ => tokio::time::sleep(LOOK).await,
            }
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        let row = self.engine.ledger.session(self.id);
        row.and_then(|row| open(&row)).is_some_and(|(question, at)| {
            (question.text.as_str(), at) == (self.open.0.text.as_str(), self.open.1)
        })
    }

    /// Waits for the question to go: according to the agent's reports, or to the screen if the agent does not
    /// report answers.
    async fn is_gone(&self) -> bool {
        let until = Instant::now() + TAKEN;
        let mut missing = 0;
        while Instant::now() < until {
            tokio::time::sleep(LOOK).await;
            missing = match look(self.agent, self.link).await {
                Ok(Some(now)) if now.is_same(&self.shown) => 0,
                _ => missing + 1,
            };
            if !self.is_open() || (missing == GONE && !self.agent.tells_answers()) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn an_answer_is_named_by_number_text_or_beginning() {
        let options = ["Yes", "Yes, and don't ask again", "No (esc)"].map(str::to_owned);
        for (choice, at) in [("1", 0), (" 3 ", 2), ("yes", 0), ("YES, and", 1), ("no", 2)] {
            assert_eq!(chosen(&options, choice).unwrap(), at, "{choice}");
        }
        for choice in ["", "0", "4", "ye", "maybe", "-1"] {
            let error = chosen(&options, choice).unwrap_err();
            assert!(error.hint.unwrap().contains("3 No (esc)"), "{choice}");
        }
    }
}
