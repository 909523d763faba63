//! Formats sessions and times for people.

use crate::collisions;
use crate::paint::{Paint, plain};
use crate::table::{Cell, lines};
use downbeat_model::session::{LinkedIssue, SessionIssue};
use downbeat_model::{Reason, ReasonKind, Role, SessionId, Status, ToolsState};
use downbeat_wire::session::{LimitState, Session, SessionSummary, needing};
use downbeat_wire::shell::Shell;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// Formats a status as a painted word.
pub(crate) fn status(paint: Paint, status: Status) -> Cell {
    let word = status.as_str().replace('_', " ");
    match status {
        Status::Running | Status::Spawning => Cell::painted(&word, |t| paint.busy(t)),
        Status::Waiting | Status::Queued | Status::Paused => Cell::painted(&word, |t| paint.warn(t)),
        Status::Idle => Cell::painted(&word, |t| paint.good(t)),
        Status::SetupFailed | Status::Errored => Cell::painted(&word, |t| paint.bad(t)),
        Status::Unknown | Status::Exited | Status::Killed => Cell::painted(&word, |t| paint.faint(t)),
    }
}

/// Formats how long ago a time was, in one word: `3m`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now.as_second() - at.as_second()).max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Formats a status with its time: `waiting for 12s`, `exited 3m ago`.
pub(crate) fn since(status: Status, ago: &str) -> String {
    match status {
        Status::SetupFailed => format!("set-up failed {ago} ago"),
        Status::Errored => format!("failed {ago} ago"),
        Status::Exited | Status::Killed => format!("{} {ago} ago", status.as_str()),
        _ => format!("{} for {ago}", status.as_str()),
    }
}

/// Formats a time by this machine's clock: `15:01`, with its day if that is another one.
pub(crate) fn clock(at: Timestamp, now: Timestamp) -> String {
    let (at, now) = (at.to_zoned(TimeZone::system()), now.to_zoned(TimeZone::system()));
    let form = match at.date() == now.date() {
        true => "%H:%M",
        false => "%a %-d %b, %H:%M",
    };
    at.strftime(form).to_string()
}

/// Formats a usage limit on one line: its end, and whether the session continues automatically.
pub(crate) fn limit(limit: &LimitState, now: Timestamp) -> String {
    let until = match limit.over_at {
        Some(at) if limit.by_itself => format!("continues automatically at {}", clock(at, now)),
        Some(at) => format!("until {}", clock(at, now)),
        None => "no reset time given".to_owned(),
    };
    let until = if limit.goes_on { "continues now" } else { &until };
    format!("usage limit, {until}: {}", plain(&limit.text))
}

/// Returns why a session is not working, on one line; nothing if it is.
pub(crate) fn why(session: &SessionSummary, now: Timestamp) -> Option<String> {
    match (&session.reason, &session.limit) {
        (Some(reason), Some(limit)) if reason.kind == ReasonKind::Limit => Some(self::limit(limit, now)),
        (Some(reason), _) => Some(self::reason(reason, now)),
        (None, _) => {
            let needs = session.attention.as_ref().map(|attention| &attention.why);
            session.error.as_ref().or(needs).map(|why| plain(why))
        }
    }
}

/// Formats a reason on one line, with the remaining time.
pub(crate) fn reason(reason: &Reason, now: Timestamp) -> String {
    let text = plain(&reason.text);
    match reason.until.filter(|until| *until > now) {
        Some(until) if reason.kind == ReasonKind::Retrying => format!("{text}, in {}", left(until, now)),
        Some(until) => format!("{text}, until {}", clock(until, now)),
        None => text,
    }
}

/// Formats the time until a moment: `29m 43s`.
fn left(until: Timestamp, now: Timestamp) -> String {
    let seconds = (until.as_second() - now.as_second()).max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (hours, minutes, _) => format!("{hours}h {minutes}m"),
    }
}

/// Returns a session's role; nothing for an ordinary one.
pub(crate) fn role(session: &SessionSummary) -> &'static str {
    match (session.role, session.conducts) {
        (Role::Conductor, _) => "conductor",
        (Role::Worker, true) => "worker, conducts",
        (Role::Worker, false) => "worker",
        (Role::Session, _) => "",
    }
}

/// Formats sessions as a table, workers below their conductor, with or without the shells next to them.
pub(crate) fn sessions(paint: Paint, sessions: &[SessionSummary], shells: bool, now: Timestamp) -> String {
    let rows: Vec<Vec<Cell>> = nested(sessions)
        .into_iter()
        .flat_map(|(level, session)| {
            let lacks = session.tools.and_then(ToolsState::lacks).map(str::to_owned);
            // An ended session shows how it ended.
            let skipped = skipped_setup(session).filter(|_| session.status.is_live());
            let skipped = || skipped.map(|why| format!("set-up {why}"));
            let done = || done(session, now);
            let why = why(session, now).or(lacks).or_else(skipped).or_else(done);
            let why = why.unwrap_or_default();
            let own = vec![
                Cell::from(format!("{}{}", "  ".repeat(level), session.name)),
                status(paint, session.status),
                Cell::from(ago(session.status_since, now)),
                Cell::from(session.column.as_str()),
                Cell::from(session.agent.clone()),
                Cell::from(role(session)),
                Cell::from(session.branch.as_deref().map(plain).unwrap_or_default()),
                Cell::from(cut(&why, 80)),
            ];
            let beside = session.shells.iter().filter(|_| shells);
            let beside = beside.map(|shell| self::shell(paint, level + 1, shell, now));
            std::iter::once(own).chain(beside).collect::<Vec<_>>()
        })
        .collect();
    let table = lines(
        &[
            "NAME", "STATUS", "SINCE", "BOARD", "AGENT", "ROLE", "BRANCH", "WHY",
        ],
        &rows,
    );
    table + &collisions::below(sessions) + &need_you(sessions)
}

/// Formats what is known about a task that was reported as done: `verified: 3 checks on a1b2c3d4, 12s ago`.
fn done(session: &SessionSummary, now: Timestamp) -> Option<String> {
    let done = session.done.as_ref()?;
    Some(format!("{}, {} ago", plain(&done.text), ago(done.at, now)))
}

/// Says how the last review of a session's work stands: `approved by you at a1b2c3d4, 2m ago`.
fn review(session: &SessionSummary, now: Timestamp) -> Option<String> {
    let review = session.review.as_ref()?;
    Some(format!("{}, {} ago", plain(&review.text), ago(review.at, now)))
}

/// Formats an issue: `#42 Round half cents (https://…)`.
fn issue(issue: &SessionIssue) -> String {
    format!(
        "{} {} ({})",
        plain(&issue.name()),
        plain(&issue.title),
        plain(&issue.url)
    )
}

/// Formats the issues that an issue is connected with: `acme/shop#43 Round up, closed; acme/shop#44 Round down`.
fn linked(issues: &[LinkedIssue]) -> Option<String> {
    let one = |one: &LinkedIssue| {
        let closed = if one.is_closed { ", closed" } else { "" };
        format!("{} {}{closed}", plain(&one.key), plain(&one.title))
    };
    let all: Vec<String> = issues.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Says why a session's work waits to land, or how its last merge ended.
fn merge(session: &Session) -> Option<String> {
    let merges = session.merges.as_ref()?;
    let last = || merges.last.as_ref().map(|last| plain(&last.detail));
    match (&merges.waits, merges.under_way) {
        (Some(waits), _) => Some(plain(waits)),
        (None, true) => Some("is under way".into()),
        (None, false) => last(),
    }
}

/// Names the sessions that need the person, the longest waiting first; empty if there are none.
fn need_you(sessions: &[SessionSummary]) -> String {
    let needing = needing(sessions);
    let names: Vec<&str> = needing.iter().map(|(session, _)| session.name.as_str()).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!("1 needs you: {name}\n"),
        names => format!("{} need you: {}\n", names.len(), names.join(", ")),
    }
}

/// Formats a shell as a row of that table.
fn shell(paint: Paint, level: usize, shell: &Shell, now: Timestamp) -> Vec<Cell> {
    vec![
        Cell::from(format!("{}{}", "  ".repeat(level), shell.name)),
        status(paint, shell.status),
        Cell::from(ago(shell.status_since, now)),
        Cell::from(""),
        Cell::from(runs(shell)),
        Cell::from(""),
        Cell::from(""),
        Cell::from(""),
    ]
}

/// Describes a shell and the program that runs in it.
fn runs(shell: &Shell) -> String {
    match &shell.runs {
        Some(program) => format!("shell: {}", plain(program)),
        None => "shell".to_owned(),
    }
}

/// Formats one session with all the details that a person may ask for; `others` are those that it collides with.
pub(crate) fn session(paint: Paint, session: &Session, others: &[&SessionSummary], now: Timestamp) -> String {
    let mut out = format!(
        "{}  {}\n",
        paint.strong(&session.name),
        paint.strong(&since(session.status, &ago(session.status_since, now)))
    );
    let all = [
        about(session, now),
        work(session, others, now),
        need(session, now),
        place(session),
    ];
    for (name, value) in all.into_iter().flatten() {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push_str(&format!("  {}  {value}\n", paint.faint(&format!("{name:9}"))));
        }
    }
    out
}

/// A detail of a session: its name, and its value unless there is none.
type Detail = (&'static str, Option<String>);

/// Says what a session is, and how it is seen.
fn about(session: &Session, now: Timestamp) -> Vec<Detail> {
    let evidence = &session.status_evidence;
    let seen = format!("{} ({} ago)", plain(&evidence.detail), ago(evidence.at, now));
    vec![
        ("id", Some(session.id.to_string())),
        ("title", Some(plain(&session.title))),
        ("board", Some(session.column.as_str().to_owned())),
        ("role", Some(role(session).to_owned())),
        ("agent", Some(session.agent.clone())),
        ("seen", Some(seen)),
        (
            "tools",
            session.tools.and_then(ToolsState::lacks).map(str::to_owned),
        ),
    ]
}

/// Says what a session works on, and how far that is.
fn work(session: &Session, others: &[&SessionSummary], now: Timestamp) -> Vec<Detail> {
    let of_issue = session.issue.as_ref();
    vec![
        ("current task", session.current_task.as_deref().map(plain)),
        ("issue", of_issue.map(issue)),
        ("sub-issues", of_issue.and_then(|issue| linked(&issue.children))),
        ("blocked by", of_issue.and_then(|issue| linked(&issue.blocked_by))),
        ("done", done(session, now)),
        ("review", review(session, now)),
        ("merge", merge(session)),
        ("collides", collisions::of(session, others)),
    ]
}

/// Says what a session waits for, and what went wrong.
fn need(session: &Session, now: Timestamp) -> Vec<Detail> {
    let question = session.question.as_ref();
    let why = why(session, now).filter(|_| question.is_none() && session.reason.is_some());
    let needs = session.attention.as_ref();
    vec![
        ("question", question.map(|question| plain(&question.text))),
        (
            "answers",
            question.map(|question| plain(&question.options.join(" / "))),
        ),
        ("why", why),
        (
            "needs you",
            needs.map(|needs| format!("for {}", ago(needs.since, now))),
        ),
        ("paused", session.paused.as_ref().map(|paused| plain(&paused.why))),
        ("error", session.error.as_deref().map(plain)),
        ("set-up", skipped_setup(session)),
        ("exit code", session.exit_code.map(|code| code.to_string())),
        ("task", Some(cut(&plain(&session.task), 200))),
    ]
}

/// Says where a session runs, and what belongs to it.
fn place(session: &Session) -> Vec<Detail> {
    let base = session.base.as_ref().map(|base| {
        let commit: String = base.commit.chars().take(10).collect();
        let behind = match base.behind {
            0 => String::new(),
            behind => format!(", {behind} behind its upstream"),
        };
        format!("{} at {commit}{behind}", plain(&base.name))
    });
    let workers = Some(session.workers).filter(|number| *number > 0);
    let shells: Vec<String> = session.shells.iter().map(named).collect();
    vec![
        ("branch", session.branch.as_deref().map(plain)),
        ("base", base),
        ("path", session.workspace_path.as_deref().map(plain)),
        ("port", session.port.map(|port| port.to_string())),
        ("workers", workers.map(|number| number.to_string())),
        ("shells", Some(shells.join(", "))),
    ]
}

/// Returns why the set-up of a session was skipped, if there was something to set up.
fn skipped_setup(session: &SessionSummary) -> Option<String> {
    let why = session.setup_skipped.as_ref()?;
    Some(format!("skipped: {}", plain(why)))
}

/// Formats a shell's name, with the program that runs in it.
fn named(shell: &Shell) -> String {
    match &shell.runs {
        Some(program) => format!("{} (runs {})", shell.name, plain(program)),
        None => shell.name.clone(),
    }
}

/// Returns sessions with their levels, each right below its parent if that is listed.
fn nested(sessions: &[SessionSummary]) -> Vec<(usize, &SessionSummary)> {
    let mut below: HashMap<Option<&SessionId>, Vec<&SessionSummary>> = HashMap::new();
    for session in sessions {
        let parent = session
            .parent
            .as_ref()
            .filter(|p| sessions.iter().any(|other| other.id == **p));
        below.entry(parent).or_default().push(session);
    }
    let mut out = Vec::with_capacity(sessions.len());
    let mut stack: Vec<(usize, &SessionSummary)> = below
        .remove(&None)
        .into_iter()
        .flatten()
        .rev()
        .map(|s| (0, s))
        .collect();
    while let Some((level, session)) = stack.pop() {
        out.push((level, session));
        let workers = below.remove(&Some(&session.id)).into_iter().flatten().rev();
        stack.extend(workers.map(|worker| (level + 1, worker)));
    }
    out
}

/// Formats a number of bytes: `1.4 GB`, `26 MB`, `3 kB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}

/// Cuts a text to at most this many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{sessions, since};
    use crate::paint::Paint;
    use downbeat_model::Status;
    use downbeat_wire::session::SessionSummary;
    use jiff::Timestamp;

    #[test]
    fn the_list_counts_the_sessions_that_every_face_counts() {
        let (shown, needing): (Vec<SessionSummary>, usize) =
            serde_json::from_str(include_str!("../../wire/fixtures/attention.json")).unwrap();
        let text = sessions(Paint::for_stdout(), &shown, false, Timestamp::now());
        let counted = format!("{needing} need you: ");
        assert!(text.lines().last().unwrap().starts_with(&counted), "{text}");
        let one = sessions(Paint::for_stdout(), &shown[..2], false, Timestamp::now());
        assert!(one.ends_with("1 needs you: asks\n"), "{one}");
        let none = sessions(Paint::for_stdout(), &shown[..1], false, Timestamp::now());
        assert!(!none.contains("need"), "{none}");
    }

    #[test]
    fn a_status_is_shown_with_its_duration_or_its_time() {
        for (status, said) in [
            (Status::Waiting, "waiting for 6s"),
            (Status::Spawning, "spawning for 6s"),
            (Status::Exited, "exited 6s ago"),
            (Status::Killed, "killed 6s ago"),
            (Status::Errored, "failed 6s ago"),
            (Status::SetupFailed, "set-up failed 6s ago"),
        ] {
            assert_eq!(since(status, "6s"), said);
        }
    }
}
