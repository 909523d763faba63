//! Programs that print endless sequences, which a terminal stores until they end.

use crate::sandbox::Home;
use std::time::Duration;

/// Megabytes of each kind: without a bound, the smallest of them would exceed [`MOST_KIB`].
const MEGABYTES: usize = 24;

/// The largest peak memory of a keeper.
const MOST_KIB: u64 = 20 << 10;

/// The longest that all kinds together may take; on a machine without other work they take some ten seconds.
const LONGEST: Duration = Duration::from_secs(240);

/// The start of each kind, and the text that is printed endlessly after it.
const KINDS: [(&str, &str, &str); 13] = [
    ("a title", "\\033]0;", "ttttttt"),
    ("a title of many parts", "\\033]2;", "t;"),
    ("a clipboard text", "\\033]52;c;", "QUFB"),
    ("a link", "\\033]8;;http://", "xxxxxxx"),
    ("a name of a link", "\\033]8;id=", "xxxxxxx"),
    ("an unknown OSC string", "\\033]999;", "xxxxxxx"),
    ("a DCS string", "\\033Pq", "~~~~~~~"),
    ("an APC string", "\\033_G", "AAAAAAA"),
    ("a PM string", "\\033^", "xxxxxxx"),
    ("an SOS string", "\\033X", "xxxxxxx"),
    ("CSI parameters", "\\033[", "1;22:3;"),
    ("a synchronised update", "\\033[?2026h", "xxxxxxx"),
    ("combining marks", "e", "\u{301}\u{302}\u{303}"),
];

#[tokio::test]
async fn a_keeper_stays_small_whatever_a_program_prints_endlessly() {
    let home = Home::new();
    let print = |(name, begin, body): &(&str, &str, &str)| {
        let bytes = MEGABYTES << 20;
        format!(
            "printf '{begin}'; yes '{body}' | tr -d '\\n' | head -c {bytes}; printf '\\030\\nafter {name}.\\n'"
        )
    };
    let script: Vec<String> = KINDS.iter().map(print).collect();
    let (link, _reports) = home
        .launch(&[&format!("stty raw; {}; sleep 1000", script.join("; "))])
        .await;
    let floods_end = async {
        while !link
            .text(100)
            .await
            .unwrap()
            .text
            .contains("after combining marks.")
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(LONGEST, floods_end).await.unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", link.hello().pid)).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST_KIB, "{peak} KiB");
    link.kill(Duration::ZERO).await.unwrap();
}
