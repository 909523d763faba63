//! Tests completion in a real shell: commands, and names that the running engine knows.

use downbeat_tests::programs::program;
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;

async fn shell(sandbox: &Sandbox, project: &str, name: &str) -> String {
    let ask = json!({ "projectId": project, "title": name, "agent": "shell" });
    sandbox.session(ask).await
}

/// Returns the completions that bash offers after `words`, with the script for the person's profile.
fn offered(sandbox: &Sandbox, words: &str) -> Vec<String> {
    begun(sandbox, words, "")
}

/// Returns the completions that bash offers for the partial word `word` after `words`.
fn begun(sandbox: &Sandbox, words: &str, word: &str) -> Vec<String> {
    let script = "source <(downbeat completion bash)\n\
                  COMP_WORDS=($1 \"$2\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_TYPE=9\n\
                  _clap_complete_downbeat downbeat '' ''\n\
                  printf '%s\\n' \"${COMPREPLY[@]}\"";
    let programs = program("downbeat").parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let mut bash = sandbox.command("bash");
    bash.args(["-c", script, "bash", words, word])
        .env("PATH", format!("{programs}:{path}"));
    let output = bash.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shell_completes_commands_and_names() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    shell(&sandbox, &project, "alive").await;
    let away = shell(&sandbox, &project, "away").await;
    sandbox
        .post("/api/sessions/stop", json!({ "id": away }))
        .await
        .unwrap();
    sandbox.status(&away, &["exited"]).await;
    sandbox
        .post(&format!("/api/sessions/{away}/archive"), json!({}))
        .await
        .unwrap();
    let table = [
        ("downbeat", "restore-work"),
        ("downbeat kill", "alive"),
        ("downbeat unarchive", "away"),
        ("downbeat project remove", "shop"),
        ("downbeat list --parent", "alive"),
        ("downbeat list -p", "shop"),
    ];
    // An engine that does not answer at once offers no names, so that nobody waits at the prompt.
    for (words, name) in table {
        let look = async || {
            offered(&sandbox, words)
                .iter()
                .any(|offer| offer == name)
                .then_some(())
        };
        until(&format!("{name} after {words}"), look).await;
    }
    // A name is quoted, so that the shell treats it as one word and runs no part of it.
    let odd = sandbox.repository("two $(words)");
    let added = sandbox.cli(&["project", "add", "--", &odd.to_string_lossy()]);
    assert!(added.status.success(), "{added:?}");
    for word in ["", "tw", "two\\ "] {
        let quoted = "two\\ \\$\\(words\\)".to_owned();
        let look = async || {
            let names = begun(&sandbox, "downbeat project remove", word);
            names.contains(&quoted).then_some(())
        };
        until(&format!("{quoted} after {word}"), look).await;
    }
    for words in [
        "downbeat project add",
        "downbeat start",
        "downbeat project edit shop --path",
    ] {
        let folders = begun(&sandbox, words, "sh");
        assert!(
            folders.iter().any(|offer| offer.starts_with("shop")),
            "{words}: {folders:?}"
        );
    }
    assert!(
        !offered(&sandbox, "downbeat kill").contains(&"away".to_owned()),
        "it is put away"
    );
    sandbox.kill_engine();
    // Completion starts no engine.
    assert!(!offered(&sandbox, "downbeat kill").contains(&"alive".to_owned()));
    assert!(sandbox.get("/api/engine").await.is_err());
}
