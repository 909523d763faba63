//! Tables of the names and permissions of a new session, and of refused requests.

use super::*;
use crate::state::example::{project, session, state};
use std::sync::Arc;

fn prompt(text: &str) -> NewSession {
    NewSession {
        prompt: Some(text.into()),
        ..NewSession::default()
    }
}

#[test]
fn a_text_that_is_too_long_or_empty_is_refused_by_the_name_of_its_field() {
    let of = |bytes: usize| Some("x".repeat(bytes));
    let with = |change: fn(&mut NewSession, Option<String>), bytes| {
        let mut request = NewSession::default();
        change(&mut request, of(bytes));
        request
    };
    for (request, wanted) in [
        (NewSession::default(), None),
        (prompt("fix it"), None),
        (prompt(" \n"), Some("prompt: it is empty")),
        (prompt("a\0b"), Some("prompt contains a NUL character")),
        (with(|new, text| new.prompt = text, MAX_TASK), None),
        (
            with(|new, text| new.prompt = text, MAX_TASK + 1),
            Some("prompt is 262145 bytes long"),
        ),
        (with(|new, text| new.title = text, MAX_TASK + 1), Some("title is")),
        (with(|new, text| new.name = text, 1024), None),
        (with(|new, text| new.name = text, 1025), Some("name is 1025")),
        (with(|new, text| new.branch = text, 1025), Some("branch is")),
        (with(|new, text| new.base = text, 1025), Some("base is")),
        (with(|new, text| new.model = text, 256), None),
        (with(|new, text| new.model = text, 257), Some("model is")),
    ] {
        let said = check_text(&request).err().map(|error| error.message);
        let is_as_wanted = said.as_deref().unwrap_or("").starts_with(wanted.unwrap_or(""));
        assert!(
            is_as_wanted && said.is_some() == wanted.is_some(),
            "{said:?}, not {wanted:?}"
        );
    }
    let request = NewSession {
        model: Some("-p".into()),
        ..NewSession::default()
    };
    assert!(check_text(&request).is_err());
}

#[test]
fn the_name_of_a_model_is_not_an_option_and_has_no_control_characters() {
    for (model, is_good) in [
        ("opus", true),
        ("vendor/model:latest", true),
        ("--dangerous", false),
        ("two\nlines", false),
        (&"x".repeat(256), true),
        (&"x".repeat(257), false),
    ] {
        assert_eq!(check_model(model).is_ok(), is_good, "{model:?}");
    }
}

#[test]
fn people_see_the_title_or_else_the_name_the_task_or_the_agent() {
    for (given, name, task, wanted) in [
        (Some("Fix it"), Some("helper"), "do this", "Fix it"),
        (Some(" "), Some("helper"), "do this", "helper"),
        (None, Some("helper"), "do this", "helper"),
        (None, None, "do this\nand that", "do this"),
        (None, None, "", "claude"),
    ] {
        let request = NewSession {
            title: given.map(str::to_owned),
            name: name.map(str::to_owned),
            ..NewSession::default()
        };
        assert_eq!(title(&request, task, "claude"), wanted);
    }
}

#[test]
fn a_name_is_the_requested_one_or_made_of_the_prefix_and_the_title() {
    for (name, title, prefix, wanted) in [
        (Some("My Helper"), "Fix it", Some("w"), Some("my-helper")),
        (Some("!!"), "Fix it", None, None),
        (None, "Fix it", None, Some("fix-it")),
        (None, "Fix it", Some("w"), Some("w-fix-it")),
        (None, "!!", Some("w"), Some("")),
    ] {
        let request = NewSession {
            name: name.map(str::to_owned),
            ..NewSession::default()
        };
        let said = wanted_name(&request, title, prefix).ok();
        assert_eq!(said.as_deref(), wanted, "{name:?} {title:?}");
    }
}

#[test]
fn every_free_name_has_the_requested_beginning() {
    let project = ProjectId::random().unwrap();
    let long = format!("a-{}", "b".repeat(60));
    for wanted in ["", "fix", "fix-the-login", "ö", &"x".repeat(60), &long] {
        let mut taken = BTreeSet::new();
        for _ in 0..12 {
            let name = free_name(&State::default(), &project, wanted, &taken);
            assert!(name.starts_with(beginning(wanted)), "{name} for {wanted:?}");
            assert!(taken.insert(name));
        }
    }
}

#[test]
fn a_name_is_free_if_no_session_of_the_project_has_it() {
    let taken = BTreeSet::from(["session-2".to_owned(), "fix".to_owned()]);
    let state = state([session(1)]);
    let own = &project().id;
    let other = &ProjectId::parse("p000000000002").unwrap();
    for (project, wanted, free) in [
        (own, "session-1", "session-1-2"),
        (other, "session-1", "session-1"),
        (own, "", "session-3"),
        (other, "", "session-1"),
        (own, "fix", "fix-2"),
        (own, "mend", "mend"),
    ] {
        assert_eq!(free_name(&state, project, wanted, &taken), free, "{wanted:?}");
    }
    assert_eq!(beginning("fix-the-login"), "fix");
    assert_eq!(beginning("abcdefghijk"), "abcdefgh");
    assert_eq!(beginning(""), "session");
}

#[test]
fn a_session_may_do_no_more_than_its_conductor_and_a_file_only_tightens() {
    use PermissionMode::{AcceptEdits, Ask, Bypass};
    for (chosen, file, parent, asked, wanted) in [
        (Ask, None, None, None, Ask),
        (AcceptEdits, None, None, None, AcceptEdits),
        // A repository's file may tighten the person's choice, never loosen it.
        (AcceptEdits, Some(Ask), None, None, Ask),
        (Ask, Some(Bypass), None, None, Ask),
        // The person may request anything.
        (Ask, Some(Ask), None, Some(Bypass), Bypass),
        (Bypass, None, Some(AcceptEdits), None, AcceptEdits),
        (Bypass, None, Some(AcceptEdits), Some(Ask), Ask),
        (Bypass, None, Some(AcceptEdits), Some(Bypass), AcceptEdits),
    ] {
        let mut project = project();
        project.permission_mode = chosen;
        let parent = parent.map(|permission_mode| {
            let mut row = session(1);
            row.permission_mode = permission_mode;
            Arc::new(row)
        });
        let family = Family {
            project: Arc::new(project.clone()),
            depth: u32::from(parent.is_some()),
            parent,
        };
        let request = NewSession {
            permission_mode: asked,
            ..NewSession::default()
        };
        let said = permission(&project, &family, &request, file);
        assert_eq!(said, wanted, "{chosen:?} {file:?} {asked:?}");
    }
}
