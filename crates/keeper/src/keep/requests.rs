//! The requests of clients to the owner: attach, type, resize, text, run, acknowledge, close.

use super::flow::Flow;
use super::outbox::Outbox;
use super::owner::{Client, Owner};
use super::wanted::{self, Wanted};
use crate::proto::{Answer, Request, Role};
use crate::report::{EntryKind, State, Text};
use crate::spec::StepSpec;
use downbeat_model::terminal::Frame;
use std::time::{Duration, Instant};

/// The keys that may close an agent's question. They are journaled because an agent fires no hook for them.
/// The second form of each is that of the kitty protocol.
const KEYS: [(&[u8], &str); 6] = [
    (b"\r", "enter"),
    (b"\x1b[13u", "enter"),
    (b"\x1b", "escape"),
    (b"\x1b[27u", "escape"),
    (b"\x03", "ctrl-c"),
    (b"\x1b[99;5u", "ctrl-c"),
];

impl Owner {
    pub(super) fn came(&mut self, client: u64, role: Role, outbox: Outbox, wanted: Wanted) {
        outbox.send(&Answer::Hello(Box::new(self.hello())).encode());
        if role == Role::Control {
            for entry in self.journal.entries() {
                outbox.send(&Answer::Entry(entry.clone()).encode());
            }
        }
        self.clients.insert(
            client,
            Client {
                role,
                outbox,
                flow: None,
                size: None,
                wanted,
                lines: None,
                screen_first: false,
                mark: None,
            },
        );
    }

    pub(super) fn asked(&mut self, client: u64, request: Request) {
        match request {
            Request::Hello { .. } => {}
            Request::Attach { size, from, lines } => {
                if let Some(client) = self.clients.get_mut(&client) {
                    client.lines = lines;
                }
                self.attach(client, size, from);
            }
            Request::Input(bytes) => self.typed(client, &bytes),
            Request::Resize { cols, rows } => self.resized(client, (cols, rows)),
            Request::Drawn { seq } => {
                if let Some(flow) = self
                    .clients
                    .get_mut(&client)
                    .and_then(|client| client.flow.as_mut())
                {
                    flow.drew(seq);
                }
                self.resync();
            }
            Request::Kill { id, grace } => self.kill(client, id, Duration::from_millis(grace)),
            Request::ScreenFirst => {
                if let Some(client) = self.clients.get_mut(&client) {
                    client.screen_first = true;
                }
            }
            Request::Mark(mark) => {
                if let Some(client) = self.clients.get_mut(&client) {
                    client.mark = Some(mark);
                }
            }
            Request::Hook(body) => self.answer_hook(client, &body),
            Request::Text { id, lines } => {
                let text = self.shown_text(lines);
                self.reply(client, id, serde_json::to_vec(&text).map_err(|e| e.to_string()));
            }
            Request::Run { id, first, steps } => {
                let result = self.run_again(first as usize, steps);
                self.reply(client, id, result.map(|()| Vec::new()));
            }
            Request::Stored { id, seq } => {
                self.journal.stored(seq);
                self.reply(client, id, Ok(Vec::new()));
            }
            Request::Close { id } => self.close(client, id),
            Request::Type { id, bytes } => {
                let result = self.type_for_engine(&bytes);
                self.reply(client, id, result.map(|()| Vec::new()));
            }
        }
    }

    /// Resizes the terminal for a client; the first time, to the size that it wanted when it came.
    fn resized(&mut self, client: u64, mut size: (u16, u16)) {
        if let Some(client) = self.clients.get_mut(&client) {
            size = client.wanted.take().unwrap_or(size);
            client.size = Some(size);
        }
        self.resize(size);
    }

    /// Takes a hook's post, and answers it.
    fn answer_hook(&mut self, client: u64, body: &[u8]) {
        let mark = self
            .clients
            .get_mut(&client)
            .and_then(|client| client.mark.take());
        let answer = self.hook(mark, body).encode();
        if let Some(client) = self.clients.get(&client) {
            client.outbox.send(&answer);
        }
    }

    /// Returns the last lines of the terminal as text, with what belongs to them.
    fn shown_text(&self, lines: u32) -> Text {
        Text {
            text: self.screen.text(lines),
            title: self.screen.title().to_owned(),
            seq: self.seq(),
            typed: self.keys.report(Instant::now()),
            foreground: self.running.as_ref().and_then(|running| running.pty.foreground()),
        }
    }

    /// Types what the engine wants to be typed.
    fn type_for_engine(&mut self, bytes: &[u8]) -> Result<(), String> {
        match &self.running {
            None => return Err("no program runs".to_owned()),
            Some(running) if running.pty.gate.write(bytes) => {}
            Some(_) => return Err("the program does not read its input".to_owned()),
        }
        self.note_key(bytes);
        self.keyed(bytes);
        if bytes.ends_with(b"\r") {
            self.keys.entered();
        }
        Ok(())
    }

    fn attach(&mut self, client: u64, size: Option<(u16, u16)>, from: u64) {
        if let Some(size) = size {
            self.resize(size);
        }
        let seq = self.seq();
        let missed = self.ring.since(from);
        let Some(to) = self.clients.get_mut(&client) else {
            return;
        };
        to.size = size;
        match missed {
            Some(data) => {
                let (cols, rows) = self.screen.size();
                to.flow = Some(Flow::new(seq, Instant::now()));
                to.outbox.send(
                    &Answer::Terminal(
                        Frame::Resize {
                            seq: from,
                            cols,
                            rows,
                        }
                        .encode(),
                    )
                    .encode(),
                );
                to.outbox
                    .send(&Answer::Terminal(Frame::Output { seq: from, data }.encode()).encode());
            }
            None => self.send_snapshot(client),
        }
        if let State::Ended { code, .. } = self.state {
            let exit = Frame::Exit {
                seq,
                code: code.unwrap_or(-1),
            };
            if let Some(to) = self.clients.get(&client) {
                to.outbox.send(&Answer::Terminal(exit.encode()).encode());
            }
        }
    }

    pub(super) fn send_snapshot(&mut self, client: u64) {
        let seq = self.seq();
        let (cols, rows) = self.screen.size();
        let Some(to) = self.clients.get_mut(&client) else {
            return;
        };
        // A viewer with its own scrollback gets ours once.
        let lines = match to.lines {
            Some(_) if to.flow.is_some() => 0,
            Some(lines) => lines as usize,
            None => usize::MAX,
        };
        if to.screen_first
            && to.flow.is_none()
            && let Some(data) = self.screen.alone()
        {
            let screen = Frame::Screen {
                seq,
                cols,
                rows,
                data,
            };
            to.outbox.send(&Answer::Terminal(screen.encode()).encode());
        }
        let data = self.screen.snapshot(lines);
        match &mut to.flow {
            Some(flow) => flow.resynced(seq, Instant::now()),
            None => to.flow = Some(Flow::new(seq, Instant::now())),
        }
        to.outbox.send(
            &Answer::Terminal(
                Frame::Snapshot {
                    seq,
                    cols,
                    rows,
                    data,
                }
                .encode(),
            )
            .encode(),
        );
    }

    fn typed(&mut self, client: u64, bytes: &[u8]) {
        // The viewer that types decides the size.
        if let Some(size) = self.clients.get(&client).and_then(|client| client.size) {
            self.resize(size);
        }
        if let Some(running) = &self.running {
            running.pty.gate.write(bytes);
        }
        self.note_key(bytes);
        self.keyed(bytes);
    }

    /// Records the effect of typed bytes on the prompt.
    fn keyed(&mut self, bytes: &[u8]) {
        let lent = self.running.as_ref().is_some_and(|running| running.pty.is_lent());
        match lent {
            true => self.keys.lent(Instant::now()),
            false => self.keys.typed(bytes, Instant::now()),
        }
    }

    /// Journals a key that may close a question.
    fn note_key(&mut self, bytes: &[u8]) {
        let mut name = KEYS.iter().find(|(key, _)| *key == bytes).map(|(_, name)| *name);
        // A digit selects an answer. Only a post opens a question, so one digit after each post is enough;
        // few digits of a typed text are journaled.
        if name.is_none() && matches!(bytes, [b'0'..=b'9']) && std::mem::take(&mut self.digit_tells) {
            name = Some("digit");
        }
        if let Some(name) = name {
            self.note(EntryKind::Key { name: name.into() });
        }
    }

    /// Changes the size, in order with output.
    fn resize(&mut self, size: (u16, u16)) {
        let (cols, rows) = wanted::sensible(size);
        if self.screen.size() == (cols, rows) {
            return;
        }
        self.screen.resize(cols, rows);
        self.transcript.resize(cols, rows);
        self.tell_viewers(&Frame::Resize {
            seq: self.seq(),
            cols,
            rows,
        });
        if let Some(running) = &self.running {
            running.pty.resize(cols, rows);
        }
    }

    fn run_again(&mut self, first: usize, steps: Option<Vec<StepSpec>>) -> Result<(), String> {
        if self.state == State::Running || !self.killing.is_empty() {
            return Err("a step still runs".to_owned());
        }
        let count = steps.as_ref().map_or(self.steps.len(), Vec::len);
        if first >= count {
            return Err(format!("there is no step {first}: there are {count}"));
        }
        if let Some(steps) = steps {
            self.steps = steps;
        }
        self.start(first);
        Ok(())
    }

    fn close(&mut self, client: u64, id: u32) {
        if matches!(self.state, State::Running) {
            return self.reply(client, id, Err("the session still runs".to_owned()));
        }
        crate::socket::unlist(&self.dir);
        self.reply(client, id, Ok(Vec::new()));
        self.closing = true;
    }
}
