//! `downbeat send`: puts a message for a session's agent into its queue, and prints the outcome.

use crate::client::Client;
use crate::command::look::output;
use crate::command::look::wait;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::show;
use clap::Args;
use downbeat_model::{MessageState, QuestionKind, Status, When};
use downbeat_wire::Client as _;
use downbeat_wire::message::{Message, MessageReceipt, SendMessage};
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::{OutputKind, Session};
use jiff::Timestamp;
use std::io::Read;
use std::time::Duration;

/// The agent of a session that is a plain shell.
const SHELL: &str = "shell";

/// The part between a session's name and the number of one of its shells.
const BESIDE: &str = "/shell-";

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// The message; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    message: String,
    /// More words of it
    #[arg(value_name = "WORD")]
    more: Vec<String>,
    /// Interrupt the current turn instead of waiting for its end
    #[arg(long)]
    now: bool,
    /// Do not wait for delivery
    #[arg(long, alias = "no-wait")]
    queue: bool,
    /// Wait until its turn is over, and print its answer
    #[arg(long, conflicts_with = "queue")]
    wait: bool,
    /// With --wait: give up after this many seconds; the message is still sent
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    timeout: Option<u64>,
    /// Print the outcome as JSON; with --wait the answer, as `output --answer --json` does
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let words = [vec![arguments.message.clone()], arguments.more.clone()].concat();
    let content = spoken(&words)?;
    let client = Client::ready(&home).await?;
    if arguments.wait {
        answers(&client, &arguments.session).await?;
    }
    let request = SendMessage {
        id: arguments.session.clone(),
        content,
        when: arguments.now.then_some(When::Now),
        wait_seconds: arguments.queue.then_some(0),
    };
    let receipt = client.send_message(request).await?;
    if arguments.wait && receipt.state != MessageState::Failed {
        return answered(&home, client, &arguments, &receipt).await;
    }
    if arguments.json {
        return print_json(&receipt);
    }
    match receipt.state {
        MessageState::Failed => Err(Failure::new(format!("not delivered: {}", receipt.detail))),
        state => print(&format!("{}: {}\n", state.as_str(), receipt.detail)),
    }
}

/// Refuses to wait for an answer from something that gives none.
async fn answers(client: &Client, id: &str) -> Result<(), Failure> {
    let asked = SessionRef { id: id.to_owned() };
    let session = client.get_session(asked).await;
    // A side shell is not a session, and is found only by operations that may type there.
    let is_shell = match session {
        Ok(session) => session.agent == SHELL,
        Err(_) => id.contains(BESIDE),
    };
    match is_shell {
        false => Ok(()),
        true => Err(
            Failure::usage(format!("{id} is a shell, which has no turns and gives no answer")).hint(format!(
                "leave --wait out; `downbeat output {id}` shows its screen"
            )),
        ),
    }
}

/// Waits until the turn of a message is over, and prints the result.
async fn answered(home: &Home, client: Client, arguments: &Arguments, sent: &MessageReceipt) -> Outcome {
    let id = arguments.session.clone();
    if sent.state == MessageState::Uncertain {
        return Err(Failure::new(format!("delivery not confirmed: {}", sent.detail))
            .hint(format!("downbeat messages {id}")));
    }
    let sessions = [id.clone()];
    // A session is not at rest while a message waits in its queue, or during a question in the middle of a
    // turn.
    let over = |session: &Session| {
        let question = session.question.as_ref();
        let is_asked = question.is_some_and(|question| in_turn(question.kind));
        Ok(session.queued == 0 && wait::rests(session.status) && !is_asked)
    };
    let patience = arguments.timeout.map(Duration::from_secs);
    let found = wait::until(home, client.clone(), &sessions, patience, over).await?;
    let is_over = |session: &Session| session.status == Status::Idle || ended_by_asking(session);
    if let Some(open) = found.iter().find(|session| !is_over(session)) {
        let why = show::why(open, Timestamp::now()).map_or_else(String::new, |why| format!(": {why}"));
        let what = format!("{} is {}{why}", open.name, open.status.as_str());
        return Err(Failure::new(what).hint(format!("downbeat status {}", open.name)));
    }
    let messages = client.list_messages(SessionRef { id: id.clone() }).await?;
    let sent = messages.iter().find(|message| message.id == sent.message);
    let output = output::fetch(&client, id.clone(), OutputKind::Answer, None).await?;
    if is_older(output.at, sent.map(since)) {
        let what = "its turn ended without an answer: it was interrupted, or its agent said nothing";
        return Err(Failure::new(what).hint(format!("`downbeat output {id}` shows its screen")));
    }
    let printed = match arguments.json {
        true => print_json(&output)?,
        false => print(&output::text(&output))?,
    };
    for question in found.iter().filter_map(wait::question) {
        eprintln!("{question}");
    }
    Ok(printed)
}

/// Returns whether a turn continues once a question of this kind is answered.
fn in_turn(kind: QuestionKind) -> bool {
    matches!(
        kind,
        QuestionKind::Permission | QuestionKind::Trust | QuestionKind::Choice
    )
}

/// Returns whether a session ended its turn with a question in prose.
fn ended_by_asking(session: &Session) -> bool {
    let question = session.question.as_ref();
    session.status == Status::Waiting && question.is_some_and(|question| question.kind == QuestionKind::Asks)
}

/// Returns the time from which an answer may belong to this message: when the agent took it, if that is
/// known. An answer to an earlier message may have come while this one waited.
fn since(message: &Message) -> Timestamp {
    match message.state {
        MessageState::Delivered | MessageState::Interrupted => message.changed_at,
        _ => message.created_at,
    }
}

/// Returns whether the last answer of a session is from before the message was sent, or taken.
fn is_older(answered: Option<Timestamp>, sent: Option<Timestamp>) -> bool {
    answered.zip(sent).is_some_and(|(answered, sent)| answered < sent)
}

/// Joins the words of a message; a single `-` reads standard input.
pub(in crate::command) fn spoken(words: &[String]) -> Result<String, Failure> {
    let mut text = words.join(" ");
    if text == "-" {
        text.clear();
        std::io::stdin().lock().read_to_string(&mut text)?;
    }
    Ok(text)
}
