//! The owner of all state of a keeper. One thread at a time has it ([`super::dispatcher`]), and it learns
//! everything from messages.

use super::dispatcher::{Dispatcher, Handler};
use super::flow::Flow;
use super::journal::Journal;
use super::keys::Keys;
use super::message::Msg;
use super::outbox::Outbox;
use super::pty::{Pty, SpawnLock};
use super::ring::Ring;
use super::transcript::Transcript;
use super::wanted::Wanted;
use crate::proto::{Answer, Role, TERMINAL};
use crate::report::{EntryKind, Hello, State};
use crate::screen::Screen;
use crate::spec::{Spec, StepSpec};
use crate::spool::Postmark;
use downbeat_model::id::SessionId;
use jiff::Timestamp;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// The time between two reports of output.
const BETWEEN_REPORTS: Duration = Duration::from_secs(1);

/// The time that the process waits at its end for its last answers to be written and for viewers to take the
/// end of the output: a window and a snapshot over a slow line.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// One connection.
pub(super) struct Client {
    pub role: Role,
    pub outbox: Outbox,
    /// The progress of a viewer; `None` until it attaches.
    pub flow: Option<Flow>,
    /// The size of a viewer's window.
    pub size: Option<(u16, u16)>,
    /// The last size that the client requested and the owner has not processed.
    pub wanted: Wanted,
    /// The scrollback lines of a viewer's first snapshot; `None` for all lines in each snapshot.
    pub lines: Option<u32>,
    /// Whether a long first snapshot comes after the screen alone.
    pub screen_first: bool,
    /// The mark of the hook body that follows.
    pub mark: Option<Postmark>,
}

/// The running step.
pub(super) struct Running {
    pub pty: Pty,
    pub generation: u64,
    pub drained: bool,
    pub ended: Option<(Option<i32>, Option<i32>)>,
}

/// All state of a keeper.
pub struct Owner {
    pub(super) dir: PathBuf,
    pub(super) id: SessionId,
    pub(super) incarnation: String,
    pub(super) steps: Vec<StepSpec>,
    pub(super) screen: Screen,
    pub(super) ring: Ring,
    pub(super) transcript: Transcript,
    pub(super) journal: Journal,
    /// The marks of the latest posts, so that a post that arrives in two ways counts once.
    pub(super) marks: VecDeque<Postmark>,
    pub(super) clients: BTreeMap<u64, Client>,
    pub(super) state: State,
    pub(super) step: usize,
    pub(super) running: Option<Running>,
    pub(super) generation: u64,
    pub(super) killing: Vec<(u64, u32)>,
    /// Whether the next digit key is a new fact: only the first one after a post is.
    pub(super) digit_tells: bool,
    /// The keys typed into the running program.
    pub(super) keys: Keys,
    pub(super) killed: bool,
    pub(super) killing_done: bool,
    /// The recorded processes of the tree without the mark, in case this keeper is killed.
    pub(super) unmarked: crate::tree::Unmarked,
    /// The time of the next look: a process that just started may soon clear its environment.
    looks_again: Option<Instant>,
    spare: Vec<u8>,
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) started: SyncSender<()>,
    pub(super) lock: SpawnLock,
    /// The time of the last report of output, and whether more arrived since.
    reported: Option<Instant>,
    unreported: bool,
    /// The time until which the owner's thread sleeps, if it sleeps.
    awaits: Option<Instant>,
    pub(super) closing: bool,
}

impl Owner {
    /// Creates the state of a new keeper.
    pub fn new(
        dir: PathBuf,
        spec: Spec,
        dispatcher: Arc<Dispatcher>,
        started: SyncSender<()>,
        lock: SpawnLock,
    ) -> Self {
        let mut screen = Screen::new(spec.cols, spec.rows, spec.limits.scrollback);
        let transcript = Transcript::create(&dir, spec.limits.transcript_bytes, &mut screen);
        let journal = Journal::create(&dir, spec.limits.journal_bytes);
        crate::tree::forget_steps(&dir);
        let incarnation = format!("{}-{}", std::process::id(), Timestamp::now().as_microsecond());
        Self {
            dir,
            id: spec.id,
            incarnation,
            steps: spec.steps,
            screen,
            ring: Ring::default(),
            transcript,
            journal,
            marks: VecDeque::new(),
            clients: BTreeMap::new(),
            state: State::Running,
            step: 0,
            running: None,
            generation: 0,
            killing: Vec::new(),
            digit_tells: true,
            keys: Keys::default(),
            killed: false,
            killing_done: false,
            unmarked: crate::tree::Unmarked::default(),
            looks_again: None,
            spare: Vec::new(),
            dispatcher,
            started,
            lock,
            reported: None,
            unreported: false,
            awaits: None,
            closing: false,
        }
    }

    /// Returns the number of bytes of output so far.
    pub(super) fn seq(&self) -> u64 {
        self.ring.end()
    }

    pub(super) fn hello(&self) -> Hello {
        let (cols, rows) = self.screen.size();
        Hello {
            id: self.id.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: crate::proto::VERSION,
            pid: std::process::id(),
            incarnation: self.incarnation.clone(),
            child: self.running.as_ref().map(|running| running.pty.pid),
            step: self.step,
            state: self.state,
            seq: self.seq(),
            cols,
            rows,
            title: self.screen.title().to_owned(),
        }
    }

    fn take_output(&mut self) {
        let bytes = self.dispatcher.inbox.take(std::mem::take(&mut self.spare));
        if !bytes.is_empty() {
            self.output(&bytes);
        }
        self.spare = bytes;
        self.dispatcher.inbox.rest(&mut self.spare);
    }

    /// Processes output: sends it to the viewers first, then to disk and to the screen.
    pub(super) fn output(&mut self, bytes: &[u8]) {
        self.forward(bytes);
        self.ring.push(bytes);
        let full = self.transcript.output(bytes);
        let answers = self.screen.feed(bytes);
        if let Some(running) = self.running.as_ref().filter(|_| !answers.is_empty()) {
            running.pty.gate.write(&answers);
        }
        if full {
            self.transcript.turn(&mut self.screen);
        }
        if self.screen.title_changed() {
            let title = Answer::Title(self.screen.title().to_owned()).encode();
            self.tell_engines(&title);
        }
        if self.reported.is_none_or(|at| at.elapsed() >= BETWEEN_REPORTS) {
            self.report_output();
        } else {
            self.unreported = true;
        }
    }

    fn forward(&mut self, bytes: &[u8]) {
        let seq = self.seq();
        let mut frame = Vec::new();
        for client in self.clients.values_mut() {
            let Some(flow) = &mut client.flow else { continue };
            if !flow.offer(bytes.len() as u64) {
                continue;
            }
            if frame.is_empty() {
                frame.reserve(bytes.len() + 14);
                frame.extend_from_slice(&((bytes.len() + 10) as u32).to_be_bytes());
                frame.extend_from_slice(&[TERMINAL, 1]);
                frame.extend_from_slice(&seq.to_be_bytes());
                frame.extend_from_slice(bytes);
            }
            client.outbox.send(&frame);
        }
    }

    fn report_output(&mut self) {
        // Finds the post of a hook that died before its knock.
        self.take_spooled(None);
        self.unmarked.look(&self.dir, &self.id);
        self.looks_again = Some(Instant::now() + BETWEEN_REPORTS);
        self.reported = Some(Instant::now());
        self.unreported = false;
        let report = Answer::Output {
            seq: self.seq(),
            at: Timestamp::now(),
        }
        .encode();
        self.tell_engines(&report);
    }

    /// Sends a snapshot to each viewer that missed output and has caught up.
    pub(super) fn resync(&mut self) {
        let now = Instant::now();
        let due = |client: &Client| {
            client
                .flow
                .and_then(|flow| flow.due())
                .is_some_and(|at| at <= now)
        };
        let clients: Vec<u64> = self
            .clients
            .iter()
            .filter(|(_, c)| due(c))
            .map(|(id, _)| *id)
            .collect();
        for client in clients {
            self.send_snapshot(client);
        }
    }

    /// Sends a snapshot to each viewer that missed output, however much it still has to draw.
    pub(super) fn resync_all(&mut self) {
        let behind = |client: &Client| client.flow.is_some_and(|flow| flow.is_behind());
        let behind = self.clients.iter().filter(|(_, client)| behind(client));
        for client in behind.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.send_snapshot(client);
        }
    }

    pub(super) fn tell_engines(&self, frame: &[u8]) {
        for client in self
            .clients
            .values()
            .filter(|client| client.role == Role::Control)
        {
            client.outbox.send(frame);
        }
    }

    pub(super) fn tell_viewers(&self, frame: &downbeat_model::terminal::Frame) {
        let bytes = Answer::Terminal(frame.encode()).encode();
        for client in self.clients.values().filter(|client| client.flow.is_some()) {
            client.outbox.send(&bytes);
        }
    }

    /// Journals a fact and sends it to the engines. `false` if there is no room for it.
    pub(super) fn note(&mut self, what: EntryKind) -> bool {
        self.note_at(what, Timestamp::now(), None)
    }

    /// Journals a fact like [`Self::note`], with another time, and with the mark of a post.
    pub(super) fn note_at(&mut self, what: EntryKind, at: Timestamp, mark: Option<Postmark>) -> bool {
        let seq = self.seq();
        let Some(entry) = self.journal.add(what, seq, at, mark) else {
            return false;
        };
        let frame = Answer::Entry(entry.clone()).encode();
        self.tell_engines(&frame);
        true
    }
}

impl Handler for Owner {
    fn begin(&mut self) {
        self.start(0);
    }

    fn handle(&mut self, msg: Msg) {
        match msg {
            Msg::Output => self.take_output(),
            Msg::Drained { generation } => {
                self.take_output();
                self.drained(generation);
            }
            Msg::Ended { pid, code, signal } => self.child_ended(pid, code, signal),
            Msg::Came {
                client,
                role,
                outbox,
                wanted,
            } => self.came(client, role, outbox, wanted),
            Msg::Asked { client, request } => self.asked(client, request),
            Msg::Posted { sender, mark, body } => {
                let answer = self.hook(mark, &body).encode();
                // The socket of one post has room for its answer, and a sender that is gone needs none.
                drop(crate::socket::send_now(&sender, &answer));
            }
            Msg::Look => self.settle_spool(),
            Msg::Left { client } => {
                if let Some(client) = self.clients.remove(&client) {
                    client.outbox.close();
                }
            }
            Msg::TreeGone => self.tree_gone(),
            Msg::Wake => self.on_time(),
        }
    }

    fn on_time(&mut self) {
        self.resync();
        if self.transcript.due().is_some() {
            self.transcript.turn(&mut self.screen);
        }
        if self.looks_again.is_some_and(|at| at <= Instant::now()) {
            self.looks_again = None;
            self.unmarked.look(&self.dir, &self.id);
        }
        if self.unreported && self.reported.is_none_or(|at| at.elapsed() >= BETWEEN_REPORTS) {
            self.report_output();
        }
    }

    fn rest(&mut self) -> Option<Instant> {
        self.transcript.flush();
        self.journal.catch_up();
        let report = self
            .reported
            .filter(|_| self.unreported)
            .map(|at| at + BETWEEN_REPORTS);
        let snapshots = self
            .clients
            .values()
            .filter_map(|client| client.flow.and_then(|flow| flow.due()));
        let room = self.transcript.due().into_iter().chain(self.journal.due());
        self.awaits = snapshots.chain(report).chain(room).chain(self.looks_again).min();
        self.awaits
    }

    fn sleeps_until(&self) -> Option<Instant> {
        self.awaits
    }

    fn is_closing(&self) -> bool {
        self.closing
    }

    fn finish(&mut self) {
        self.transcript.finish(&mut self.screen);
        let until = Instant::now() + LAST_WORDS;
        for client in self.clients.values() {
            client.outbox.flush(until);
        }
    }
}
