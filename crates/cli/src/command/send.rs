//! `downbeat send`: hands a message to a session's agent, and says whether it was taken.

use crate::client::Client;
use crate::command::{Outcome, print, print_json};
use crate::failure::Failure;
use crate::home::Home;
use clap::Args;
use downbeat_wire::session::{Delivery, MessageReceipt, SendMessage};
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
    /// Print what became of it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let words = [vec![arguments.message], arguments.more].concat();
    let mut content = words.join(" ");
    if content == "-" {
        content.clear();
        std::io::stdin().lock().read_to_string(&mut content)?;
    }
    let client = Client::ready(&home).await?;
    let request = SendMessage {
        id: arguments.session,
        content,
    };
    let receipt: MessageReceipt = client
        .call("send_message", request)
        .await
        .map_err(Failure::from)?;
    if arguments.json {
        return print_json(&receipt);
    }
    let word = match receipt.delivery {
        Delivery::Taken => "taken",
        Delivery::Uncertain => "handed over, not confirmed",
    };
    print(&format!("{word}: {}\n", receipt.detail))
}
