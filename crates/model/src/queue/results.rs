//! What follows from the result of a merge queue's step.

use super::checked::{CheckResult, Flaky};
use super::effect::{Notice, Work};
use super::ended::Left;
use super::fact::{Candidate, Refusal, StepResult};
use super::round::{Batch, Held, HeldBy, Next, Round, Run};
use super::state::{PausedBy, Queue, QueuePause};
use super::step::Turn;
use crate::oid::Oid;
use jiff::{SignedDuration, Timestamp};

/// The wait before a step that could not be carried out, or whose target is in the way, is tried again.
const TRY_AGAIN: SignedDuration = SignedDuration::from_secs(30);

/// The number of failures in a row after which the queue pauses itself.
const MOST_FAILURES: u32 = 3;

/// The number of times in a row that a target may move before anything lands; then the queue pauses itself.
const MOST_MOVES: u32 = 5;

/// The wait before a candidate is made again for a target that moved for the second time; each further one is twice as long.
const TARGET_RESTS: SignedDuration = SignedDuration::from_secs(2);

/// The number of files that are named.
const MOST_FILES: usize = 100;

impl Queue {
    /// Takes the result of a step. That of any other step than the present one is ignored.
    pub(super) fn take_result(&mut self, step: u64, result: &StepResult, turn: &mut Turn<'_>) {
        let Some(round) = self.round.as_ref().filter(|round| round.step == Some(step)) else {
            return;
        };
        let candidate = round.candidate().cloned();
        match (&round.next, result, candidate) {
            (Next::Make, StepResult::Made(made), _) => self.made(made, turn),
            (Next::Make, StepResult::Conflict { ticket, files, base }, _) => {
                self.conflicts(*ticket, files, base, turn);
            }
            (Next::Make, StepResult::Unusable { ticket, why }, _) => {
                self.end(*ticket, &Left::Unusable { why: why.clone() }, turn);
                self.break_up(turn);
            }
            (Next::Check { hash, run, .. }, StepResult::Checked(result), Some(candidate))
                if (&result.tree, &result.hash) == (&candidate.tree, hash) =>
            {
                let run = *run;
                self.checks_ended(result, run, candidate, turn);
            }
            (Next::Land { .. }, StepResult::Landed, Some(candidate)) => {
                self.end_round(
                    &Left::Landed {
                        commit: candidate.commit,
                    },
                    turn,
                );
            }
            (Next::Land { .. }, StepResult::Refused(refusal), _) => self.refused(refusal, turn),
            (_, StepResult::Failed { why }, _) => self.failed(why, turn),
            // Whoever carries out steps is wrong: the queue stops in the open instead of waiting for ever.
            _ => self.failed("the step has no such result", turn),
        }
    }

    fn made(&mut self, made: &Candidate, turn: &mut Turn<'_>) {
        let Some(round) = &mut self.round else { return };
        round.failures = 0;
        if made.commit == made.base {
            self.end_round(&Left::AlreadyThere, turn);
        } else if round.batch.probe {
            // It conflicts with others only: it lands after them, by its place in the order.
            self.round = None;
        } else {
            self.ready(made.clone(), turn);
        }
    }

    /// An entry conflicts: with the target, if it is alone. Otherwise that is asked first, before the rest of its
    /// batch goes on without it.
    fn conflicts(&mut self, ticket: u64, files: &[String], base: &Oid, turn: &mut Turn<'_>) {
        let Some(mut round) = self.round.take_if(|round| round.batch.tickets.contains(&ticket)) else {
            self.failed("the entry in conflict is not in the candidate", turn);
            return;
        };
        if round.batch.tickets.len() == 1 {
            let files = files.iter().take(MOST_FILES).cloned().collect();
            let base = base.clone();
            self.end(ticket, &Left::Conflict { files, base }, turn);
            return;
        }
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.ticket == ticket) {
            entry.alone = true;
        }
        round.batch.tickets.retain(|&other| other != ticket);
        self.batches.push_front(round.batch);
        let tickets = vec![ticket];
        self.batches.push_front(Batch { tickets, probe: true });
    }

    /// Checks ended. Red ones run again on the same tree, unless they did.
    fn checks_ended(&mut self, result: &CheckResult, run: Run, candidate: Candidate, turn: &mut Turn<'_>) {
        let Some(round) = &mut self.round else { return };
        round.failures = 0;
        let hash = result.hash.clone();
        match (result.green, run) {
            (false, Run::First) => {
                let run = Run::Again;
                round.turn_to(Next::Check { candidate, hash, run }, turn.now);
                return;
            }
            (false, Run::Again) => {
                self.checked.keep(result.clone());
                self.is_red(&candidate, turn);
                return;
            }
            (true, Run::First) => {}
            (true, Run::Again) => self.checked.keep_flaky(Flaky {
                tree: result.tree.clone(),
                hash: hash.clone(),
                at: turn.now,
            }),
        }
        self.checked.keep(result.clone());
        if let Some(round) = &mut self.round {
            let hash = Some(hash);
            round.turn_to(Next::Land { candidate, hash }, turn.now);
        }
    }

    /// A candidate is red. A single entry is returned; a batch is halved, and its first half is tried first.
    pub(super) fn is_red(&mut self, candidate: &Candidate, turn: &mut Turn<'_>) {
        let Some(round) = self.round.take() else { return };
        let tickets = round.batch.tickets;
        if let [ticket] = tickets[..] {
            let left = Left::ChecksRed {
                commit: candidate.commit.clone(),
                tree: candidate.tree.clone(),
            };
            self.end(ticket, &left, turn);
            return;
        }
        let (first, second) = tickets.split_at(tickets.len().div_ceil(2));
        for half in [second, first] {
            self.batches.push_front(Batch {
                tickets: half.to_vec(),
                probe: false,
            });
        }
    }

    /// All entries of the round leave in the same way.
    fn end_round(&mut self, left: &Left, turn: &mut Turn<'_>) {
        let Some(round) = self.round.take() else { return };
        for ticket in round.batch.tickets {
            self.end(ticket, left, turn);
        }
    }

    fn refused(&mut self, refusal: &Refusal, turn: &mut Turn<'_>) {
        if !matches!(refusal, Refusal::Rejected { .. }) && self.let_leave(turn) {
            return;
        }
        let Some(round) = &mut self.round else { return };
        match refusal {
            Refusal::TargetMoved => {
                round.turn_to(Next::Make, turn.now);
                self.target_moved(turn);
            }
            Refusal::CheckedOutDirty { files } => {
                let files: Vec<String> = files.iter().take(MOST_FILES).cloned().collect();
                self.in_the_way(HeldBy::CheckedOutDirty { files: files.clone() }, files, turn);
            }
            Refusal::OperationInProgress => self.in_the_way(HeldBy::OperationInProgress, Vec::new(), turn),
            Refusal::NotNow { why } => self.end_round(&Left::Refused { why: why.clone() }, turn),
            Refusal::Rejected { why } => self.end_round(&Left::Rejected { why: why.clone() }, turn),
        }
    }

    /// Takes out the entries that leave because their landing did not succeed, and breaks up their round. Returns
    /// whether there were any.
    fn let_leave(&mut self, turn: &mut Turn<'_>) -> bool {
        let leaving = self
            .round
            .as_mut()
            .map(|round| std::mem::take(&mut round.leaving));
        let leaving = leaving.unwrap_or_default();
        for (ticket, left) in &leaving {
            self.end(*ticket, left, turn);
        }
        if !leaving.is_empty() {
            self.break_up(turn);
        }
        !leaving.is_empty()
    }

    /// The target moved before a candidate for it landed. The first time, another one is made at once; a target that keeps moving is
    /// given time to come to rest, and in the end the queue pauses itself: it would check again and again for nothing.
    pub(super) fn target_moved(&mut self, turn: &mut Turn<'_>) {
        self.moves += 1;
        let (moves, target) = (self.moves, self.place.target.clone());
        if moves >= MOST_MOVES {
            let why = format!(
                "{target} moved {moves} times in a row while the next commit for it was made and checked"
            );
            let by = PausedBy::Failures { why: why.clone() };
            self.paused = Some(QueuePause { by, since: turn.now });
            let work = Work::Notify(Notice::Broken { why });
            self.push(format!("moved/{}", self.steps), work, turn);
        } else if let Some(round) = self.round.as_mut().filter(|_| moves > 1) {
            let wait = TARGET_RESTS * 2_i32.pow(moves - 2);
            round.hold(HeldBy::TargetMoved { times: moves }, wait, turn.now);
        }
    }

    /// The target's checkout is in the way: the landing is tried again, and the person is told once in a round.
    fn in_the_way(&mut self, by: HeldBy, files: Vec<String>, turn: &mut Turn<'_>) {
        let Some(round) = &mut self.round else { return };
        let step = round.step;
        round.hold(by, TRY_AGAIN, turn.now);
        if !round.told {
            round.told = true;
            let work = Work::Notify(Notice::TargetInTheWay { files });
            self.push(format!("in-the-way/{}", step.unwrap_or_default()), work, turn);
        }
    }

    /// A step could not be carried out: it is tried again, and after several failures the queue pauses itself.
    fn failed(&mut self, why: &str, turn: &mut Turn<'_>) {
        if self.let_leave(turn) {
            return;
        }
        let Some(round) = &mut self.round else { return };
        let step = round.step.unwrap_or_default();
        let why = why.to_owned();
        let wait = TRY_AGAIN * 2_i32.pow(round.failures.min(4));
        round.failures += 1;
        let failures = round.failures;
        round.hold(HeldBy::Failed { why: why.clone() }, wait, turn.now);
        if failures >= MOST_FAILURES {
            self.paused = Some(QueuePause {
                by: PausedBy::Failures { why: why.clone() },
                since: turn.now,
            });
            self.push(
                format!("broken/{step}"),
                Work::Notify(Notice::Broken { why }),
                turn,
            );
        }
    }
}

impl Round {
    /// Ends the present step; the same step begins again after `wait`.
    fn hold(&mut self, by: HeldBy, wait: SignedDuration, now: Timestamp) {
        self.step = None;
        let until = now.checked_add(wait).unwrap_or(Timestamp::MAX);
        self.held = Some(Held { by, until });
    }
}
