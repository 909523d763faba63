//! A scripted stand-in for Claude Code, for races and edge cases that the real one cannot be made to show on
//! demand. It takes the same options, fires the same hooks and waits at a prompt. A message contains the
//! script of its turn, one command per line:
//!
//! `say TEXT` · `work FILE` (until that file exists, or Esc, which no hook reports) · `mull FILE` (the same,
//! and Esc puts the message back into the prompt; words after the file are ignored) · `lines N` (numbered, a
//! hook after each tenth) · `ask TEXT` (a permission question, until Enter) · `offer TEXT` (a question with
//! answers, drawn and answered by pointer or number like the real one's) · `trap TEXT` (a question that opens
//! in the middle of a paste, without a hook) · `write FILE TEXT` · `commit FILE TEXT` · `report STATUS TEXT` · `escape` (a child that leaves the
//! session's process group) · `forge` (questions and titles of other agents, and sequences that only a
//! terminal sends; then waits for Enter) · `deaf N` (ignores Enter this many times) · `task TEXT` (begins a
//! task of its own list) · `clear` (a new conversation) · `delegate` (a sub-agent with a conversation of its
//! own) · `end TEXT` (its last answer, `\\n` for a new line) · `env NAME` · `die CODE` · `use MODEL INPUT
//! OUTPUT` (an answer that took this many tokens) · `limit TEXT` (the model refuses with these words, and the
//! turn ends) · `spin` (works forever) · `conversation` (prints its id)
//!
//! It also writes its answers to a transcript, at the same path as the real one.
//!
//! It does not prove that the real agent works; the adapter tests run the real one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

#[path = "fake_claude/commit.rs"]
mod commit;
#[path = "fake_claude/pick.rs"]
mod pick;
#[path = "fake_claude/spin.rs"]
mod spin;
#[path = "fake_claude/tasks.rs"]
mod tasks;
#[path = "fake_claude/tools.rs"]
mod tools;
#[path = "fake_claude/work.rs"]
mod work;

use pick::pick;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use work::work;

struct Fake {
    settings: Value,
    conversation: RefCell<String>,
    /// The number of turns in the transcript, which makes the ids of their answers different.
    notes: std::cell::Cell<u32>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--version") {
        println!("2.0.0 (Fake Claude)");
        return;
    }
    let option = |name: &str| {
        let joined = format!("{name}=");
        let whole = arguments.iter().find_map(|a| a.strip_prefix(&joined));
        let place = arguments.iter().position(|a| a == name);
        whole.or_else(|| arguments.get(place? + 1).map(String::as_str))
    };
    let settings = option("--settings")
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or(Value::Null);
    let conversation = option("--session-id")
        .or_else(|| option("--resume"))
        .unwrap_or("fake")
        .to_owned();
    let fake = Fake {
        settings,
        conversation: RefCell::new(conversation),
        notes: std::cell::Cell::new(started()),
    };
    raw();
    fake.remember();
    let place = std::env::current_dir().unwrap_or_default();
    println!("Fake Claude in {}", place.display());
    if let Some(resumed) = option("--resume") {
        let forked = arguments.iter().any(|a| a == "--fork-session");
        println!("{} {resumed}", if forked { "forked" } else { "resumed" });
    }
    tools::list(option("--mcp-config"));
    fake.hook("SessionStart", json!({ "source": "startup" }));
    slow();
    print!("\x1b]0;✳ Fake Claude\x07");
    flush();
    if let Some(prompt) = prompt(&arguments) {
        fake.turn(prompt);
    }
    if arguments.iter().any(|a| a == "--print") {
        fake.hook("SessionEnd", json!({ "reason": "other" }));
        return;
    }
    while let Some(message) = message(true) {
        print!("\r\x1b[J❯ \r\n");
        fake.turn(message.trim());
    }
    fake.hook("SessionEnd", json!({ "reason": "exit" }));
}

/// Returns a number that an earlier run did not have.
fn started() -> u32 {
    u32::try_from(jiff::Timestamp::now().as_second() % 100_000).unwrap_or(0) * 1000
}

/// Waits, up but not at its prompt yet, for as many milliseconds as the environment says.
fn slow() {
    let asked = std::env::var("FAKE_CLAUDE_SLOW").ok();
    if let Some(milliseconds) = asked.and_then(|text| text.parse().ok()) {
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
    }
}

/// Switches the terminal to raw keys, like the real agent: no line discipline, no echo.
fn raw() {
    if let Ok(mut modes) = rustix::termios::tcgetattr(std::io::stdin()) {
        let output = modes.output_modes;
        modes.make_raw();
        modes.output_modes = output;
        let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, &modes);
    }
}

/// Reads the next message: everything typed up to Enter, with pastes whole; `None` at the end of input. With
/// `prompt` it is shown as it is typed.
fn message(prompt: bool) -> Option<String> {
    let (mut typed, mut key) = (Vec::new(), [0u8; 1]);
    if prompt {
        typed = EARLY
            .lock()
            .map(|mut early| std::mem::take(&mut *early))
            .unwrap_or_default();
        draw(&typed);
    }
    loop {
        if !matches!(std::io::stdin().read(&mut key), Ok(1)) {
            return None;
        }
        // An Esc that begins no sequence.
        if typed.last() == Some(&27) && key[0] != b'[' {
            typed.pop();
        }
        let pasting = count(&typed, PASTE_START) > count(&typed, PASTE_END);
        match key[0] {
            b'\r' if !pasting && prompt && is_deaf() => {}
            b'\r' if !pasting => break,
            4 if typed.is_empty() => return None,
            3 if prompt && !cleared(&mut typed) => return None,
            3 if prompt => {}
            0x7f if prompt => drop(typed.pop()),
            other => typed.push(other),
        }
        let amid = pasting && !typed.is_empty() && count(&typed, PASTE_END) == 0;
        if prompt && !amid {
            draw(&typed);
        }
    }
    let text = String::from_utf8_lossy(&typed)
        .replace(PASTE_START, "")
        .replace(PASTE_END, "");
    Some(text.replace('\r', "\n"))
}

/// The time that the real one takes to draw on a busy machine.
const SLOW: Duration = Duration::from_millis(300);

/// The maximum time between two Ctrl+C at an empty prompt that end the real one.
const TWICE: Duration = Duration::from_secs(1);

/// Handles Ctrl+C, which empties the prompt and draws it late; returns false if a second one ends the agent.
fn cleared(typed: &mut Vec<u8>) -> bool {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let last = LAST.lock().ok().and_then(|mut last| last.replace(Instant::now()));
    let is_second = typed.is_empty() && last.is_some_and(|last| last.elapsed() < TWICE + SLOW);
    typed.clear();
    std::thread::sleep(SLOW);
    !is_second
}

/// The number of times that the agent still ignores Enter at its prompt.
static DEAF: AtomicU32 = AtomicU32::new(0);

/// Returns whether the agent ignores this Enter; if so, appends a byte to the file `deaf`.
fn is_deaf() -> bool {
    let left = DEAF.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    let mut options = std::fs::OpenOptions::new();
    if left.is_ok()
        && let Ok(mut file) = options.create(true).append(true).open("deaf")
    {
        let _ = file.write_all(b".");
    }
    left.is_ok()
}

/// Keys that arrived while the agent worked.
static EARLY: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Draws the prompt with its text, like the real one: a paste is only named.
fn draw(typed: &[u8]) {
    let text = String::from_utf8_lossy(typed);
    let shown = match text.contains(PASTE_START) {
        true => "[Pasted text #1]".to_owned(),
        false => text.chars().filter(|c| !c.is_control()).collect(),
    };
    print!("\r\x1b[J❯ {shown}\r\n──────────\x1b[1A\r");
    flush();
}

const PASTE_START: &str = "\u{1b}[200~";
const PASTE_END: &str = "\u{1b}[201~";

fn count(typed: &[u8], mark: &str) -> usize {
    // Marks are only at the ends, so checking just those keeps long pastes fast.
    let (head, tail) = (
        typed.get(..mark.len()),
        typed.len().checked_sub(mark.len()).map(|at| &typed[at..]),
    );
    usize::from(head == Some(mark.as_bytes()) || tail == Some(mark.as_bytes()))
}

/// Returns the last argument, unless it is the value of an option.
fn prompt(arguments: &[String]) -> Option<&str> {
    let last = arguments.last()?;
    let before = arguments.len().checked_sub(2).and_then(|i| arguments.get(i));
    let is_value = before.is_some_and(|a| a.starts_with("--") && a != "--" && !a.contains('='));
    (!is_value && !last.starts_with("--")).then(|| last.trim())
}

fn flush() {
    let _ = std::io::stdout().flush();
}

impl Fake {
    fn turn(&self, prompt: &str) {
        self.hook("UserPromptSubmit", json!({ "prompt": prompt }));
        let mut last = String::new();
        let said = json!({ "message": { "role": "user", "content": prompt } });
        self.note("user", said);
        self.notes.set(self.notes.get() + 1);
        let prompt = tasks::script(prompt);
        for line in prompt.lines() {
            let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            if word == "work" && !work(rest) {
                return;
            }
            if word == "mull" && !work(rest.split(' ').next().unwrap_or(rest)) {
                return work::put_back(&prompt);
            }
            if word == "end" {
                last = rest.replace("\\n", "\n");
                println!("{last}");
                self.answered(json!([{ "type": "text", "text": last }]), "fake", 0, 0);
            } else {
                self.step(word, rest);
            }
        }
        match prompt.lines().find_map(|line| line.trim().strip_prefix("limit ")) {
            Some(text) => {
                let error = json!({ "error": "rate_limit", "last_assistant_message": text });
                self.hook("StopFailure", error);
            }
            None => self.hook(
                "Stop",
                json!({ "stop_hook_active": false, "last_assistant_message": last }),
            ),
        }
    }

    /// Writes an answer with these blocks and this usage to the transcript.
    fn answered(&self, content: Value, model: &str, input: u64, output: u64) {
        let id = format!("msg_{}_{}", self.conversation.borrow(), self.notes.get());
        let usage = json!({ "input_tokens": input, "output_tokens": output });
        let message =
            json!({ "id": id, "model": model, "role": "assistant", "content": content, "usage": usage });
        self.note("assistant", json!({ "message": message }));
    }

    fn step(&self, word: &str, rest: &str) {
        match word {
            "work" | "mull" => {}
            "say" => {
                println!("{rest}");
                self.answered(json!([{ "type": "text", "text": rest }]), "fake", 0, 0);
            }
            "use" => {
                let mut words = rest.split_whitespace();
                let model = words.next().unwrap_or("fake");
                let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                let (input, output) = (number(), number());
                self.answered(json!([]), model, input, output);
            }
            "limit" => {
                println!("{rest}");
                let content = json!([{ "type": "text", "text": rest }]);
                let message = json!({ "model": "<synthetic>", "role": "assistant", "content": content });
                let refusal = json!({ "isApiErrorMessage": true, "message": message });
                self.note("assistant", refusal);
            }
            "lines" => {
                for number in 1..=rest.parse().unwrap_or(0u64) {
                    println!("line {number}");
                    if number % 10 == 0 {
                        self.hook(
                            "PostToolUse",
                            json!({ "tool_name": "Bash", "tool_input": { "n": number } }),
                        );
                    }
                }
            }
            "ask" => {
                let input = json!({ "command": rest });
                self.hook("PreToolUse", json!({ "tool_name": "Bash", "tool_input": input }));
                self.hook(
                    "PermissionRequest",
                    json!({ "tool_name": "Bash", "tool_input": input }),
                );
                println!("Bash command\n  {rest}\nDo you want to proceed?\n❯ 1. Yes\n  2. No");
                flush();
                println!("answered {}", message(false).unwrap_or_default().trim());
                self.hook("PostToolUse", json!({ "tool_name": "Bash", "tool_input": input }));
            }
            "offer" => self.offer(rest),
            "spin" => spin::spin(self),
            "conversation" => println!("conversation {}", self.conversation.borrow()),
            "forge" => {
                // An idle title, another agent's question, the clipboard, a link, answers.
                print!(
                    "\x1b]0;✳ Claude Code\x07\x1b]0;[ ! ] Action Required | shop\x07\x1b]0;✳ Claude Code\x07"
                );
                println!(" Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\r\n");
                println!(
                    "Would you like to run the following command?\r\n› 1. Yes, proceed (y)\r\n  Press enter to confirm or esc to cancel\r\n"
                );
                print!("\x1b]52;c;Zm9yZ2Vk\x07\x1b]52;c;?\x07\x1b]8;;file:///etc/passwd\x07here\x1b]8;;\x07");
                print!("\x1b[?62;22c\x1b[24;80R\x1b]11;rgb:0000/0000/0000\x07\x1b[?1;2c\x1bP1+r544e\x1b\\");
                println!("\r\nforged");
                flush();
                let _ = message(false);
            }
            "deaf" => DEAF.store(rest.parse().unwrap_or(1), Ordering::Relaxed),
            "hang" => {
                let spinner = std::thread::spawn(|| {
                    for second in 0..600 {
                        print!("\rThinking… ({second}s)");
                        flush();
                        std::thread::sleep(std::time::Duration::from_millis(100));
                    }
                });
                let _ = message(false);
                drop(spinner);
            }
            "task" => {
                let todo = json!({ "content": rest, "status": "in_progress", "activeForm": format!("Mending: {rest}") });
                let input = json!({ "todos": [todo] });
                self.hook(
                    "PreToolUse",
                    json!({ "tool_name": "TodoWrite", "tool_input": input }),
                );
            }
            "trap" => {
                // A question that opens while a message is pasted, and whose hook never comes.
                let (mut typed, mut key) = (Vec::new(), [0u8; 1]);
                while !typed.ends_with(PASTE_END.as_bytes())
                    && matches!(std::io::stdin().read(&mut key), Ok(1))
                {
                    typed.push(key[0]);
                }
                println!("Bash command\n  {rest}\nDo you want to proceed?\n❯ 1. Yes\n  2. No\nEsc to cancel");
                flush();
                let answer = message(false).unwrap_or_default();
                // Removes the question from the screen, like the real one.
                print!("\x1b[6A\r\x1b[J");
                println!("fell for {}", answer.trim());
            }
            "commit" => commit::commit(rest),
            "report" => {
                let (status, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let program = std::env::var("DOWNBEAT_CLI").unwrap_or_default();
                let said = Command::new(program).args(["report", status, text]).output();
                println!("{}", String::from_utf8_lossy(&said.expect("the command").stderr));
            }
            "write" => {
                let (file, text) = rest.split_once(' ').unwrap_or((rest, ""));
                let _ = std::fs::write(file, text);
            }
            "escape" => {
                let child = Command::new("setsid")
                    .args(["sleep", "1000"])
                    .stdin(Stdio::null())
                    .spawn();
                println!("escaped {}", child.map_or(0, |child| child.id()));
            }
            "clear" => {
                self.hook("SessionEnd", json!({ "reason": "clear" }));
                let pid = std::process::id();
                *self.conversation.borrow_mut() = format!("22222222-2222-4222-8222-{pid:012}");
                self.remember();
                self.hook("SessionStart", json!({ "source": "clear" }));
            }
            "delegate" => {
                let own = json!({
                    "session_id": "33333333-3333-4333-8333-333333333333", "agent_id": "a1",
                    "agent_type": "helper", "source": "startup",
                });
                self.hook("SessionStart", own.clone());
                self.hook("SubagentStop", own);
            }
            "env" => println!("{rest}={}", std::env::var(rest).unwrap_or_default()),
            "die" => {
                flush();
                std::process::exit(rest.parse().unwrap_or(1));
            }
            _ => println!("heard: {word} {rest}"),
        }
        flush();
    }

    fn offer(&self, command: &str) {
        let tool = json!({ "tool_name": "Bash", "tool_input": { "command": command } });
        self.hook("PreToolUse", tool.clone());
        self.hook("PermissionRequest", tool.clone());
        println!("answered {}", pick(command));
        self.hook("PostToolUse", tool);
    }

    /// Returns the path of the transcript, the same as the real agent's.
    fn transcript(&self) -> std::path::PathBuf {
        let home = std::env::var("HOME").unwrap_or_default();
        let folder = std::path::Path::new(&home).join(".claude/projects/fake");
        folder.join(format!("{}.jsonl", self.conversation.borrow()))
    }

    /// Starts a transcript, so that a resume finds it.
    fn remember(&self) {
        let _ = self.transcript().parent().map(std::fs::create_dir_all);
        self.append("");
    }

    fn append(&self, line: &str) {
        let mut options = std::fs::OpenOptions::new();
        if let Ok(mut file) = options.create(true).append(true).open(self.transcript()) {
            let _ = file.write_all(line.as_bytes());
        }
    }

    /// Adds a line to the transcript.
    fn note(&self, kind: &str, mut line: Value) {
        line["type"] = json!(kind);
        line["sessionId"] = json!(*self.conversation.borrow());
        line["timestamp"] = json!(jiff::Timestamp::now().to_string());
        self.append(&format!("{line}\n"));
    }

    /// Runs the commands that the settings name for this hook, like the real agent: by a shell.
    fn hook(&self, name: &str, extra: Value) {
        let mut body = json!({
            "session_id": *self.conversation.borrow(),
            "hook_event_name": name,
            "cwd": std::env::current_dir().unwrap_or_default(),
            "transcript_path": self.transcript(),
        });
        if let (Some(body), Some(extra)) = (body.as_object_mut(), extra.as_object()) {
            body.extend(extra.clone());
        }
        let groups = self.settings["hooks"][name]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let commands = groups
            .iter()
            .filter_map(|group| group["hooks"].as_array())
            .flatten();
        for command in commands.filter_map(|hook| hook["command"].as_str()) {
            let child = Command::new("sh")
                .args(["-c", command])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn();
            let Ok(mut child) = child else { continue };
            if let Some(mut stdin) = child.stdin.take() {
                let _ = stdin.write_all(body.to_string().as_bytes());
            }
            let _ = child.wait();
        }
    }
}
