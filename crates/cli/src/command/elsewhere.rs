//! Commands and options of Agent Orchestrator that are not Downbeat's: each gets one line that says what to use instead.
//! Those that Downbeat has under the same words are in `arguments`.

/// The words of a command, an option of it (empty for the command itself), and what to use instead.
const ROWS: &[(&[&str], &str, &str)] = &[
    (
        &["dashboard"],
        "",
        "`downbeat start` opens the window, `downbeat start --link` prints an address for a browser",
    ),
    (
        &["init"],
        "",
        "`downbeat start .` adds this folder, `downbeat config import` translates agent-orchestrator.yaml",
    ),
    (
        &["open"],
        "",
        "`downbeat attach SESSION` opens a terminal here, `downbeat start` the window",
    ),
    (
        &["plugin"],
        "",
        "there are no plugins; `downbeat agents --help` is about agents of your own",
    ),
    (
        &["update"],
        "",
        "install the new version as you installed this one; sessions keep running",
    ),
    (
        &["verify"],
        "",
        "`downbeat check SESSION` runs the project's checks on its work",
    ),
    (
        &["review-check"],
        "",
        "forges are asked by themselves; `downbeat reactions explain SESSION` shows what follows",
    ),
    (
        &["acknowledge"],
        "",
        "the status of a session follows from its agent's hooks; nothing has to be acknowledged",
    ),
    (
        &["migrate-storage"],
        "",
        "`downbeat config import` translates the configuration; sessions are not taken over",
    ),
    (
        &["session", "claim-pr"],
        "",
        "a pull request is found by its commit, whoever opened it: `downbeat pr show SESSION`",
    ),
    (
        &["session", "remap"],
        "",
        "a session keeps its conversation; `downbeat resume SESSION` continues it",
    ),
    (
        &["project", "set-default"],
        "",
        "the project is that of this folder, or name it with `--project`",
    ),
    (
        &["start"],
        "--no-dashboard",
        "`downbeat serve` runs the engine without a window",
    ),
    (
        &["start"],
        "--no-orchestrator",
        "`downbeat start` starts no conductor; `downbeat new --conductor` does",
    ),
    (
        &["start"],
        "--interactive",
        "`downbeat start` asks nothing; `downbeat config --help` is about settings",
    ),
    (
        &["spawn"],
        "--open",
        "`downbeat attach SESSION` opens its terminal",
    ),
    (
        &["spawn"],
        "--claim-pr",
        "a pull request is found by its commit, whoever opened it: `downbeat pr show SESSION`",
    ),
    (
        &["batch-spawn"],
        "--open",
        "`downbeat attach SESSION` opens the terminal of one",
    ),
    (
        &["doctor"],
        "--fix",
        "`downbeat doctor` corrects file modes by itself and says how to correct the rest",
    ),
    (
        &["send"],
        "--file",
        "`downbeat send SESSION - < FILE` sends a file",
    ),
    (&["send"], "-f", "`downbeat send SESSION - < FILE` sends a file"),
];

/// Returns what to use instead of what was typed, as one line.
pub(super) fn instead(typed: &[String]) -> Option<String> {
    let (words, option, text) = ROWS.iter().find(|(words, option, _)| {
        let begins = typed.len() >= words.len() && words.iter().zip(typed).all(|(word, typed)| word == typed);
        begins && (option.is_empty() || typed.iter().any(|typed| typed == option))
    })?;
    let named = [words.join(" "), (*option).to_owned()].join(" ");
    Some(format!("there is no `{}` here: {text}", named.trim()))
}

#[cfg(test)]
mod tests {
    use super::{ROWS, instead};

    #[test]
    fn what_downbeat_lacks_is_answered_with_one_line() {
        let typed = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        for (words, option, text) in ROWS {
            let line = instead(&typed(format!("{} x {option}", words.join(" ")).trim())).unwrap();
            assert!(line.contains(text) && !line.contains('\n'), "{line}");
        }
        for text in ["start", "spawn 42", "session kill x", "nothing", "session"] {
            assert_eq!(instead(&typed(text)), None, "{text}");
        }
    }
}
