//! Answers an open question of an agent through its terminal: brings the pointer to the answer,
//! looks whether it stands there, and presses Enter. Never presses into a screen that does not show
//! the question. Free text goes by [`crate::message`].

use crate::engine::Engine;
use crate::message;
use downbeat_agents::{ENTER, Shown};
use downbeat_keeper::Link;
use downbeat_model::{EventKind, Question, SessionId, Status};
use downbeat_wire::session::{AnswerQuestion, AnswerReceipt, Delivery};
use downbeat_wire::{ApiError, Code};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Lines from the bottom of the screen where a question stands.
const LINES: u32 = 40;

/// How long the question may take to be drawn, and the pointer to follow the keys.
const DRAWN: Duration = Duration::from_secs(5);

/// How long the agent has to show that it took the answer, before Enter is pressed once more:
/// agents ignore keys in the first moment of a question.
const TAKEN: Duration = Duration::from_secs(3);

/// How often Enter is pressed.
const TRIES: u32 = 3;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// Answers the question that the session shows, if it is the one that is meant.
pub async fn answer(
    engine: &Arc<Engine>,
    id: &SessionId,
    request: &AnswerQuestion,
) -> Result<AnswerReceipt, ApiError> {
    let live = engine.runtimes.of(id);
    let _one_at_a_time = live.typing.lock().await;
    let row = engine.row(id)?;
    let open = row.observed.as_ref().and_then(|seen| seen.question()).cloned();
    let Some(open) = open.filter(|_| row.status == Status::Waiting) else {
        let what = format!("{} asks nothing: it is {}", row.name, row.status.as_str());
        return Err(ApiError::new(Code::Conflict, what).hint("hand it a message instead"));
    };
    if request.question.as_ref().is_some_and(|meant| *meant != open.text) {
        let what = format!("{} asks something else by now: {}", row.name, open.text);
        return Err(ApiError::new(Code::Conflict, what).hint("look at it, and answer that"));
    }
    let link = message::link(engine, &row)?;
    let shown = drawn(&row.agent, &link)
        .await?
        .ok_or_else(|| unknown(&row.name))?;
    let at = chosen(&shown.question.options, &request.choice)?;
    let label = shown.question.options[at].clone();
    point_at(&row.agent, &link, &shown, at).await?;
    for _ in 0..TRIES {
        link.input(ENTER.into()).await.map_err(crate::error::keeper)?;
        if moved_on(engine, id, &row.agent, &link, &open).await {
            noted(engine, id, &label).await?;
            return Ok(AnswerReceipt {
                answer: label,
                delivery: Delivery::Taken,
                detail: "the question is no longer open".into(),
            });
        }
    }
    noted(engine, id, &label).await?;
    Ok(AnswerReceipt {
        answer: label,
        delivery: Delivery::Uncertain,
        detail: "the keys were pressed; the question still shows".into(),
    })
}

fn unknown(name: &str) -> ApiError {
    let what = format!("the question of {name} is not on its screen in a form that Downbeat knows");
    ApiError::new(Code::Conflict, what).hint("answer it in its terminal")
}

/// The question as it stands on the screen, once it is drawn with its answers.
async fn drawn(agent: &str, link: &Link) -> Result<Option<Shown>, ApiError> {
    let until = Instant::now() + DRAWN;
    loop {
        if let Some(shown) = look(agent, link)
            .await?
            .filter(|shown| !shown.question.options.is_empty())
        {
            return Ok(Some(shown));
        }
        if Instant::now() > until {
            return Ok(None);
        }
        tokio::time::sleep(LOOK).await;
    }
}

async fn look(agent: &str, link: &Link) -> Result<Option<Shown>, ApiError> {
    let text = link.text(LINES).await.map_err(crate::error::keeper)?;
    Ok(downbeat_agents::screen_question(agent, &text.text))
}

/// Which of `options` a person means.
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
            let list = options
                .iter()
                .enumerate()
                .map(|(at, option)| format!("{} {option}", at + 1));
            let list = list.collect::<Vec<_>>().join("; ");
            Err(
                ApiError::invalid(format!("{choice:?} is none of the answers, or more than one"))
                    .hint(format!("by number or text: {list}")),
            )
        }
    }
}

/// Brings the pointer to an answer, and waits until the screen shows it there.
async fn point_at(agent: &str, link: &Link, shown: &Shown, at: usize) -> Result<(), ApiError> {
    let keys = shown.keys_to(at);
    if keys.is_empty() {
        return Ok(());
    }
    link.input(keys.into_bytes())
        .await
        .map_err(crate::error::keeper)?;
    if shown.pointed.is_none() {
        // Its pointer is a colour: the keys are all there is.
        tokio::time::sleep(LOOK).await;
        return Ok(());
    }
    let until = Instant::now() + DRAWN;
    loop {
        let now = look(agent, link).await?;
        if now.is_some_and(|now| now.pointed == Some(at) && now.question.options == shown.question.options) {
            return Ok(());
        }
        if Instant::now() > until {
            let what = "the question changed while it was answered; nothing was chosen";
            return Err(ApiError::new(Code::Conflict, what).hint("look at its terminal"));
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Looks in a row that find no question, before it is taken to be gone: agents redraw.
const GONE: u32 = 5;

/// Whether the question is gone: by what the agent tells, or from the screen.
async fn moved_on(engine: &Engine, id: &SessionId, agent: &str, link: &Link, open: &Question) -> bool {
    let until = Instant::now() + TAKEN;
    let mut missing = 0;
    while Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        let row = engine.ledger.session(id);
        let still = row.is_some_and(|row| {
            let shown = row.observed.as_ref().and_then(|seen| seen.question());
            row.status == Status::Waiting && shown.is_some_and(|shown| shown.text == open.text)
        });
        missing = match look(agent, link).await {
            Ok(None) => missing + 1,
            _ => 0,
        };
        if !still || missing == GONE {
            return true;
        }
    }
    false
}

async fn noted(engine: &Engine, id: &SessionId, label: &str) -> Result<(), ApiError> {
    let written = engine.ledger.write(|draft| {
        draft.session_event(id, EventKind::QuestionAnswered, json!({ "answer": label }));
        Ok(())
    });
    written.await
}

#[cfg(test)]
mod tests {
    use super::*;

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
