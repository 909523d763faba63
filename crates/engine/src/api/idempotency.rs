//! Runs each request with an idempotency key once, and answers its repeats from the stored answer or effect.
//! [`crate::state::requests`] stores the effect of a request.

use crate::api::{messages, plans, projects};
use crate::effects::pulls::order;
use crate::effects::terminal::answer;
use crate::state::context::Engine;
use crate::state::requests::{Answer, Effect, Request, Turn};
use crate::state::{error, find, requests};
use downbeat_model::SessionId;
use downbeat_wire::message::SendMessage;
use downbeat_wire::project::AddProject;
use downbeat_wire::session::AnswerReceipt;
use downbeat_wire::{ApiError, Caller, Code, Key, call, names};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};

/// Upper limit for a stored answer, in bytes. A longer one is rebuilt from the effect.
const LONGEST_ANSWER: usize = 256 * 1024;

/// Answers a request with a key: runs it, waits for the same request under way, or returns its stored answer.
pub async fn answer(engine: &Engine, caller: &Caller, name: &str, arguments: Value, key: &Key) -> Answer {
    let request = hash(&arguments);
    loop {
        let id = (caller.clone(), key.clone());
        match engine.requests.begin(id, name, &request)? {
            Turn::Own(own) => {
                let answer = once(engine, caller, name, arguments, (key, request)).await;
                own.answer.send_replace(Some(answer.clone()));
                return answer;
            }
            Turn::Other(mut answer) => {
                let answered = answer.wait_for(Option::is_some).await;
                // The request under way was dropped without an answer: this one runs instead.
                if let Some(answer) = answered.ok().and_then(|answer| answer.clone()) {
                    return answer;
                }
            }
        }
    }
}

/// Runs a request that is not under way, unless it ran before.
async fn once(
    engine: &Engine,
    caller: &Caller,
    name: &str,
    arguments: Value,
    (key, request): (&Key, String),
) -> Answer {
    let who = word(caller);
    let known = engine.ledger.store().request(&who, key.as_str()).await;
    if let Some(known) = known.map_err(error::store)? {
        requests::same(name, &request, &known.operation, &known.request)?;
        if let Some(answer) = known.answer {
            return Ok(answer);
        }
        if let Some(answer) = again(engine, name, &arguments, known.effect).await? {
            return Ok(answer);
        }
    }
    let current = Arc::new(Request {
        caller: who,
        key: key.as_str().to_owned(),
        operation: name.to_owned(),
        arguments: request,
        effect: Mutex::default(),
    });
    let answer = current.run(call(engine, caller, name, arguments)).await;
    settle(engine, &current, &answer).await;
    answer
}

/// Stores the answer of a request.
async fn settle(engine: &Engine, request: &Request, answer: &Answer) {
    let effect = request.effect();
    let written = match (answer, &effect) {
        (Ok(answer), _) if answer.to_string().len() > LONGEST_ANSWER => return,
        (Ok(answer), effect) => {
            let effect = serde_json::to_value(effect).unwrap_or_default();
            let row = request.row(effect, Some(answer.clone()), Timestamp::now());
            engine.ledger.remember(&row).await
        }
        // A message that was sent stays sent, and the next engine continues what was begun. An order says itself what became of it.
        (Err(_), None | Some(Effect::Message(..) | Effect::Pull(_))) => return,
        (Err(error), _) if error.code == Code::Unavailable => return,
        (Err(_), Some(_)) => {
            let ledger = &engine.ledger;
            ledger.forget_request(&request.caller, &request.key).await
        }
    };
    if let Err(error) = written {
        tracing::warn!(
            operation = request.operation,
            "could not store the outcome of a request: {error}"
        );
    }
}

/// The operations that act on many sessions.
const OF_MANY: [&str; 3] = [names::start_issues, names::clean_up, names::merge_plan];

/// Returns the answer to a request whose effect was stored without its answer. `None` if the request did not
/// complete and has to run again.
async fn again(
    engine: &Engine,
    name: &str,
    arguments: &Value,
    effect: Value,
) -> Result<Option<Value>, ApiError> {
    let Ok(effect) = serde_json::from_value(effect) else {
        return Ok(None);
    };
    match effect {
        Effect::Answer(answer) => Ok(Some(answer)),
        // Only one of its sessions is known. Asked again, it does the rest.
        Effect::Session(_) if OF_MANY.contains(&name) => Ok(None),
        Effect::Session(id) => {
            let _held = engine.recall(std::slice::from_ref(&id)).await?;
            let row = engine.row(&id)?;
            if name == names::plan_goal {
                return json(plans::planned_by(engine, id)?);
            }
            // The engine that continued the request could not create the worktree.
            if name == names::restore_work && row.workspace_path.is_none() {
                return Ok(None);
            }
            json(engine.shown(&id)?)
        }
        Effect::Shell(id) => match engine.ledger.session(&id) {
            Some(row) if !row.status.is_ended() => json(find::view(&row)),
            _ => Err(
                ApiError::new(Code::Conflict, "the shell was opened and has since ended")
                    .hint("open another one"),
            ),
        },
        Effect::Project(id) => {
            let asked: AddProject = wire(arguments)?;
            json(projects::finish_adding(engine, &id, asked.trust.unwrap_or(false)).await?)
        }
        Effect::Pull(key) => match order::again(engine, &key).await? {
            Some(done) if name == names::create_pull => json(order::opened(done)?),
            Some(done) => json(order::changed(done)),
            None => Ok(None),
        },
        Effect::Message(session, number) => {
            let _held = engine.recall(std::slice::from_ref(&session)).await?;
            message_again(engine, name, arguments, &session, number).await
        }
    }
}

/// Returns the answer to a request whose stored effect is a message.
async fn message_again(
    engine: &Engine,
    name: &str,
    arguments: &Value,
    session: &SessionId,
    number: i64,
) -> Result<Option<Value>, ApiError> {
    match name {
        names::edit_message => json(messages::one(engine, session, number)?),
        names::answer_question => {
            let receipt = crate::effects::terminal::messages::receipt(engine, session, number, None).await?;
            let message = messages::one(engine, session, number)?;
            json(AnswerReceipt {
                answer: message.text,
                delivery: answer::delivery(receipt.state),
                detail: receipt.detail,
            })
        }
        _ => {
            let asked: SendMessage = wire(arguments)?;
            json(
                crate::effects::terminal::messages::receipt(engine, session, number, asked.wait_seconds)
                    .await?,
            )
        }
    }
}

fn wire<T: DeserializeOwned>(arguments: &Value) -> Result<T, ApiError> {
    serde_json::from_value(arguments.clone()).map_err(|error| ApiError::invalid(error.to_string()))
}

fn json(value: impl Serialize) -> Result<Option<Value>, ApiError> {
    let value = serde_json::to_value(value);
    value
        .map(Some)
        .map_err(|error| ApiError::failed("could not write the answer", error))
}

fn word(caller: &Caller) -> String {
    match caller {
        Caller::Owner => "owner".to_owned(),
        Caller::Session(id) => id.to_string(),
    }
}

/// Hashes arguments. Objects are sorted by their keys, so that equal arguments have equal hashes.
fn hash(arguments: &Value) -> String {
    let digest = Sha256::digest(arguments.to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hash;
    use crate::state::requests::{Requests, Turn};
    use downbeat_wire::{Caller, Code, Key, names};
    use serde_json::json;

    #[test]
    fn equal_arguments_have_equal_hashes_in_whatever_order_they_came() {
        let parsed = |text: &str| hash(&serde_json::from_str(text).unwrap());
        assert_eq!(parsed(r#"{"a": 1, "b": [2]}"#), parsed(r#"{ "b":[2], "a":1 }"#));
        assert_ne!(hash(&json!({ "a": 1 })), hash(&json!({ "a": 2 })));
    }

    #[test]
    fn a_key_that_was_used_for_something_else_is_refused_while_that_runs() {
        let requests = Requests::default();
        let id = || (Caller::Owner, Key::parse("k").unwrap());
        let own = requests
            .begin(id(), names::send_message, "one")
            .unwrap_or_else(|_| panic!());
        assert!(matches!(
            requests.begin(id(), names::send_message, "one"),
            Ok(Turn::Other(_))
        ));
        for (operation, request) in [(names::send_message, "two"), (names::create_session, "one")] {
            let refused = requests.begin(id(), operation, request).err().unwrap();
            assert_eq!(refused.code, Code::Invalid);
        }
        drop(own);
        assert!(matches!(
            requests.begin(id(), names::create_session, "two"),
            Ok(Turn::Own(_))
        ));
    }
}
