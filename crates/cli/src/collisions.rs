//! Formats which sessions change the same files. Pure. Not how that is found out.

use crate::paint::plain;
use downbeat_model::SessionId;
use downbeat_model::session::Collision;
use downbeat_wire::session::SessionSummary;

/// The number of files that are named of a collision.
const FILES: usize = 3;

/// The number of collisions below a list.
const LISTED: usize = 5;

/// Says with whom a session collides and where; `names` are the sessions whose names are known. Nothing if it does not.
pub(crate) fn of(session: &SessionSummary, names: &[&SessionSummary]) -> Option<String> {
    let one = |one: &Collision| format!("with {} in {}", name(&one.session, names), place(one));
    let all: Vec<String> = session.collisions.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Returns the lines below a list of sessions: each pair once, those that conflict first.
pub(crate) fn below(sessions: &[SessionSummary]) -> String {
    let names: Vec<&SessionSummary> = sessions.iter().collect();
    let known = |id: &SessionId| sessions.iter().any(|session| session.id == *id);
    let mut pairs: Vec<(&SessionSummary, &Collision)> = Vec::new();
    for session in sessions {
        let once = |one: &&Collision| session.id < one.session && known(&one.session);
        pairs.extend(session.collisions.iter().filter(once).map(|one| (session, one)));
    }
    pairs.sort_by_key(|(_, one)| (!one.conflicts, !one.same_place));
    let line = |(session, one): &(&SessionSummary, &Collision)| {
        let (own, other) = (&session.name, name(&one.session, &names));
        format!("{own} and {other} both change {}\n", place(one))
    };
    let mut text: String = pairs.iter().take(LISTED).map(line).collect();
    if let Some(more) = pairs.len().checked_sub(LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("and {more} more pairs change the same files\n"));
    }
    text
}

fn name(id: &SessionId, names: &[&SessionSummary]) -> String {
    let known = names.iter().find(|other| other.id == *id);
    known.map_or_else(|| "another session".to_owned(), |other| other.name.clone())
}

/// Names the files and how bad it is: `src/cart.rs and 2 more files (merging both would conflict)`.
fn place(one: &Collision) -> String {
    let files: Vec<String> = one
        .files
        .iter()
        .take(FILES)
        .map(|file| plain(&file.path))
        .collect();
    let left = one.file_count as usize - files.len().min(one.file_count as usize);
    let more = match left {
        0 => String::new(),
        1 => " and 1 more file".to_owned(),
        left => format!(" and {left} more files"),
    };
    let end = match (one.conflicts, one.same_place) {
        (true, _) => " (merging both would conflict)",
        (false, true) => " (the same lines)",
        (false, false) => "",
    };
    format!("{}{more}{end}", files.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{below, of};
    use downbeat_wire::session::SessionSummary;
    use serde_json::{Value, json};

    fn some() -> Vec<SessionSummary> {
        let (mut shown, _): (Vec<Value>, usize) =
            serde_json::from_str(include_str!("../../wire/fixtures/attention.json")).unwrap();
        shown.truncate(2);
        let [first, second] = [0, 1].map(|at: usize| shown[at]["id"].clone());
        let collision = |other: &Value, conflicts: bool| {
            let file = |path: &str| json!({ "path": path, "samePlace": true, "conflicts": conflicts });
            json!([{ "session": other, "files": [file("a\u{1b}.rs"), file("b.rs"), file("c.rs"), file("d.rs")],
                "fileCount": 6, "samePlace": true, "conflicts": conflicts, "at": "2026-01-01T00:00:00Z" }])
        };
        shown[0]["collisions"] = collision(&second, true);
        shown[1]["collisions"] = collision(&first, true);
        shown
            .into_iter()
            .map(|one| serde_json::from_value(one).unwrap())
            .collect()
    }

    #[test]
    fn a_pair_is_listed_once_with_its_files_and_how_a_merge_would_end() {
        let sessions = some();
        let (one, other) = (&sessions[0].name, &sessions[1].name);
        let text = below(&sessions);
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.contains(&format!("{one} and {other} both change"))
                || text.contains(&format!("{other} and {one} both change")),
            "{text}"
        );
        assert!(
            text.ends_with("b.rs, c.rs and 3 more files (merging both would conflict)\n"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert_eq!(below(&sessions[..1]), "", "the other one is not listed");
    }

    #[test]
    fn a_session_that_is_not_known_is_not_named() {
        let sessions = some();
        let told = of(&sessions[0], &[]).unwrap();
        assert!(told.starts_with("with another session in "), "{told}");
        let named = of(&sessions[0], &[&sessions[1]]).unwrap();
        assert!(
            named.starts_with(&format!("with {} in ", sessions[1].name)),
            "{named}"
        );
        let mut alone = some().remove(0);
        alone.collisions.clear();
        assert_eq!(of(&alone, &[]), None);
    }
}
