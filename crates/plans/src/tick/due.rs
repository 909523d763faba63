//! What of a kept plan is to be ticked in its file, and what came of it. What cannot be ticked stays due for a while: a file is moved
//! away and back, or is half written when it is looked at.

use super::lines::{Line, lines};
use crate::note::About;
use crate::plan::Form;
use crate::record::{BEADS, PlanRecord, PlanState};
use crate::schedule::ShareState;
use crate::words::name;
use jiff::{SignedDuration, Timestamp};
use std::collections::{HashMap, HashSet};

/// How long it is tried again: after the end of the plan if the file cannot be written, after the end of the worker if the task is
/// not in it.
const PATIENCE: SignedDuration = SignedDuration::from_mins(10);

/// The most tasks that a note names.
const MOST_NAMED: usize = 8;

/// What is to be ticked now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Due {
    /// What is done and is written into the file.
    pub lines: Vec<Line>,
    /// What will not be done as a whole, and why.
    never: Vec<(Line, String)>,
    /// The places of the shares that wait for nothing but that.
    shares: Vec<usize>,
}

impl Due {
    /// Reports whether there is nothing to write or to record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.never.is_empty() && self.shares.is_empty()
    }
}

/// A line that could not be ticked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its place in [`Due::lines`].
    pub line: usize,
    /// The reason.
    pub why: String,
    /// Whether the file could be read and written, and it is not in there.
    pub is_missing: bool,
}

impl PlanRecord {
    /// Reports whether a share waits for its tasks to be ticked, or for others with which they are done.
    #[must_use]
    pub fn has_due(&self) -> bool {
        self.source.is_some() && (0..self.shares.len()).any(|place| self.is_due(place))
    }

    fn is_due(&self, place: usize) -> bool {
        let share = self.shares.get(place);
        share.is_some_and(|one| one.state == ShareState::Done && !one.ticked)
    }

    /// Returns what is to be ticked now.
    #[must_use]
    pub fn due(&self) -> Due {
        if !self.has_due() {
            return Due::default();
        }
        let shares = self.shares.iter().enumerate();
        let places: HashMap<&str, usize> = shares
            .flat_map(|(place, one)| one.share.tasks.iter().map(move |id| (id.as_str(), place)))
            .collect();
        let mut due = Due::default();
        let mut waiting = HashSet::new();
        for mut line in self.ticked_lines() {
            let tasks = line.tasks.iter().filter_map(|at| self.plan.tasks.get(*at));
            let ends = tasks.filter_map(|task| Some((task, *places.get(task.id.as_str())?)));
            let ends: Vec<_> = ends.collect();
            line.shares = ends.iter().map(|(_, place)| *place).collect();
            line.shares.retain(|place| self.is_due(*place));
            let state = |place: usize| self.shares.get(place).map(|one| one.state);
            let open = ends
                .iter()
                .find(|(_, place)| state(*place) != Some(ShareState::Done));
            let skipped = ends
                .iter()
                .find(|(_, place)| state(*place) == Some(ShareState::Skipped));
            match (open, skipped) {
                _ if line.shares.is_empty() => {}
                (None, _) => due.lines.push(line),
                (_, Some((task, _))) => due
                    .never
                    .push((line, format!("“{}” was skipped", name(&task.title)))),
                (Some((task, _)), _) if self.state == PlanState::Cancelled => due
                    .never
                    .push((line, format!("“{}” was not done", name(&task.title)))),
                _ => waiting.extend(line.shares),
            }
        }
        let all = (0..self.shares.len()).filter(|place| self.is_due(*place));
        due.shares = all.filter(|place| !waiting.contains(place)).collect();
        due
    }

    /// The JSON of a planner has nothing to tick, and the issues of an epic are told by their sessions.
    fn ticked_lines(&self) -> Vec<Line> {
        match self.plan.form {
            Form::Planner | Form::Epic => Vec::new(),
            _ => lines(&self.plan),
        }
    }

    /// Records what was ticked, all but `left`. Returns the new notes.
    pub fn ticked(&mut self, due: &Due, left: &[Left], now: Timestamp) -> Vec<String> {
        let known = self.noted();
        self.forget_notes(due);
        let (mut notes, mut kept) = (Notes::default(), HashSet::new());
        for one in left {
            let Some(line) = due.lines.get(one.line) else {
                continue;
            };
            let is_over = self.is_over_for(line, one.is_missing, now);
            if !is_over {
                kept.extend(line.shares.iter().copied());
            }
            notes.add(&one.why, line, is_over);
        }
        for (line, why) in &due.never {
            notes.add(why, line, true);
        }
        for place in due.shares.iter().filter(|place| !kept.contains(place)) {
            if let Some(one) = self.shares.get_mut(*place) {
                one.ticked = true;
            }
        }
        let path = self.source.as_ref().map_or("", |source| source.path.as_str());
        for (about, text) in notes.texts(path) {
            self.note(about, &text);
        }
        let mut new = self.noted();
        new.retain(|text| !known.contains(text));
        new
    }

    /// Reports whether a line that could not be ticked is given up.
    fn is_over_for(&self, line: &Line, is_missing: bool, now: Timestamp) -> bool {
        let ends = line.shares.iter().filter_map(|place| self.shares.get(*place));
        let since = match is_missing {
            true => ends.filter_map(|one| one.ended_at).max(),
            false => self.ended_at,
        };
        since.is_some_and(|since| now.duration_since(since) >= PATIENCE)
    }

    /// Takes out the notes on what is due: it is ticked by now, or gets another note.
    fn forget_notes(&mut self, due: &Due) {
        let lines = due.lines.iter().chain(due.never.iter().map(|(line, _)| line));
        let ids: HashSet<&str> = lines.map(|line| line.id.as_str()).collect();
        self.notes.retain(|note| match &note.about {
            About::Ticking { line } => !ids.contains(line.as_str()),
            _ => true,
        });
    }
}

fn not_ticked(path: &str) -> String {
    match path {
        BEADS => "not closed in beads: ".to_owned(),
        path => format!("not ticked in {path}: "),
    }
}

/// Notes on lines: one for each reason, and one for what is not tried any more, which stays.
#[derive(Default)]
struct Notes(Vec<Note>);

struct Note {
    why: String,
    is_over: bool,
    /// The id of the first line.
    line: String,
    names: Vec<String>,
    more: usize,
}

impl Notes {
    fn add(&mut self, why: &str, line: &Line, is_over: bool) {
        let found = self
            .0
            .iter()
            .position(|one| one.why == why && one.is_over == is_over);
        let place = found.unwrap_or_else(|| {
            self.0.push(Note {
                why: why.to_owned(),
                is_over,
                line: line.id.clone(),
                names: Vec::new(),
                more: 0,
            });
            self.0.len() - 1
        });
        if let Some(note) = self.0.get_mut(place) {
            match note.names.len() < MOST_NAMED {
                true => note.names.push(line.name()),
                false => note.more += 1,
            }
        }
    }

    fn texts(self, path: &str) -> Vec<(About, String)> {
        let texts = self.0.into_iter().map(|note| {
            let more = match note.more {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = note.names.join(", ");
            let text = format!("{names}{more} {}{}", not_ticked(path), note.why);
            (About::Ticking { line: note.line }, text)
        });
        texts.collect()
    }
}
