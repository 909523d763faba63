//! The fake agent at work for as long as it lives: draws and posts like the real one in a long turn. It is
//! used to measure the cost of 60 of them.

use crate::{Fake, flush};
use serde_json::json;
use std::time::Duration;

/// The time between two frames of the spinner.
const TURN: Duration = Duration::from_millis(100);

const SPINNER: [char; 6] = ['·', '✢', '✳', '✶', '✻', '✽'];

/// Draws ten frames a second, prints a line each second, changes the title, and posts a hook every other
/// second.
pub(crate) fn spin(fake: &Fake) {
    for frame in 0_usize.. {
        let (second, mark) = (frame / 10, SPINNER[frame % SPINNER.len()]);
        if frame % 10 == 0 {
            println!(
                "\r\x1b[K  \x1b[32m+\x1b[0m line {second} of what it writes, with \x1b[1msome\x1b[0m colour"
            );
            print!("\x1b]0;{mark} Works on it\x07");
        }
        if frame % 20 == 0 {
            let name = if frame % 40 == 0 {
                "PreToolUse"
            } else {
                "PostToolUse"
            };
            let tool = json!({ "tool_name": "Bash", "tool_input": { "command": "cargo check" },
                "tool_use_id": format!("tool-{}", frame / 40) });
            fake.hook(name, tool);
        }
        print!("\r\x1b[K\x1b[38;5;174m{mark} Working… ({second}s · esc to interrupt)\x1b[0m");
        flush();
        std::thread::sleep(TURN);
    }
}
