//! What a merge queue does after a fact: what it is told, and which step begins next. The results of steps are in
//! `results.rs`.

use super::effect::{Effect, Notice, TellAgent, Work};
use super::ended::{Ended, Left};
use super::entry::{Entry, Priority};
use super::fact::{Candidate, Fact, Told};
use super::round::{Batch, Next, Round, Run};
use super::state::{MOST_ENTRIES, PausedBy, Queue, QueuePause, Settings};
use crate::id::SessionId;
use crate::oid::Oid;
use crate::subject::Subject;
use jiff::Timestamp;

/// What an [`Queue::apply`] works with.
pub(super) struct Turn<'a> {
    pub settings: &'a Settings,
    pub now: Timestamp,
    pub effects: Vec<Effect>,
}

/// A request to enqueue a branch.
struct Request<'a> {
    subject: &'a Subject,
    session: Option<&'a SessionId>,
    head: &'a Oid,
    unchecked: bool,
    priority: Priority,
}

impl Queue {
    /// Takes a fact, and returns the effects that follow from it and from the time. A fact that was taken before
    /// changes nothing.
    #[must_use = "effects that are not recorded are lost"]
    pub fn apply(&mut self, fact: &Fact, settings: &Settings, now: Timestamp) -> Vec<Effect> {
        let mut turn = Turn {
            settings,
            now,
            effects: Vec::new(),
        };
        match fact {
            Fact::Told { number, told } if *number > self.through => {
                self.through = *number;
                self.hear(*number, told, &mut turn);
            }
            Fact::Result { step, result } => self.take_result(*step, result, &mut turn),
            Fact::Told { .. } | Fact::Tick => {}
        }
        self.advance(&mut turn);
        turn.effects
    }

    fn hear(&mut self, number: u64, told: &Told, turn: &mut Turn<'_>) {
        match told {
            Told::Enqueued {
                subject,
                session,
                head,
                unchecked,
                priority,
            } => {
                let request = Request {
                    subject,
                    session: session.as_ref(),
                    head,
                    unchecked: *unchecked,
                    priority: *priority,
                };
                self.enqueue(number, &request, turn);
            }
            Told::Withdrawn { subject, why } => {
                self.leave_but(subject, None, &Left::Withdrawn { why: *why }, turn);
            }
            Told::Prioritized { subject, priority } => {
                let mut entries = self.entries.iter_mut();
                if let Some(entry) = entries.find(|entry| entry.subject == *subject) {
                    entry.priority = *priority;
                }
            }
            Told::HeadSeen { subject, head } => {
                self.leave_but(
                    subject,
                    head.as_ref(),
                    &Left::HeadMoved { to: head.clone() },
                    turn,
                );
            }
            Told::TargetSeen(head) => self.target_seen(head, turn),
            Told::Checked(result) if result.green => self.checked.keep(result.clone()),
            Told::Checked(_) => {}
            Told::Paused => self.paused = self.paused.take().or(Some(QueuePause::by_person(turn.now))),
            Told::Resumed => self.resume(),
        }
    }

    fn enqueue(&mut self, ticket: u64, request: &Request<'_>, turn: &mut Turn<'_>) {
        let to = Some(request.head.clone());
        self.leave_but(
            request.subject,
            to.as_ref(),
            &Left::HeadMoved { to: to.clone() },
            turn,
        );
        let is_known = |known: &&Entry| known.subject == *request.subject && known.head == *request.head;
        if let Some(known) = self.entries.iter().find(is_known).map(|entry| entry.ticket) {
            self.ask_again(known, request, turn);
            return;
        }
        let returns = self.returned.get(&request.subject.word()).copied().unwrap_or(0);
        let entry = Entry {
            ticket,
            subject: request.subject.clone(),
            session: request.session.cloned(),
            head: request.head.clone(),
            unchecked: request.unchecked,
            priority: request.priority,
            enqueued_at: turn.now,
            returns,
            alone: false,
        };
        if self.entries.len() < MOST_ENTRIES {
            self.entries.push(entry);
            return;
        }
        self.keep_ended(Ended {
            ticket,
            subject: entry.subject.clone(),
            head: entry.head.clone(),
            at: turn.now,
            left: Left::Full,
        });
        self.tell_left(&entry, &Left::Full, turn);
    }

    /// Applies the settings of another request for the same commit, unless a step with it is under way. Its candidate is made
    /// again, because how it is merged may have changed, too.
    fn ask_again(&mut self, ticket: u64, request: &Request<'_>, turn: &mut Turn<'_>) {
        let round = self.round.as_ref();
        if let Some(round) = round.filter(|round| round.batch.tickets.contains(&ticket)) {
            if round.step.is_some() {
                return;
            }
            self.break_up(turn);
        }
        let mut entries = self.entries.iter_mut();
        let Some(entry) = entries.find(|entry| entry.ticket == ticket) else {
            return;
        };
        entry.priority = request.priority;
        if entry.unchecked != request.unchecked {
            entry.unchecked = request.unchecked;
            // What lands without checks lands by itself, and what is checked is not tried with it.
            for batch in &mut self.batches {
                batch.tickets.retain(|&other| other != ticket);
            }
        }
    }

    /// Takes out the entries of a subject, except one with the head `kept`.
    fn leave_but(&mut self, subject: &Subject, kept: Option<&Oid>, left: &Left, turn: &mut Turn<'_>) {
        let moved = |entry: &&Entry| entry.subject == *subject && Some(&entry.head) != kept;
        let tickets: Vec<u64> = self
            .entries
            .iter()
            .filter(moved)
            .map(|entry| entry.ticket)
            .collect();
        for ticket in tickets {
            self.leave(ticket, left, turn);
        }
    }

    /// Takes an entry out. One that is being landed leaves only if the landing fails.
    fn leave(&mut self, ticket: u64, left: &Left, turn: &mut Turn<'_>) {
        let in_round = self.round.as_mut();
        let Some(round) = in_round.filter(|round| round.batch.tickets.contains(&ticket)) else {
            self.end(ticket, left, turn);
            return;
        };
        if round.is_landing() {
            if round.leaving.iter().all(|(leaving, _)| *leaving != ticket) {
                round.leaving.push((ticket, left.clone()));
            }
            return;
        }
        self.end(ticket, left, turn);
        self.break_up(turn);
    }

    /// Ends the round. What is left of its batch is tried again first.
    pub(super) fn break_up(&mut self, turn: &mut Turn<'_>) {
        let Some(round) = self.round.take() else {
            return;
        };
        self.cancel_checks(&round, turn);
        if !round.batch.probe {
            self.batches.push_front(round.batch);
        }
    }

    fn cancel_checks(&self, round: &Round, turn: &mut Turn<'_>) {
        if let Some(step) = round.running_checks() {
            self.push(format!("cancel/{step}"), Work::CancelChecks { step }, turn);
        }
    }

    /// Makes the candidate again if the target is not its base any more. A landing finds that out by itself.
    fn target_seen(&mut self, head: &Oid, turn: &mut Turn<'_>) {
        let Some(mut round) = self.round.take() else {
            return;
        };
        let mut is_moved = false;
        let moved = round.candidate().is_some_and(|candidate| candidate.base != *head);
        if moved && !round.is_landing() {
            self.cancel_checks(&round, turn);
            round.turn_to(Next::Make, turn.now);
            is_moved = true;
        }
        self.round = Some(round);
        if is_moved {
            self.target_moved(turn);
        }
    }

    fn resume(&mut self) {
        (self.paused, self.moves) = (None, 0);
        if let Some(round) = &mut self.round {
            round.failures = 0;
            round.held = None;
        }
    }

    /// Takes an entry out and tells whoever has to act.
    pub(super) fn end(&mut self, ticket: u64, left: &Left, turn: &mut Turn<'_>) {
        if let Some(entry) = self.take_out(ticket, left, turn.now) {
            self.tell_left(&entry, left, turn);
        }
    }

    fn tell_left(&self, entry: &Entry, left: &Left, turn: &mut Turn<'_>) {
        let head = entry.as_head();
        let for_agent = match left {
            Left::Conflict { files, base } => Some(TellAgent::Conflict {
                files: files.clone(),
                base: base.clone(),
            }),
            Left::ChecksRed { commit, tree } => Some(TellAgent::ChecksRed {
                commit: commit.clone(),
                tree: tree.clone(),
            }),
            // Whoever took it out or moved its branch knows.
            Left::HeadMoved { .. } | Left::Withdrawn { .. } => return,
            Left::Landed { .. }
            | Left::AlreadyThere
            | Left::Rejected { .. }
            | Left::Refused { .. }
            | Left::Unusable { .. }
            | Left::Full => None,
        };
        let session = entry.session.clone();
        let session = session.filter(|_| entry.returns < turn.settings.most_returns(left));
        let work = match (for_agent, session, left) {
            (Some(what), Some(session), _) => Work::TellAgent { session, head, what },
            (_, _, Left::Landed { commit }) => Work::Finish {
                head,
                commit: commit.clone(),
            },
            (_, _, Left::AlreadyThere) => {
                let commit = entry.head.clone();
                Work::Finish { head, commit }
            }
            _ => Work::Notify(Notice::Left {
                head,
                left: left.clone(),
            }),
        };
        self.push(format!("left/{}", entry.ticket), work, turn);
    }

    /// Adds an effect. `what` identifies it among the effects of this queue.
    pub(super) fn push(&self, what: String, work: Work, turn: &mut Turn<'_>) {
        let place = &self.place;
        let key = format!("queue/{}/{}/{what}", place.project, place.target);
        turn.effects.push(Effect { key, work });
    }

    /// Begins the next step, if one can begin.
    fn advance(&mut self, turn: &mut Turn<'_>) {
        while self.paused.is_none() {
            let Some(round) = self.round.take().or_else(|| self.pick(turn)) else {
                return;
            };
            let is_held = round.held.as_ref().is_some_and(|held| held.until > turn.now);
            let is_done = round.step.is_some() || is_held;
            let checks = self.checks_of(&round, turn);
            let round = self.round.insert(round);
            if is_done {
                return;
            }
            round.held = None;
            match round.next.clone() {
                Next::Check { candidate, hash, run } => self.check(&candidate, &hash, run, turn),
                Next::Land { candidate, hash } if hash != checks => {
                    self.ready(candidate, turn);
                }
                Next::Make | Next::Land { .. } => self.begin(turn),
            }
        }
    }

    /// Goes from a candidate to its checks, or to its landing if there are none.
    pub(super) fn ready(&mut self, candidate: Candidate, turn: &mut Turn<'_>) {
        let run = Run::First;
        let checks = self.round.as_ref().and_then(|round| self.checks_of(round, turn));
        let next = match checks {
            Some(hash) => Next::Check { candidate, hash, run },
            None => Next::Land {
                candidate,
                hash: None,
            },
        };
        if let Some(round) = &mut self.round {
            round.turn_to(next, turn.now);
        }
    }

    /// Returns the hash of the checks of a round; `None` if it lands without, because all of it may.
    fn checks_of(&self, round: &Round, turn: &Turn<'_>) -> Option<String> {
        let mut tickets = round.batch.tickets.iter();
        let is_unchecked = |&ticket| self.entry(ticket).is_some_and(|entry| entry.unchecked);
        let checks = turn.settings.checks.clone();
        checks.filter(|_| !tickets.all(is_unchecked))
    }

    /// Takes the known result of the checks, or runs them.
    fn check(&mut self, candidate: &Candidate, hash: &str, run: Run, turn: &mut Turn<'_>) {
        let checks = self.round.as_ref().and_then(|round| self.checks_of(round, turn));
        let Some(hash) = checks.filter(|current| current == hash) else {
            // The checks were changed.
            self.ready(candidate.clone(), turn);
            return;
        };
        let known = self.checked.green(&candidate.tree, &hash);
        let Some(round) = &mut self.round else { return };
        let candidate = candidate.clone();
        match known {
            Some(true) => {
                let hash = Some(hash);
                round.turn_to(Next::Land { candidate, hash }, turn.now);
            }
            Some(false) => self.is_red(&candidate, turn),
            None => {
                round.next = Next::Check { candidate, hash, run };
                self.begin(turn);
            }
        }
    }

    /// Begins the step that the round is at.
    fn begin(&mut self, turn: &mut Turn<'_>) {
        let Some(round) = &mut self.round else { return };
        self.steps += 1;
        let step = self.steps;
        round.step = Some(step);
        let next = round.next.clone();
        let tickets = round.batch.tickets.clone();
        let heads = self.heads(&tickets);
        let work = match next {
            Next::Make => Work::MakeCandidate { step, heads },
            Next::Check { candidate, hash, .. } => Work::RunChecks {
                step,
                commit: candidate.commit,
                tree: candidate.tree,
                hash,
            },
            Next::Land { candidate, .. } => Work::Land {
                step,
                from: candidate.base,
                to: candidate.commit,
                heads,
            },
        };
        self.push(format!("step/{step}"), work, turn);
    }

    /// Returns the next round: a part of a divided batch, or else what is first in the order.
    fn pick(&mut self, turn: &Turn<'_>) -> Option<Round> {
        while let Some(mut batch) = self.batches.pop_front() {
            batch.tickets.retain(|&ticket| self.entry(ticket).is_some());
            if !batch.tickets.is_empty() {
                return Some(Round::new(batch, turn.now));
            }
        }
        self.checked.forget_red();
        let order = self.in_order();
        let first = order.first()?;
        let most = if first.alone || first.unchecked {
            1
        } else {
            turn.settings.max_batch.max(1)
        };
        let together = order
            .iter()
            .filter(|entry| entry.ticket == first.ticket || !(entry.alone || entry.unchecked));
        let tickets = together.take(most).map(|entry| entry.ticket).collect();
        Some(Round::new(
            Batch {
                tickets,
                probe: false,
            },
            turn.now,
        ))
    }
}

impl QueuePause {
    fn by_person(since: Timestamp) -> Self {
        Self {
            by: PausedBy::Person,
            since,
        }
    }
}
