//! The result of a command: its exit code or its failure, and its output. The format of results is in
//! [`crate::show`] and [`crate::table`].

use crate::failure::Failure;
use downbeat_model::shown::line;
use serde::Serialize;
use std::future::Future;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// The result of every command.
pub(crate) type Outcome = Result<ExitCode, Failure>;

/// The result of a command that succeeded.
pub(crate) const DONE: Outcome = Ok(ExitCode::SUCCESS);

/// Runs a command that talks to the engine, on this thread only.
pub(crate) fn wait<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(work)
}

/// Does the same to each named session, and prints each result as soon as it is done. A failure does not stop
/// the others; the first failure is the outcome. JSON is one object for one session, otherwise a list.
pub(crate) async fn each<T: Serialize>(
    sessions: &[String],
    json: bool,
    mut act: impl AsyncFnMut(String) -> Result<(T, String), Failure>,
) -> Outcome {
    let (mut done, mut failed) = (Vec::new(), None);
    for session in sessions {
        match act(session.clone()).await {
            Ok((one, told)) => {
                if !json {
                    print(&told)?;
                }
                done.push(one);
            }
            Err(failure) if failed.is_none() => failed = Some(failure),
            Err(failure) => drop(failure.report()),
        }
    }
    match &done[..] {
        [one] if json && sessions.len() == 1 => drop(print_json(one)?),
        all if json && !all.is_empty() => drop(print_json(&all)?),
        _ => {}
    }
    failed.map_or(DONE, Err)
}

/// Prints text. A reader that closed its end has seen enough, which is not a failure.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(error.into()),
        Ok(()) => DONE,
    }
}

/// Says on standard error what is done now, if a person reads it there: a script sees only results.
pub(crate) fn told_on_terminal(text: &str) {
    if std::io::stderr().is_terminal() {
        eprintln!("{text}");
    }
}

/// Prints the JSON of the API for programs. On a terminal, characters that would act on it are printed as
/// JSON escapes, so that it is the same JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Outcome {
    let text = serde_json::to_string_pretty(value)?;
    let text = match std::io::stdout().is_terminal() {
        true => escaped(&text),
        false => text,
    };
    print(&format!("{text}\n"))
}

/// Escapes all characters in JSON that act on a terminal or change the order of others.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        let (mut bytes, mut units) = ([0; 4], [0; 2]);
        let shown = c.encode_utf8(&mut bytes);
        if c == '\n' || line(shown) == *shown {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_on_a_terminal_is_escaped_and_stays_the_same_json() {
        let value = serde_json::json!({ "a\u{9b}8m": "é\u{7f}\u{202e}\u{e0041}\t\u{1b}" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(
            text,
            "{\n  \"a\\u009b8m\": \"é\\u007f\\u202e\\udb40\\udc41\\t\\u001b\"\n}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
