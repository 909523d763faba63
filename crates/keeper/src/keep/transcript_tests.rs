//! A transcript on a disk that is full for a while.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests: clippy knows only the tests themselves"
)]

use super::*;

const LIMIT: u64 = 1 << 20;

struct Printing {
    screen: Screen,
    transcript: Transcript,
    dir: tempfile::TempDir,
}

impl Printing {
    fn new(scrollback: u32, limit: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut screen = Screen::new(40, 5, scrollback);
        let home = dir.path().join("keeper");
        std::fs::create_dir(&home).unwrap();
        let transcript = Transcript::create(&home, limit, &mut screen);
        Self {
            screen,
            transcript,
            dir,
        }
    }

    fn print(&mut self, lines: std::ops::Range<u32>) {
        for n in lines {
            let line = format!("line {n}\r\n");
            let is_due = self.transcript.output(line.as_bytes());
            drop(self.screen.feed(line.as_bytes()));
            if is_due {
                self.transcript.turn(&mut self.screen);
            }
            self.transcript.flush();
        }
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("keeper")
    }

    /// Makes the disk full: neither the file nor a new one can be written.
    fn fill(&mut self) {
        let current = self.home().join(FILES[self.transcript.current]);
        self.transcript.file = Some(File::open(current).unwrap());
        std::fs::rename(self.home(), self.dir.path().join("full")).unwrap();
    }

    /// Makes room again, and makes the next attempt due.
    fn clear(&mut self) {
        std::fs::rename(self.dir.path().join("full"), self.home()).unwrap();
        self.transcript.again = Some(Instant::now());
    }

    fn replayed(&mut self) -> Vec<String> {
        self.transcript.flush();
        let text = replay(&self.home()).unwrap().text(100_000).text;
        text.lines().map(str::to_owned).collect()
    }
}

fn lines(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("line {n}")).collect()
}

#[test]
fn output_printed_while_the_disk_was_full_is_in_the_transcript_afterwards() {
    let mut printing = Printing::new(10_000, LIMIT);
    printing.print(0..100);
    printing.fill();
    printing.print(100..4_000);
    printing.clear();
    printing.print(4_000..4_001);
    assert_eq!(printing.replayed(), lines(0..4_001));
    // Once more; this time nothing is printed after there is room again.
    printing.print(4_001..4_100);
    printing.fill();
    printing.print(4_100..4_200);
    printing.transcript.exit(7);
    printing.clear();
    assert!(printing.transcript.due().is_some());
    printing.transcript.turn(&mut printing.screen);
    assert_eq!(printing.transcript.due(), None);
    assert_eq!(printing.replayed(), lines(0..4_200));
    assert_eq!(replay(&printing.home()).unwrap().exit, Some(7));
}

#[test]
fn output_that_does_not_fit_after_a_pause_is_shown_as_a_gap_with_its_range() {
    let mut printing = Printing::new(10_000, 64 << 10);
    printing.print(0..100);
    let from = printing.transcript.seq;
    printing.fill();
    printing.print(100..9_000);
    let to = printing.transcript.seq;
    printing.clear();
    printing.transcript.turn(&mut printing.screen);
    printing.print(9_000..9_100);
    let text = printing.replayed();
    let marker = format!("[bytes {from} to {to} of the output are missing here: the disk was full]");
    // The screen is narrower than the line, which continues over several rows.
    assert_eq!(text[0], marker);
    assert_eq!(text[1..], lines(9_101 - text.len() as u32..9_100));
    assert!(text.len() > 900, "{}", text.len());
}

#[test]
fn the_last_screen_says_that_the_keeper_died_while_the_disk_was_full() {
    let mut printing = Printing::new(10_000, LIMIT);
    printing.print(0..100);
    let from = printing.transcript.seq;
    // A full disk: existing bytes may be changed, and none added.
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        println!("skipped: this system has no device that is full");
        return;
    };
    let kept = printing.transcript.file.replace(full);
    assert!(!printing.transcript.output(b"line 100\r\n"));
    printing.transcript.flush();
    assert!(printing.transcript.due().is_some());
    printing.transcript.file = kept;
    printing.transcript.pause();
    let text = replay(&printing.home()).unwrap().text(1_000).text;
    let marker = format!("[the output after byte {from} is missing here: the disk was full]");
    assert!(text.ends_with(&marker), "{text}");
    assert!(text.starts_with("line 0\nline 1\n"), "{text}");
}
