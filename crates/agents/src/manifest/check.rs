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
        for (path, command) in [
            ("command", Some(&self.command)),
            ("resume", self.resume.as_ref()),
            ("fork", self.fork.as_ref()),
            ("once", self.once.as_ref()),
        ] {
            let names =
                |command: &Vec<String>| command.first().is_some_and(|program| !program.trim().is_empty());
            if command.is_some_and(|command| !names(command)) {
                wrong(path, "the command names no program");
            }
        }
        let none = Vec::new();
        for (path, arguments, place) in [
            ("model", &self.model, "{model}"),
            ("conversation", &self.conversation, "{conversation}"),
            ("briefing", &self.briefing, "{briefing}"),
            ("tools", &self.tools, "{tools}"),
            ("fork", self.fork.as_ref().unwrap_or(&none), "{conversation}"),
            ("once", self.once.as_ref().unwrap_or(&none), "{prompt}"),
            // Without the placeholder, the agent resumes the last conversation in its folder.
            ("resume", self.resume.as_ref().unwrap_or(&none), "{conversation}"),
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
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                wrong(&format!("env.{name}"), "no variable can have this name");
            }
        }
        if self
            .prompt_box
            .as_ref()
            .is_some_and(|rule| rule.mark.trim().is_empty())
        {
            wrong("promptBox.mark", "an empty mark would match every screen");
        }
        for (path, marks) in [
            ("screen.works", &self.screen.works),
            ("screen.rests", &self.screen.rests),
        ] {
            if marks.iter().any(|mark| mark.trim_matches(['^', ' ']).is_empty()) {
                wrong(path, "an empty mark would match every screen");
            }
        }
        for (at, rule) in self.questions.iter().enumerate() {
            if rule.marks.iter().any(|mark| mark.trim().is_empty()) {
                wrong(
                    &format!("questions[{at}].marks"),
                    "an empty mark would match every screen",
                );
            }
        }
        if self.retries.iter().any(|mark| mark.trim().is_empty()) {
            wrong("retries", "an empty mark would match every screen");
        }
        for (at, rule) in self.limits.iter().enumerate() {
            for (field, words) in [("marks", &rule.marks), ("resets", &rule.resets)] {
                if words.iter().any(|word| word.trim().is_empty()) {
                    wrong(
                        &format!("limits[{at}].{field}"),
                        "an empty word would match every text",
                    );
                }
            }
        }
        all
    }
}
