//! `downbeat edit`: opens a session's workspace, or a line of a file in it, in the person's editor: in one with a window, or with
//! `--here` in $VISUAL or $EDITOR on this terminal.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome, print, print_json};
use crate::paint::plain;
use clap::Args;
use downbeat_engine::config::{Editor, EditorConfig};
use downbeat_wire::Client as _;
use downbeat_wire::editor::OpenInEditor;
use downbeat_wire::request::SessionRef;
use std::path::Path;
use std::process::Command;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// A file in its workspace, and its line: `src/main.rs:12`
    file: Option<String>,
    /// Run $VISUAL or $EDITOR on this terminal
    #[arg(long, conflicts_with = "json")]
    here: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let (path, line) = match arguments.file.as_deref().map(place) {
        Some((path, line)) => (Some(path.to_owned()), line),
        None => (None, None),
    };
    let id = arguments.session;
    if arguments.here {
        let session = client.get_session(SessionRef { id }).await?;
        let removed = || Failure::new(format!("the worktree of {} was removed", session.name));
        let folder = session.workspace_path.as_deref().ok_or_else(removed)?;
        return here(Path::new(folder), path.as_deref(), line);
    }
    let opened = client.open_in_editor(OpenInEditor { id, path, line }).await?;
    match arguments.json {
        true => print_json(&opened),
        false => print(&format!(
            "opened {} in {}\n",
            plain(&opened.path),
            plain(&opened.editor)
        )),
    }
}

/// Splits `FILE:LINE`.
fn place(text: &str) -> (&str, Option<u32>) {
    let parts = text.rsplit_once(':');
    let numbered = parts.and_then(|(path, line)| Some((path, line.parse().ok()?)));
    match numbered {
        Some((path, line)) if !path.is_empty() => (path, Some(line)),
        _ => (text, None),
    }
}

/// Runs the person's editor on this terminal, and ends as it ends.
fn here(folder: &Path, path: Option<&str>, line: Option<u32>) -> Outcome {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| {
        let value = std::env::var(name).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    let editor = named.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.to_owned());
    let words = shlex::split(&editor).filter(|words| !words.is_empty());
    let words =
        words.ok_or_else(|| Failure::usage(format!("{editor:?} in $EDITOR has an unclosed quote")))?;
    if !folder.is_dir() {
        let failure = Failure::new(format!("the workspace {} is missing", folder.display()));
        return Err(failure.hint("`downbeat resume --remake` recreates it"));
    }
    let (program, rest) = words.split_at(1);
    let mut command = Command::new(&program[0]);
    command.args(rest).current_dir(folder);
    match path {
        Some(path) => command.args(arguments(&program[0], folder, path, line)),
        None => command.arg("."),
    };
    let status = command
        .status()
        .map_err(|error| Failure::new(format!("{editor}: {error}")).hint("set $EDITOR to an editor"))?;
    match status.success() {
        true => DONE,
        false => Err(Failure::new(format!("{editor} ended with {status}"))),
    }
}

/// Returns the arguments that open a line of a file, as far as the editor is known.
fn arguments(program: &str, folder: &Path, path: &str, line: Option<u32>) -> Vec<String> {
    let file = folder.join(path);
    let shown = file.to_string_lossy().into_owned();
    let name = Path::new(program).file_stem().and_then(|name| name.to_str());
    let (Some(name), Some(line)) = (name, line) else {
        return vec![shown];
    };
    match name {
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "micro" | "kak" => {
            vec![format!("+{line}"), shown]
        }
        "hx" | "helix" => vec![format!("{shown}:{line}")],
        // One with a window, in $EDITOR.
        _ => Editor::of_program(name).map_or_else(
            || vec![shown],
            |editor| EditorConfig::Known(editor).arguments(folder, Some((&file, line))),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{arguments, place};
    use std::path::Path;

    #[test]
    fn a_line_is_read_behind_the_file() {
        assert_eq!(place("src/main.rs:12"), ("src/main.rs", Some(12)));
        assert_eq!(place("src/main.rs"), ("src/main.rs", None));
        assert_eq!(place("a:b"), ("a:b", None));
        assert_eq!(place(":12"), (":12", None));
    }

    #[test]
    fn editors_are_told_the_line_in_their_own_way() {
        let told = |program, line| arguments(program, Path::new("/w"), "a", line).join(" ");
        assert_eq!(told("/usr/bin/nvim", Some(3)), "+3 /w/a");
        assert_eq!(told("hx", Some(3)), "/w/a:3");
        assert_eq!(told("code", Some(3)), "/w --goto /w/a:3");
        assert_eq!(told("ed", Some(3)), "/w/a");
        assert_eq!(told("vim", None), "/w/a");
    }
}
