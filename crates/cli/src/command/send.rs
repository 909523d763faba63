//! `downbeat send`: puts a message for a session's agent into its queue, and says what became of it.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_model::{MessageState, When};
use downbeat_wire::message::{MessageReceipt, SendMessage};
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
    /// Print what became of it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let words = [vec![arguments.message], arguments.more].concat();
    let content = spoken(&words)?;
    let client = Client::ready(&home).await?;
    let request = SendMessage {
        id: arguments.session,
        content,
        when: arguments.now.then_some(When::Now),
        wait_seconds: arguments.queue.then_some(0),
    };
    let receipt: MessageReceipt = client
        .call("send_message", request)
        .await
        .map_err(Failure::from)?;
    if arguments.json {
        return print_json(&receipt);
    }
    match receipt.state {
        MessageState::Failed => Err(Failure::new(format!("not delivered: {}", receipt.detail))),
        state => print(&format!("{}: {}\n", state.as_str(), receipt.detail)),
    }
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
