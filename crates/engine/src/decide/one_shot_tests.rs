//! Tables of which requests a one-shot session allows, of what it takes, and of what it reports when it is
//! done.

use super::*;
use crate::state::example::{draft, events, id, project, told, with};
use downbeat_agents::SHELL;
use downbeat_model::EventKind;

fn agents() -> Agents {
    Agents::new("/bin/sh", [])
}

fn once(prompt: &str) -> NewSession {
    NewSession {
        once: Some(true),
        prompt: Some(prompt.into()),
        ..NewSession::default()
    }
}

fn refused(agent: &str, request: &NewSession, mode: PermissionMode, trusted: bool) -> Option<String> {
    let mut project = project();
    project.trusted = trusted;
    let agents = agents();
    let said = check(&agents, &project, request, agents.get(agent).unwrap(), mode);
    said.err().map(|error| {
        assert_eq!(error.code, Code::Invalid);
        error.message
    })
}

#[test]
fn a_one_shot_session_is_refused_if_it_could_not_be_held_or_could_not_end() {
    use PermissionMode::{Ask, Bypass};
    let long = "x".repeat(MAX_ONCE);
    let longer = format!("{long}x");
    let conducts = NewSession {
        conductor: Some(true),
        ..once("go")
    };
    let without = NewSession {
        prompt: None,
        ..once("")
    };
    for (words, agent, request, mode, trusted, wanted) in [
        ("it can", "claude", once("go"), Ask, true, None),
        ("a long one", "claude", once(&long), Ask, true, None),
        (
            "a repository that nobody trusts",
            "claude",
            once("go"),
            Ask,
            false,
            Some("trust shop"),
        ),
        (
            "a shell",
            SHELL,
            once("go"),
            Ask,
            true,
            Some("has no one-shot mode"),
        ),
        (
            "it asks nobody there",
            "amp",
            once("go"),
            Ask,
            true,
            Some("`ask` cannot be enforced"),
        ),
        ("it may do anything", "amp", once("go"), Bypass, true, None),
        (
            "a conductor",
            "claude",
            conducts,
            Ask,
            true,
            Some("waits for its workers"),
        ),
        ("no prompt", "claude", without, Ask, true, Some("needs a prompt")),
        (
            "an empty prompt",
            "claude",
            once(" \n"),
            Ask,
            true,
            Some("needs a prompt"),
        ),
        (
            "too long a prompt",
            "claude",
            once(&longer),
            Ask,
            true,
            Some("at most"),
        ),
    ] {
        let said = refused(agent, &request, mode, trusted);
        let is_as_wanted = match (&said, wanted) {
            (None, None) => true,
            (Some(said), Some(wanted)) => said.contains(wanted),
            _ => false,
        };
        assert!(is_as_wanted, "{words}: {said:?}");
    }
    for asked in [None, Some(false)] {
        let session = NewSession {
            once: asked,
            ..once("")
        };
        assert_eq!(refused(SHELL, &session, Ask, false), None, "a session as any");
    }
}

#[test]
fn a_one_shot_session_takes_no_further_input_and_says_what_to_do_instead() {
    for (agent, status, one_shot, wanted) in [
        ("claude", Status::Running, false, None),
        (
            "claude",
            Status::Running,
            true,
            Some("resume it once it has ended"),
        ),
        (
            "claude",
            Status::Exited,
            true,
            Some("resume it to continue as a conversation"),
        ),
        ("nobody", Status::Exited, true, Some("start another session")),
    ] {
        let row = SessionRow {
            agent: agent.into(),
            one_shot,
            ..with(1, status)
        };
        let said = takes(&agents(), &row, "messages").err();
        let hint = said.as_ref().and_then(|error| error.hint.clone());
        assert_eq!(said.is_some(), wanted.is_some(), "{agent} {status:?}");
        if let (Some(error), Some(hint), Some(wanted)) = (said, hint, wanted) {
            assert_eq!(error.message, "session-1 is a one-shot run and takes no messages");
            assert!(hint.contains(wanted), "{hint}");
        }
    }
}

#[test]
fn a_one_shot_session_works_as_soon_as_its_program_was_started() {
    let mut draft = draft(50, [with(1, Status::Spawning)]);
    begun(&mut draft, &id(1)).unwrap();
    let row = draft.session(&id(1)).unwrap();
    assert_eq!(
        (row.status, row.status_evidence.source),
        (Status::Running, EvidenceSource::Process)
    );
    assert_eq!(row.observed.as_ref().unwrap().activity.status(), Status::Running);
}

#[test]
fn a_one_shot_session_that_ended_well_reports_its_answer() {
    for (said, notice) in [
        ("42\nis it", "finished: is done: 42"),
        ("", "finished: is done"),
        (" \n ", "finished: is done"),
    ] {
        let mut draft = draft(50, [with(1, Status::Running)]);
        done(&mut draft, &id(1), said).unwrap();
        assert_eq!(told(&draft), [notice]);
        assert_eq!(events(&draft, EventKind::SessionStatus)[0]["detail"], said);
        let row = draft.session(&id(1)).unwrap();
        assert_eq!(row.status, Status::Exited);
        assert_eq!(row.status_evidence.source, EvidenceSource::Process);
    }
}
