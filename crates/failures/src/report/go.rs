//! `go test -json`: one event in each line.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::json;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    import_path: String,
    #[serde(default)]
    test: String,
    #[serde(default)]
    output: String,
}

/// Reads the failed tests, and the packages that failed without one; `None` if no line is an event of it.
pub fn read(text: &str) -> Option<Vec<Failure>> {
    let events: Vec<Event> = json::lines(text);
    if events.is_empty() {
        return None;
    }
    let mut outputs: BTreeMap<(&str, &str), String> = BTreeMap::new();
    let mut failed: Vec<(&str, &str)> = Vec::new();
    let mut known: BTreeSet<(&str, &str)> = BTreeSet::new();
    for event in &events {
        let package = if event.package.is_empty() {
            &event.import_path
        } else {
            &event.package
        };
        // A package under test is named `shop [shop.test]` while it is built.
        let package = package.split(' ').next().unwrap_or_default();
        let key = (package, event.test.as_str());
        match event.action.as_str() {
            "output" | "build-output" => outputs.entry(key).or_default().push_str(&event.output),
            "fail" if known.insert(key) => failed.push(key),
            _ => {}
        }
    }
    // A test fails because of its parts, and a package because of its tests.
    let has_part = |(package, test): (&str, &str)| {
        let begin = if test.is_empty() {
            String::new()
        } else {
            format!("{test}/")
        };
        let next = known
            .range((Excluded((package, begin.as_str())), Unbounded))
            .next();
        next.is_some_and(|(other, part)| *other == package && part.starts_with(&begin))
    };
    let leaves = failed.iter().filter(|key| !has_part(**key));
    let made = leaves.map(|(package, test)| {
        let output = outputs.get(&(*package, *test)).map_or("", String::as_str);
        one(package, test, output)
    });
    Some(made.take(MAX_READ).collect())
}

fn one(package: &str, test: &str, output: &str) -> Failure {
    let (mut place, mut message) = (Place::default(), "");
    for line in output.lines().map(str::trim) {
        let mut parts = line.splitn(3, ':');
        if let (Some(file), Some(number), Some(said)) = (parts.next(), parts.next(), parts.next())
            && file.ends_with(".go")
        {
            // A test names its file without its folder.
            let folder = package.splitn(3, '/').nth(2).filter(|_| !file.contains('/'));
            let file = folder.map_or_else(|| file.to_owned(), |folder| format!("{folder}/{file}"));
            place = Place::at(&file, number.parse().ok());
            message = said.trim();
            break;
        }
    }
    place.package = Some(package.to_owned());
    let path = [package, test].join(" ");
    Failure::test(Tool::Go, path.trim(), place, (message, output))
}
