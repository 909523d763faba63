//! Tables of what an agent may request with its session's token, and of what only the person may.

use super::*;
use crate::state::draft::Draft;
use crate::state::example::{asking, id, paused, project, session, state};
use downbeat_agents::Manifest;
use downbeat_model::{About, Evidence, Question};
use jiff::Timestamp;

fn conductor() -> Caller {
    Caller::Session(id(1))
}

/// Returns our agents, and two that a person declared: `loose`, which nothing holds to a permission mode, and
/// `taken`, which the person nevertheless allows to be spawned.
fn agents() -> Agents {
    let plain = |spawnable| Manifest {
        command: vec!["true".into()],
        spawnable,
        ..Manifest::default()
    };
    let own = [
        ("loose".to_owned(), plain(false)),
        ("taken".to_owned(), plain(true)),
    ];
    Agents::new("/bin/sh", own)
}

fn of(agent: &str) -> SessionRow {
    SessionRow {
        agent: agent.into(),
        ..session(2)
    }
}

fn refused(result: Result<(), ApiError>) -> Option<Code> {
    result.err().map(|error| error.code)
}

#[test]
fn a_conductor_spawns_agents_that_keep_to_a_permission_mode_in_a_worktree() {
    let in_place = SessionRow {
        workspace: Workspace::InPlace,
        ..of("claude")
    };
    for (row, is_allowed) in [
        (of("claude"), true),
        (of("codex"), true),
        (of("taken"), true),
        (of("loose"), false),
        (of(SHELL), false),
        (in_place, false),
        // Whether an agent exists at all is checked elsewhere.
        (of("nobody"), true),
    ] {
        let wanted = (!is_allowed).then_some(Code::Forbidden);
        let said = may_spawn(&conductor(), &agents(), (&row.agent, row.workspace));
        assert_eq!(refused(said), wanted, "{} {:?}", row.agent, row.workspace);
        assert!(
            may_spawn(&Caller::Owner, &agents(), (&row.agent, row.workspace)).is_ok(),
            "the person may"
        );
    }
}

#[test]
fn an_agent_has_only_issues_of_its_projects_team_read() {
    let key = IssueKey::parse("ENG-7").unwrap();
    for (caller, team, is_allowed) in [
        (conductor(), Some("ENG"), true),
        (conductor(), Some("eng"), true),
        (conductor(), Some("OPS"), false),
        (conductor(), Some("EN"), false),
        (conductor(), None, false),
        (Caller::Owner, Some("OPS"), true),
        (Caller::Owner, None, true),
    ] {
        let said = may_read(&caller, "shop", team, &key);
        let wanted = (!is_allowed).then_some(Code::Forbidden);
        if let Err(error) = &said {
            let hint = error.hint.as_deref().unwrap_or_default();
            assert!(hint.contains("`downbeat spawn ENG-7 --project shop`"), "{hint}");
        }
        assert_eq!(refused(said), wanted, "{caller:?} {team:?}");
    }
}

#[test]
fn a_worker_gets_the_tools_to_spawn_only_above_the_deepest_level() {
    for (caller, conducts, depth, wanted) in [
        (conductor(), true, 1, None),
        (conductor(), true, 2, Some(Code::TooDeep)),
        (conductor(), true, 3, Some(Code::TooDeep)),
        (conductor(), false, 2, None),
        (Caller::Owner, true, 2, None),
    ] {
        let row = SessionRow {
            conducts,
            depth,
            ..session(2)
        };
        assert_eq!(
            refused(may_conduct(&caller, &row, 2)),
            wanted,
            "{caller:?} {conducts} {depth}"
        );
    }
}

#[test]
fn a_conductor_types_only_into_agents_that_report_their_questions() {
    let asks_on_screen = |agent: &str| agents().get(agent).is_some_and(|agent| agent.tells_questions());
    for (row, is_allowed) in [
        (of("claude"), true),
        (of("taken"), true),
        (of("loose"), asks_on_screen("loose")),
        (of(SHELL), false),
        (session(1), false),
    ] {
        let wanted = (!is_allowed).then_some(Code::Forbidden);
        let said = may_type(&conductor(), &agents(), &row);
        assert_eq!(refused(said), wanted, "{} {}", row.id, row.agent);
        assert!(
            may_type(&Caller::Owner, &agents(), &row).is_ok(),
            "the person may"
        );
    }
    assert!(!asks_on_screen("loose"));
}

#[test]
fn a_conductor_answers_if_the_person_allowed_it_for_the_project() {
    let dialog = || asking(2, QuestionKind::Permission, 0);
    let prose = |agent: &str| SessionRow {
        agent: agent.into(),
        ..asking(2, QuestionKind::Asks, 0)
    };
    for (words, row, allowed, wanted) in [
        ("a dialog", dialog(), false, Some(Code::Forbidden)),
        ("a dialog", dialog(), true, None),
        // Any message answers a question in prose, if messages may be typed there.
        ("in prose", prose("claude"), false, None),
        ("in prose, of a shell", prose(SHELL), true, Some(Code::Forbidden)),
        ("paused", paused(dialog()), true, Some(Code::Conflict)),
        (
            "paused, in prose",
            paused(prose("claude")),
            true,
            Some(Code::Conflict),
        ),
        (
            "its own",
            asking(1, QuestionKind::Permission, 0),
            true,
            Some(Code::Forbidden),
        ),
    ] {
        let mut draft = Draft::of(state([session(1), row.clone()]));
        let mut project = project();
        project.conductors_answer = allowed;
        draft.put_project(project);
        let said = may_answer(&conductor(), &agents(), draft.state(), &row);
        assert_eq!(refused(said), wanted, "{words} {allowed}");
        let person = may_answer(&Caller::Owner, &agents(), draft.state(), &row);
        assert!(person.is_ok(), "the person may: {words}");
    }
    let row = dialog();
    let said = may_answer(&conductor(), &agents(), &state([row.clone()]), &row).unwrap_err();
    let hint = said.hint.unwrap();
    assert!(
        hint.contains("downbeat project edit shop --conductors-answer yes"),
        "{hint}"
    );
}

fn asked(kind: QuestionKind, source: EvidenceSource, call: Option<&str>) -> OpenQuestion {
    OpenQuestion {
        question: Question {
            kind,
            text: "Plan ready. Start on it?".into(),
            options: Vec::new(),
        },
        about: About {
            call: call.map(str::to_owned),
            ..About::default()
        },
        evidence: Evidence {
            source,
            detail: String::new(),
            at: Timestamp::UNIX_EPOCH,
        },
    }
}

#[test]
fn lasting_answers_trust_and_the_account_are_reserved_for_the_person() {
    use EvidenceSource::{Hook, Screen};
    use QuestionKind::{Blocked, Choice, Permission, Trust};
    let plan = Some("ExitPlanMode");
    for (asked, has_hooks, answer, is_allowed) in [
        (asked(Permission, Hook, None), true, "Yes", true),
        (asked(Permission, Hook, None), true, "No", true),
        (
            asked(Permission, Hook, None),
            true,
            "Yes, and don't ask again",
            false,
        ),
        (asked(Permission, Hook, None), true, "ALWAYS allow", false),
        // An agent with hooks asks for permission by them; a question that only its screen shows is something
        // else.
        (asked(Permission, Screen, None), true, "Yes", false),
        (asked(Permission, Screen, None), false, "Yes", true),
        (asked(Choice, Screen, None), true, "Blue", false),
        (asked(Choice, Hook, None), true, "Always blue", true),
        // A plan differs from a choice by the call that asks, not by its words.
        (asked(Choice, Hook, plan), true, "Yes, and use auto mode", false),
        (
            asked(Choice, Hook, plan),
            true,
            "Yes, manually approve edits",
            true,
        ),
        (
            asked(Choice, Hook, Some("AskUserQuestion")),
            true,
            "Yes, and use auto mode",
            true,
        ),
        (asked(Trust, Hook, None), true, "No", false),
        (asked(Trust, Screen, None), false, "Yes", false),
        (asked(Blocked, Hook, None), true, "Try again", false),
    ] {
        let said = may_choose(&conductor(), &asked, has_hooks, answer);
        let wanted = (!is_allowed).then_some(Code::Forbidden);
        assert_eq!(refused(said), wanted, "{asked:?} {has_hooks} {answer}");
        let person = may_choose(&Caller::Owner, &asked, has_hooks, answer);
        assert!(person.is_ok(), "the person may");
    }
}

/// The labels as the agents draw them.
#[test]
fn lasting_answers_are_distinguished_from_answers_for_once() {
    for lasting in [
        "Yes, and don't ask again for this command",
        "Yes, and use auto mode",
        "Yes, and remember this directory",
        "Yes, allow reading from /tmp from this project",
        "Use this and all future MCP servers in this project",
        "Allow always",
        "Trust all and continue",
        "Yes, and allow this host in the future",
        "Yes, and run it",
        "Yes, allow reading from it",
        "Yes, allow all edits during this session (shift+tab)",
    ] {
        assert!(lasts(&lasting.to_lowercase()), "{lasting}");
    }
    for once in [
        "Yes",
        "Yes, proceed (y)",
        "Allow once",
        "Yes, just this once",
        "Yes, and this once only",
        "Run it, and once more",
        "Yes, manually approve edits",
        "No, and tell Codex what to do differently (esc)",
        "Reject",
    ] {
        assert!(!lasts(&once.to_lowercase()), "{once}");
    }
}
