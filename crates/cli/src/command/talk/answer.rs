//! `downbeat answer`: answers the question that a session's agent asks.

use crate::client::Client;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::session::{AnswerQuestion, Delivery};

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// The answer: its number from 1, its text, or the beginning of the text; any text for a question in prose
    #[arg(allow_hyphen_values = true)]
    choice: String,
    /// More words of it
    #[arg(value_name = "WORD")]
    more: Vec<String>,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let words = [vec![arguments.choice], arguments.more].concat();
    let client = Client::ready(&home).await?;
    let request = AnswerQuestion {
        id: arguments.session,
        choice: words.join(" "),
        question: None,
    };
    let receipt = client.answer_question(request).await?;
    if arguments.json {
        return print_json(&receipt);
    }
    let word = match receipt.delivery {
        Delivery::Taken => "answered",
        Delivery::Uncertain => "not confirmed",
    };
    print(&format!("{word}: {} ({})\n", receipt.answer, receipt.detail))
}
