//! What follows from the checks on the branch: what is green now, which workers nobody needs any more, and what is new.

use crate::decide::fix::{end, failed, look, open, put};
use crate::state::draft::Draft;
use downbeat_failures::{Limits, group};
use downbeat_model::effect::{EffectState, FixAct, FixStep};
use downbeat_model::fix::{End, Failure, Fix, Group, GroupState};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of groups that are made at a time, and of failures in a group that others are joined with.
const LIMITS: Limits = Limits {
    groups: 12,
    failures: 20,
};

/// The largest number of groups of a run: each landing may make something else red.
const MOST_GROUPS: usize = 60;

/// The largest number of failures that are taken from the checks on one commit.
const MOST_FAILURES: usize = 300;

/// The longest text that is kept of a failure, in bytes.
const MOST_TEXT: usize = 8 << 10;

/// What the checks say of a commit.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The commit.
    pub commit: String,
    /// The checks that ran.
    pub checks: Vec<CheckSeen>,
    /// What could not be read, and what was left out.
    pub notes: Vec<String>,
    /// The files that live worktrees change, each with the name of its session.
    pub busy: BTreeMap<String, String>,
}

/// What a check says.
#[derive(Debug, Clone)]
pub struct CheckSeen {
    /// Its name.
    pub name: String,
    /// Its command.
    pub command: String,
    /// What failed; nothing if it passed.
    pub failures: Vec<downbeat_failures::Failure>,
}

/// Records what the checks on the branch say, or why they did not run.
pub fn looked(draft: &mut Draft, key: &str, step: &FixStep, seen: Result<Seen, String>) {
    draft.change_effect(key, |effect| effect.state = EffectState::Done);
    let Some(mut fix) = open(draft, &step.run).filter(|fix| fix.look == Some(step.number)) else {
        return;
    };
    fix.look = None;
    let seen = match seen {
        Ok(seen) => seen,
        Err(why) => return end(draft, fix, End::Failed(why)),
    };
    let now = draft.now();
    fix.was_whole = step.act == FixAct::Look { whole: true };
    fix.commit = Some(seen.commit.clone());
    for check in &seen.checks {
        match check.failures.is_empty() {
            true => fix.red.remove(&check.name),
            false => fix.red.insert(check.name.clone()),
        };
        let ids = check.failures.iter().map(|failure| failure.id.clone());
        fix.seen.entry(check.name.clone()).or_default().extend(ids);
    }
    fix.notes.clone_from(&seen.notes);
    judge(&mut fix, &seen, now);
    add(&mut fix, &seen, now);
    if fix.settings.dry_run {
        return end(draft, fix, End::Shown);
    }
    if fix.again {
        look(draft, &mut fix, false);
    }
    put(draft, fix);
}

/// Says what became of the groups that are known.
fn judge(fix: &mut Fix, seen: &Seen, now: Timestamp) {
    let red: BTreeSet<(&str, &str)> = seen
        .checks
        .iter()
        .flat_map(|check| {
            check
                .failures
                .iter()
                .map(|failure| (check.name.as_str(), failure.id.as_str()))
        })
        .collect();
    let settings = fix.settings.clone();
    let (target, again) = (fix.target.clone(), fix.again);
    for group in &mut fix.groups {
        let ran = |name: &String| seen.checks.iter().any(|check| check.name == *name);
        if !group.checks.iter().all(ran) {
            continue;
        }
        let is_red = |failure: &Failure| red.contains(&(failure.check.as_str(), failure.id.as_str()));
        let is_still_red = group.failures.iter().any(is_red);
        match (group.state, is_still_red) {
            (GroupState::Landed, false) => group.becomes(GroupState::Fixed, "", now),
            // These checks may have begun before it landed; they run once more.
            (GroupState::Landed, true) if again => {}
            (GroupState::Landed, true) => {
                failed(
                    group,
                    &settings,
                    &format!("it is still red on {target} after its work landed"),
                    now,
                );
            }
            (GroupState::Landing | GroupState::Fixed | GroupState::Vanished | GroupState::GivenUp, _) => {}
            (_, false) => group.becomes(
                GroupState::Vanished,
                "something else that landed made it green",
                now,
            ),
            (GroupState::Waiting | GroupState::Skipped, true) => {
                group.failures.retain(is_red);
                wait(group, &seen.busy, now);
            }
            (_, true) => {}
        }
    }
}

/// Lets a group wait, unless another live worktree changes its files.
fn wait(group: &mut Group, busy: &BTreeMap<String, String>, now: Timestamp) {
    let taken = group
        .files
        .iter()
        .find_map(|file| busy.get(file).map(|by| (file, by)));
    match taken {
        Some((file, by)) => {
            let why = format!("{by} changes {file} already");
            if group.state != GroupState::Skipped || group.why != why {
                group.becomes(GroupState::Skipped, &why, now);
            }
        }
        None if group.state == GroupState::Skipped => group.becomes(GroupState::Waiting, "", now),
        None => {}
    }
}

/// Groups what no group is about yet.
fn add(fix: &mut Fix, seen: &Seen, now: Timestamp) {
    let mut all = without_group(fix, seen);
    if all.len() > MOST_FAILURES {
        let more = all.len() - MOST_FAILURES;
        fix.notes.push(format!(
            "{more} more failures wait until the first ones are fixed"
        ));
        all.truncate(MOST_FAILURES);
    }
    let failures: Vec<_> = all.iter().map(|(_, failure)| failure.clone()).collect();
    for made in group(&failures, LIMITS) {
        if fix.groups.len() >= MOST_GROUPS {
            fix.notes.push(format!(
                "{} is red and left out: there are {MOST_GROUPS} groups",
                made.title
            ));
            continue;
        }
        let members: Vec<_> = made.members.iter().filter_map(|at| all.get(*at)).collect();
        let mut group = Group {
            number: u32::try_from(fix.groups.len()).unwrap_or(u32::MAX) + 1,
            title: made.title,
            checks: Vec::new(),
            commands: Vec::new(),
            files: made.files,
            failures: members
                .iter()
                .map(|(check, failure)| kept(&check.name, failure))
                .collect(),
            state: GroupState::Waiting,
            since: now,
            why: String::new(),
            session: None,
            worker: None,
            begun_at: None,
            attempts: 0,
            rested: None,
            head: None,
            stops: false,
            tokens: 0,
            usd: None,
        };
        for (check, _) in members {
            if !group.checks.contains(&check.name) {
                group.checks.push(check.name.clone());
                group.commands.push(check.command.clone());
            }
        }
        wait(&mut group, &seen.busy, now);
        fix.groups.push(group);
    }
}

/// Returns the failures that no group is about which is still to be fixed, each with its check.
fn without_group<'a>(fix: &Fix, seen: &'a Seen) -> Vec<(&'a CheckSeen, downbeat_failures::Failure)> {
    let live = fix.groups.iter().filter(|group| !group.state.is_green());
    let known: BTreeSet<(&str, &str)> = live
        .flat_map(|group| {
            group
                .failures
                .iter()
                .map(|failure| (failure.check.as_str(), failure.id.as_str()))
        })
        .collect();
    let all = seen
        .checks
        .iter()
        .flat_map(|check| check.failures.iter().map(move |failure| (check, failure)));
    all.filter(|(check, failure)| !known.contains(&(check.name.as_str(), failure.id.as_str())))
        .map(|(check, failure)| (check, failure.clone()))
        .collect()
}

fn kept(check: &str, failure: &downbeat_failures::Failure) -> Failure {
    let mut end = failure.excerpt.len().min(MOST_TEXT);
    while !failure.excerpt.is_char_boundary(end) {
        end -= 1;
    }
    Failure {
        check: check.to_owned(),
        tool: failure.tool.word().to_owned(),
        id: failure.id.clone(),
        title: failure.title.clone(),
        message: failure.message.clone(),
        file: failure.file.clone(),
        line: failure.line,
        text: failure.excerpt[..end].to_owned(),
    }
}

#[cfg(test)]
#[path = "looked_tests.rs"]
mod tests;
