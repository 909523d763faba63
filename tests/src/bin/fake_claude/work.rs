//! A turn that takes as long as a test wants, and the effect of Esc on it.

use super::{EARLY, PASTE_END, PASTE_START, draw, flush};
use std::time::Duration;

/// Works until the file exists; returns false if Esc came first.
pub fn work(file: &str) -> bool {
    print!("\x1b]0;◐ Fake Claude\x07");
    draw(&[]);
    let goes_on = loop {
        let stdin = std::io::stdin();
        let mut polled = [rustix::event::PollFd::new(&stdin, rustix::event::PollFlags::IN)];
        let wait = rustix::event::Timespec {
            tv_sec: 0,
            tv_nsec: Duration::from_millis(20).subsec_nanos().into(),
        };
        let is_there = matches!(rustix::event::poll(&mut polled, Some(&wait)), Ok(1));
        let mut keys = [0u8; 4096];
        let came = if is_there {
            rustix::io::read(&stdin, &mut keys).unwrap_or(0)
        } else {
            0
        };
        if keys[..came] == [27] {
            break false;
        }
        if came > 0
            && let Ok(mut early) = EARLY.lock()
        {
            early.extend_from_slice(&keys[..came]);
            draw(&early);
        }
        if std::path::Path::new(file).exists() {
            break true;
        }
    };
    print!(
        "\r\x1b[J{}\r\n\x1b]0;✳ Fake Claude\x07",
        if goes_on { "worked" } else { "interrupted" }
    );
    flush();
    goes_on
}

/// The minimum lines and bytes of a paste for which the real one shows a mark instead.
const MANY: (usize, usize) = (4, 800);

/// Puts the message of an interrupted turn without output back into the prompt, like the real one.
pub fn put_back(message: &str) {
    let message = match message.lines().count() < MANY.0 && message.len() < MANY.1 {
        true => message.to_owned(),
        false => format!("{PASTE_START}{message}{PASTE_END}"),
    };
    if let Ok(mut early) = EARLY.lock() {
        early.splice(..0, message.bytes());
    }
}
