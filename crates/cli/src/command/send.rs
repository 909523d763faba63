//! `downbeat send`: puts a message for a session's agent into its queue, and says what became of it.

use crate::client::Client;
use crate::command::{Outcome, output, print, print_json, wait};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_model::{MessageState, Status, When};
use downbeat_wire::message::{Message, MessageReceipt, SendMessage};
use downbeat_wire::request::SessionRef;
use downbeat_wire::session::{OutputKind, Session};
use jiff::Timestamp;
use std::io::Read;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The session
    session: String,
    /// The message; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    message: String,
    /// More words of it
    #[arg(value_name = "WORD")]
    more: Vec<String>,
    /// Interrupt a turn that goes on, instead of waiting for its end
    #[arg(long)]
    now: bool,
    /// Do not wait for the delivery
    #[arg(long)]
    queue: bool,
    /// Wait until its turn is over, and print its answer
    #[arg(long, conflicts_with = "queue")]
    wait: bool,
    /// Print what became of it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let words = [vec![arguments.message], arguments.more].concat();
    let content = spoken(&words)?;
    let client = Client::ready(&home).await?;
    let request = SendMessage {
        id: arguments.session.clone(),
        content,
        when: arguments.now.then_some(When::Now),
        wait_seconds: arguments.queue.then_some(0),
    };
    let receipt: MessageReceipt = client
        .call("send_message", request)
        .await
        .map_err(Failure::from)?;
    if arguments.wait && receipt.state != MessageState::Failed {
        return answered(&home, client, arguments.session, &receipt, arguments.json).await;
    }
    if arguments.json {
        return print_json(&receipt);
    }
    match receipt.state {
        MessageState::Failed => Err(Failure::new(format!("not delivered: {}", receipt.detail))),
        state => print(&format!("{}: {}\n", state.as_str(), receipt.detail)),
    }
}

/// Waits until the turn of a message is over, and prints what came of it.
async fn answered(home: &Home, client: Client, id: String, sent: &MessageReceipt, json: bool) -> Outcome {
    if sent.state == MessageState::Uncertain {
        return Err(
            Failure::new(format!("not known to be delivered: {}", sent.detail))
                .hint(format!("downbeat messages {id}")),
        );
    }
    let sessions = [id.clone()];
    // One that waits in the queue keeps it from resting.
    let over = |session: &Session| session.queued == 0 && wait::rests(session.status);
    let found = wait::until(home, client.clone(), &sessions, None, over).await?;
    if let Some(open) = found.iter().find(|session| session.status != Status::Idle) {
        let what = format!("{} is {}", open.name, open.status.as_str());
        return Err(Failure::new(what).hint(format!("downbeat status {}", open.name)));
    }
    let messages: Vec<Message> = client
        .call("list_messages", SessionRef { id: id.clone() })
        .await
        .map_err(Failure::from)?;
    let sent = messages.iter().find(|message| message.id == sent.message);
    let output = output::fetch(&client, id.clone(), OutputKind::Answer, None).await?;
    if is_older(output.at, sent.map(|message| message.created_at)) {
        let what = "its turn is over without an answer: it was interrupted, or its agent said nothing";
        return Err(Failure::new(what).hint(format!("`downbeat output {id}` shows its screen")));
    }
    match json {
        true => print_json(&output),
        false => print(&output::text(&output)),
    }
}

/// Whether the last answer of a session was there before the message was sent.
fn is_older(answered: Option<Timestamp>, sent: Option<Timestamp>) -> bool {
    answered.zip(sent).is_some_and(|(answered, sent)| answered < sent)
}

/// What the words say; `-` alone is standard input.
pub(crate) fn spoken(words: &[String]) -> Result<String, Failure> {
    let mut text = words.join(" ");
    if text == "-" {
        text.clear();
        std::io::stdin().lock().read_to_string(&mut text)?;
    }
    Ok(text)
}
