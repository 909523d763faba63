//! Tests the posts of the plugin, which runs under Node, with a script in place of `downbeat`. Whether
//! OpenCode calls it in this way is tested with the real one.

use super::command::PLUGIN;
use crate::agent::transcript::read_transcript;
use crate::manifest::agents::built_in;
use crate::transcript::{Entry, Place, Tokens, What};
use serde_json::{Value, json};
use std::process::Command;

/// The code before each test: `hooks` is the plugin, `event` sends it an event, `out` is the output to check.
const BEFORE: &str = r##"
import { writeFileSync } from "node:fs";
writeFileSync("downbeat", "#!/bin/sh\ncat >> posts\necho >> posts\n", { mode: 0o755 });
const { Downbeat } = await import("./plugin.mjs");
const hooks = await Downbeat();
const event = (type, properties) => hooks.event({ event: { type, properties } });
const status = (type) => event("session.status", { sessionID: "s", status: { type } });
const out = (value) => console.log(JSON.stringify(value));
"##;

/// Runs `script` and returns the plugin's posts, the script's output and the transcript, once all of it
/// arrived.
fn run(script: &str) -> (Vec<Value>, Value, Vec<Entry>) {
    run_with(script, None)
}

/// Like [`run`], with a program for posts of this name next to `downbeat`.
fn run_with(script: &str, small: Option<&str>) -> (Vec<Value>, Value, Vec<Entry>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("plugin.mjs"), PLUGIN.1).unwrap();
    std::fs::write(dir.path().join("test.mjs"), format!("{BEFORE}{script}")).unwrap();
    let mut command = Command::new("node");
    if let Some(name) = small {
        command.env("DOWNBEAT_HOOK", dir.path().join(name));
    }
    let done = command
        .arg("test.mjs")
        .current_dir(dir.path())
        .env("DOWNBEAT_CLI", dir.path().join("downbeat"))
        .env("DOWNBEAT_TRANSCRIPT", dir.path().join("transcript"))
        .output()
        .expect("node, which the whole checkout needs");
    assert!(done.status.success(), "{done:?}");
    let posts = std::fs::read_to_string(dir.path().join("posts")).unwrap_or_default();
    let posts = posts.lines().map(|line| serde_json::from_str(line).unwrap());
    let shown = serde_json::from_slice(&done.stdout).unwrap_or_default();
    let transcript = std::fs::read(dir.path().join("transcript")).unwrap_or_default();
    (posts.collect(), shown, entries(&transcript))
}

/// Reads the entries of the transcript that the plugin wrote.
fn entries(transcript: &[u8]) -> Vec<Entry> {
    let (mut all, mut place) = (Vec::new(), Place::default());
    read_transcript(&built_in("opencode"), &mut place, transcript, |entry| {
        all.push(entry)
    });
    all
}

/// Returns the names of the posts, or the status that they report.
fn names(posts: &[Value]) -> Vec<&str> {
    let said = posts
        .iter()
        .map(|post| post["status"].as_str().or(post["hook_event_name"].as_str()));
    said.map(Option::unwrap).collect()
}

#[test]
fn the_small_program_takes_the_posts_if_it_exists() {
    let script = r##"
        const small = "#!/bin/sh\n[ $# = 0 ] && cat >> posts && echo >> posts\n";
        writeFileSync("downbeat", "#!/bin/sh\nexit 9\n", { mode: 0o755 });
        writeFileSync("small", small, { mode: 0o755 });
        await status("busy");
    "##;
    let (posts, ..) = run_with(script, Some("small"));
    assert_eq!(names(&posts), ["busy"]);
}

#[test]
fn a_failure_is_not_hidden_by_the_rest_that_follows_it() {
    let (posts, ..) = run(r#"
        const fails = (name) => event("session.error", { sessionID: "s", error: { name } });
        await status("busy");
        await fails("APIError");
        await status("idle");
        await status("idle");
        await hooks["chat.message"]({ sessionID: "s" });
        await status("idle");
        await fails("MessageAbortedError");
        await status("idle");
        await fails("ContextOverflowError");
        await status("busy");
        await status("idle");
    "#);
    let said = [
        "busy",
        "session.error",
        "chat.message",
        "idle",
        "session.error",
        "idle",
        "session.error",
        "busy",
        "idle",
    ];
    assert_eq!(names(&posts), said);
}

#[test]
fn a_post_that_fails_does_not_stop_the_others() {
    let (posts, ..) = run(r#"
        await event("permission.asked", { sessionID: "s", id: "1", metadata: { size: 1n } });
        await status("idle");
    "#);
    assert_eq!(names(&posts), ["idle"]);
}

#[test]
fn waiting_posts_are_bounded_and_the_oldest_about_tools_are_dropped_first() {
    let (posts, ..) = run(r#"
        await status("busy");
        await event("question.asked", { sessionID: "s", id: "1", questions: [] });
        for (let n = 0; n < 1000; n++) await hooks["tool.execute.before"]({ sessionID: "s", tool: `t${n}` });
        await status("idle");
    "#);
    let said = names(&posts);
    assert!(said.len() <= 300, "{}", said.len());
    assert_eq!(said[..2], ["busy", "question.asked"]);
    assert_eq!(said.last(), Some(&"idle"));
    assert_eq!(posts[posts.len() - 2]["tool"], "t999");
}

#[test]
fn commands_do_not_get_the_plugins_variables() {
    let (_, shown, _) = run(r#"
        const output = { env: { MINE: "1" } };
        await hooks["shell.env"]({}, output);
        out(output.env);
    "#);
    let wanted = json!({"MINE": "1", "OPENCODE_CONFIG_CONTENT": "", "DOWNBEAT_BRIEFING": "", "DOWNBEAT_TRANSCRIPT": ""});
    assert_eq!(shown, wanted);
}

#[test]
fn denials_in_files_stay_and_what_files_allow_is_asked_about() {
    // As OpenCode merges our rules over theirs: a rule that they name as well keeps its place.
    let (_, shown, _) = run(r#"
        const read = { "*": "allow", "*.env": "ask" };
        const ours = { "*": "ask", edit: "allow", read };
        process.env.OPENCODE_CONFIG_CONTENT = JSON.stringify({ permission: ours });
        const permission = {
            edit: "allow",
            bash: { "*": "allow", "rm *": "deny" },
            webfetch: "deny",
            read: { "secret/*": "deny", ...read },
            "*": "ask",
            task: "allow",
        };
        await hooks.config({ permission });
        await hooks.config({});
        out(Object.entries(permission).map(([name, rule]) => [name, typeof rule === "string" ? rule : Object.entries(rule)]));
    "#);
    let wanted = json!([
        ["*", "ask"],
        ["edit", "allow"],
        ["read", [["*", "allow"], ["*.env", "ask"], ["secret/*", "deny"]]],
        ["bash", [["*", "ask"], ["rm *", "deny"]]],
        ["webfetch", [["*", "deny"]]],
    ]);
    assert_eq!(shown, wanted);
}

#[test]
fn the_end_of_a_turn_reports_the_last_answer_and_never_the_prompt() {
    let (posts, ..) = run(r#"
        const part = (messageID, text, sessionID = "s") =>
            event("message.part.updated", { part: { sessionID, messageID, type: "text", text } });
        const message = (id, role) => event("message.updated", { info: { id, role, sessionID: "s" } });
        await hooks["chat.message"]({ sessionID: "s" });
        await message("1", "user");
        await part("1", "Should we?");
        await status("idle");
        await part("2", "Should");
        await part("2", "x".repeat(9000) + " Should I?");
        await status("idle");
        await hooks["chat.message"]({ sessionID: "s" });
        await part("3", "And now?");
        await message("3", "user");
        await status("idle");
    "#);
    let said: Vec<Option<&str>> = posts
        .iter()
        .filter(|post| post["status"] == "idle")
        .map(|post| post["last_assistant_message"].as_str())
        .collect();
    assert_eq!((said[0], said[2]), (None, None));
    let told = said[1].unwrap();
    assert!(told.ends_with(" Should I?") && told.len() == 6000, "{told}");
}

#[test]
fn messages_calls_and_usage_are_written_to_the_transcript_once() {
    let (posts, _, entries) = run(r#"
        const said = { parts: [{ type: "text", id: "p1", text: "Draw it" }, { type: "text", synthetic: true, text: "x" }] };
        await hooks["chat.message"]({ sessionID: "s" }, said);
        const part = (fields) => event("message.part.updated", { part: { sessionID: "s", messageID: "m", ...fields } });
        await part({ id: "p1", type: "text", text: "Draw it" });
        await part({ id: "p2", type: "tool", tool: "bash", state: { status: "running", input: { command: "ls" } } });
        await part({ id: "p2", type: "tool", tool: "bash", state: { status: "completed", input: { command: "ls" } } });
        await part({ id: "p3", type: "text", text: "It is", time: { start: 1 } });
        const answer = { id: "p3", type: "text", text: "It is drawn.", time: { start: 1, end: 2 } };
        await part(answer);
        await part(answer);
        const tokens = { input: 100, output: 10, reasoning: 5, cache: { read: 40, write: 2 } };
        const info = { id: "m", sessionID: "s", role: "assistant", modelID: "big", tokens, time: { created: 1 } };
        await event("message.updated", { info });
        const done = { info: { ...info, time: { created: 1, completed: 2 } } };
        await event("message.updated", done);
        await event("message.updated", done);
    "#);
    assert!(
        posts[0]["transcript_path"]
            .as_str()
            .unwrap()
            .ends_with("transcript")
    );
    let told: Vec<What> = entries.into_iter().map(|entry| entry.what).collect();
    let wanted = [
        What::Said("Draw it".into()),
        What::Called {
            tool: "bash".into(),
            about: "ls".into(),
        },
        What::Answered {
            message: "m".into(),
            text: "It is drawn.".into(),
        },
        What::Used(Tokens {
            key: "opencode m".into(),
            model: "big".into(),
            input: 100,
            cached: 40,
            written: 2,
            output: 15,
        }),
    ];
    assert_eq!(told, wanted);
}
