//! `downbeat api`: sends any request of the API, as typed.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print_json};
use clap::Args;
use std::io::Read;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: downbeat api POST /api/sessions -d '{\"projectId\": \"app\", \"prompt\": \"…\"}'\n\
    GET /api/openapi.json describes everything."
)]
pub(in crate::command) struct Arguments {
    /// GET, POST, PATCH or DELETE
    method: String,
    /// The path: /api/sessions, or /sessions
    path: String,
    /// The body as JSON; `-` reads standard input
    #[arg(long = "data", short, value_name = "JSON")]
    data: Option<String>,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let method = arguments.method.to_ascii_uppercase();
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(Failure::usage(format!("{:?} is not a method", arguments.method)));
    }
    if !arguments.path.starts_with('/') {
        return Err(Failure::usage("the path starts with a slash").hint("try /api/sessions"));
    }
    let data = match arguments.data.as_deref() {
        Some("-") => {
            let mut text = String::new();
            std::io::stdin().lock().read_to_string(&mut text)?;
            Some(text)
        }
        _ => arguments.data,
    };
    let body = data.map(|text| serde_json::from_str(&text));
    let body = body
        .transpose()
        .map_err(|error| Failure::usage(format!("the data is not JSON: {error}")))?;
    let is_whole = arguments.path == "/api" || arguments.path.starts_with("/api/");
    let path = match is_whole {
        true => arguments.path,
        false => format!("/api{}", arguments.path),
    };
    let client = Client::ready(&home).await?;
    print_json(&client.raw(&method, &path, body).await.map_err(Failure::from)?)
}
