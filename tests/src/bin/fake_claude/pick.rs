//! A question with answers of the fake agent, drawn and answered like the real one's.

use crate::flush;
use std::io::Read;

const ANSWERS: [&str; 3] = ["Yes", "Yes, and don't ask again for this command", "No"];

/// Asks about a command until an answer is given, and removes the question from the screen.
pub(crate) fn pick(command: &str) -> &'static str {
    let (mut at, mut keys, mut key) = (0, Vec::new(), [0u8; 1]);
    loop {
        let pointed = |n| if n == at { '❯' } else { ' ' };
        let answers = ANSWERS.iter().enumerate();
        let answers: Vec<String> = answers
            .map(|(n, answer)| format!(" {} {}. {answer}", pointed(n), n + 1))
            .collect();
        let shown = format!(
            "Bash command\n  {command}\n\n Do you want to proceed?\n{}\n\n Esc to cancel",
            answers.join("\n")
        );
        print!("{shown}");
        flush();
        let taken = loop {
            if !matches!(std::io::stdin().read(&mut key), Ok(1)) {
                break true;
            }
            keys.push(key[0]);
            match keys.as_slice() {
                [.., 27, b'[', b'A'] => at = at.saturating_sub(1),
                [.., 27, b'[', b'B'] => at = (at + 1).min(ANSWERS.len() - 1),
                [.., digit @ b'1'..=b'3'] => {
                    at = usize::from(digit - b'1');
                    break true;
                }
                [.., b'\r'] => break true,
                _ => continue,
            }
            break false;
        };
        print!("\x1b[{}A\r\x1b[J", shown.matches('\n').count());
        if taken {
            return ANSWERS[at];
        }
    }
}
