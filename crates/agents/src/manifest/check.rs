//! Checks a manifest beyond its form. An invalid one is refused, with the name of the wrong field.

use crate::manifest::form::Manifest;
use downbeat_yaml::{Broken, Rules};

/// Returns the first placeholder in `argument` other than `place`.
fn foreign<'a>(argument: &'a str, place: &str) -> Option<&'a str> {
    let mut rest = argument;
    while let Some(start) = rest.find('{') {
        let name = &rest[start + 1..];
        let length = name
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(name.len());
        if length > 0 && name[length..].starts_with('}') {
            let found = &rest[start..start + length + 2];
            if found != place {
                return Some(found);
            }
        }
        rest = name;
    }
    None
}

impl Rules for Manifest {
    fn broken(&self) -> Vec<Broken> {
        let mut all = Vec::new();
        let mut wrong = |path: &str, message: &str| {
            all.push(Broken {
                path: path.into(),
                message: message.into(),
            });
        };
        check_commands(self, &mut wrong);
        check_arguments(self, &mut wrong);
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                wrong(&format!("env.{name}"), "no variable can have this name");
            }
        }
        check_marks(self, &mut wrong);
        all
    }
}

/// Each command names a program.
fn check_commands(manifest: &Manifest, wrong: &mut dyn FnMut(&str, &str)) {
    for (path, command) in [
        ("command", Some(&manifest.command)),
        ("resume", manifest.resume.as_ref()),
        ("fork", manifest.fork.as_ref()),
        ("once", manifest.once.as_ref()),
    ] {
        let names = |command: &Vec<String>| command.first().is_some_and(|program| !program.trim().is_empty());
        if command.is_some_and(|command| !names(command)) {
            wrong(path, "the command names no program");
        }
    }
}

/// Arguments have their placeholder, and no other.
fn check_arguments(manifest: &Manifest, wrong: &mut dyn FnMut(&str, &str)) {
    let none = Vec::new();
    for (path, arguments, place) in [
        ("model", &manifest.model, "{model}"),
        ("conversation", &manifest.conversation, "{conversation}"),
        ("briefing", &manifest.briefing, "{briefing}"),
        ("tools", &manifest.tools, "{tools}"),
        ("fork", manifest.fork.as_ref().unwrap_or(&none), "{conversation}"),
        ("once", manifest.once.as_ref().unwrap_or(&none), "{prompt}"),
        // Without the placeholder, the agent resumes the last conversation in its folder.
        (
            "resume",
            manifest.resume.as_ref().unwrap_or(&none),
            "{conversation}",
        ),
    ] {
        if let Some(other) = arguments.iter().find_map(|argument| foreign(argument, place)) {
            wrong(
                path,
                &format!("`{other}` is not a placeholder here; only `{place}` is"),
            );
            continue;
        }
        if path != "resume"
            && !arguments.is_empty()
            && !arguments.iter().any(|argument| argument.contains(place))
        {
            wrong(path, &format!("none of the arguments contains `{place}`"));
        }
    }
}

/// No mark that is looked for on a screen or in a text is empty.
fn check_marks(manifest: &Manifest, wrong: &mut dyn FnMut(&str, &str)) {
    const EMPTY: &str = "an empty mark would match every screen";
    if manifest
        .prompt_box
        .as_ref()
        .is_some_and(|rule| rule.mark.trim().is_empty())
    {
        wrong("promptBox.mark", EMPTY);
    }
    for (path, marks) in [
        ("screen.works", &manifest.screen.works),
        ("screen.rests", &manifest.screen.rests),
    ] {
        if marks.iter().any(|mark| mark.trim_matches(['^', ' ']).is_empty()) {
            wrong(path, EMPTY);
        }
    }
    for (at, rule) in manifest.questions.iter().enumerate() {
        if rule.marks.iter().any(|mark| mark.trim().is_empty()) {
            wrong(&format!("questions[{at}].marks"), EMPTY);
        }
    }
    if manifest.retries.iter().any(|mark| mark.trim().is_empty()) {
        wrong("retries", EMPTY);
    }
    for (at, rule) in manifest.limits.iter().enumerate() {
        for (field, words) in [("marks", &rule.marks), ("resets", &rule.resets)] {
            if words.iter().any(|word| word.trim().is_empty()) {
                wrong(
                    &format!("limits[{at}].{field}"),
                    "an empty word would match every text",
                );
            }
        }
    }
}
