//! Starts and ends steps: one after another on the same screen; a failed step holds the rest.

use super::message::Msg;
use super::owner::{Owner, Running};
use super::pty;
use crate::proto::Answer;
use crate::report::{EntryKind, State};
use downbeat_model::terminal::Frame;
use std::time::Duration;

impl Owner {
    /// Starts a step.
    pub(super) fn start(&mut self, index: usize) {
        self.step = index;
        self.killed = false;
        let Some(step) = self.steps.get(index).cloned() else {
            return self.end(None, None);
        };
        self.state = State::Running;
        self.generation += 1;
        self.keys.entered();
        let size = self.screen.size();
        match pty::start(&step, size, self.generation, &self.dispatcher, &self.lock) {
            Ok(pty) => {
                // A full channel already holds a reminder.
                let _ = self.started.try_send(());
                let pid = pty.pid;
                crate::tree::note_step(&self.dir, pid);
                self.running = Some(Running {
                    pty,
                    generation: self.generation,
                    drained: false,
                    ended: None,
                });
                self.note(EntryKind::StepStarted {
                    index,
                    name: step.name,
                    pid,
                });
            }
            Err(error) => {
                let text = format!(
                    "\x1b[31mcannot start {}: {error}\x1b[0m\r\n",
                    step.argv.first().map_or("", |p| p)
                );
                self.output(text.as_bytes());
                self.step_ended(None, None, Some(error));
            }
        }
    }

    pub(super) fn child_ended(&mut self, pid: u32, code: Option<i32>, signal: Option<i32>) {
        if let Some(running) = self.running.as_mut().filter(|running| running.pty.pid == pid) {
            running.ended = Some((code, signal));
            running.pty.ended();
        }
        self.finish_step();
    }

    pub(super) fn drained(&mut self, generation: u64) {
        if let Some(running) = self
            .running
            .as_mut()
            .filter(|running| running.generation == generation)
        {
            running.drained = true;
        }
        self.finish_step();
    }

    /// Ends a step once its process ended and all its output was read.
    fn finish_step(&mut self) {
        if let Some(Running {
            drained: true,
            ended: Some((code, signal)),
            ..
        }) = self.running
        {
            self.running = None;
            self.step_ended(code, signal, None);
        }
    }

    fn step_ended(&mut self, code: Option<i32>, signal: Option<i32>, error: Option<String>) {
        // After the end, nothing reads the spool any more.
        self.settle_spool();
        let index = self.step;
        let name = self
            .steps
            .get(index)
            .map(|step| step.name.clone())
            .unwrap_or_default();
        let failed = code != Some(0);
        self.note(EntryKind::StepEnded {
            index,
            name,
            code,
            signal,
            error,
        });
        let tidy = self.screen.tidy();
        if !tidy.is_empty() {
            self.output(&tidy);
        }
        if index + 1 >= self.steps.len() || self.killed {
            self.end(code, signal);
        } else if failed {
            self.state = State::Held { step: index };
        } else {
            self.start(index + 1);
        }
    }

    fn end(&mut self, code: Option<i32>, signal: Option<i32>) {
        self.state = State::Ended { code, signal };
        self.note(EntryKind::Ended { code, signal });
        let code = code.unwrap_or(-1);
        self.transcript.exit(code);
        // Viewers leave at the end, so the output that they missed comes first.
        self.resync_all();
        self.tell_viewers(&Frame::Exit {
            seq: self.seq(),
            code,
        });
        if self.killing_done {
            self.answer_kills();
        }
    }

    /// Ends the whole tree on a separate thread.
    pub(super) fn kill(&mut self, client: u64, id: u32, grace: Duration) {
        self.killed = true;
        self.killing.push((client, id));
        if self.killing.len() > 1 {
            return;
        }
        self.killing_done = false;
        // The only gentle end that Windows has.
        #[cfg(windows)]
        if let Some(running) = &mut self.running {
            running.pty.hang_up();
        }
        let (session, dispatcher) = (self.id.clone(), self.dispatcher.clone());
        let kill = move || {
            crate::tree::end_own(&session, grace);
            drop(dispatcher.send(Msg::TreeGone));
        };
        if std::thread::Builder::new()
            .name("kill".into())
            .stack_size(super::STACK * 2)
            .spawn(kill)
            .is_err()
        {
            // The next request tries again.
            self.killed = false;
            for (client, id) in std::mem::take(&mut self.killing) {
                self.reply(client, id, Err("there is no thread for it".to_owned()));
            }
        }
    }

    pub(super) fn tree_gone(&mut self) {
        self.killing_done = true;
        match self.state {
            // The exit is on its way.
            State::Running => {}
            State::Held { .. } => self.end(None, None),
            State::Ended { .. } => self.answer_kills(),
        }
    }

    fn answer_kills(&mut self) {
        for (client, id) in std::mem::take(&mut self.killing) {
            self.reply(client, id, Ok(Vec::new()));
        }
    }

    pub(super) fn reply(&self, client: u64, id: u32, result: Result<Vec<u8>, String>) {
        if let Some(client) = self.clients.get(&client) {
            client.outbox.send(&Answer::Reply { id, result }.encode());
        }
    }
}
