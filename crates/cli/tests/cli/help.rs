//! Tests of the text of every `--help`, so that a change of the command line is noticed; of wrong usage; and
//! of shell completion.

use crate::rig::{command, run};
use tempfile::TempDir;

const COMMANDS: &[&str] = &[
    "",
    "serve",
    "start",
    "project",
    "project add",
    "project list",
    "project remove",
    "new",
    "spawn",
    "list",
    "status",
    "output",
    "logs",
    "send",
    "attach",
    "shell",
    "kill",
    "stop",
    "resume",
    "rename",
    "wait",
    "restore-work",
    "remove",
    "api",
    "doctor",
    "completion",
    "config",
    "config path",
    "config show",
    "config validate",
    "config schema",
];

#[tokio::test]
async fn the_command_line_is_as_documented() {
    let home = TempDir::new().unwrap();
    let mut all = String::new();
    for words in COMMANDS {
        let said = run(command(home.path()).args(words.split_whitespace()).arg("--help")).await;
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
        all.push_str(&format!("$ downbeat {words} --help\n{}\n", said.out));
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn wrong_usage_exits_with_code_2() {
    let home = TempDir::new().unwrap();
    for words in [
        "",
        "nope",
        "status a b",
        "stop",
        "stop a --all",
        "output",
        "output a -n 0",
        "send a",
        "api get x",
    ] {
        let said = run(command(home.path()).args(words.split_whitespace())).await;
        assert_eq!(said.code, 2, "{words}: {said:?}");
        assert!(said.out.is_empty() && !said.err.is_empty(), "{words}");
    }
}

#[tokio::test]
async fn completion_prints_a_script_for_each_shell() {
    let home = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let said = run(command(home.path()).args(["completion", shell])).await;
        assert!(
            said.code == 0 && said.out.contains("COMPLETE"),
            "{shell}: {said:?}"
        );
    }
}
