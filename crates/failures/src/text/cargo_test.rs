//! `cargo test` as it is printed.

use crate::bounds::{MAX_READ, line_of};
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, places};

/// Reads the failed tests.
pub fn read(lines: &[&str]) -> Vec<Failure> {
    let (mut out, mut package) = (Vec::new(), String::new());
    for (at, line) in lines.iter().enumerate() {
        if let Some(running) = target(line) {
            package = line_of(&running);
        }
        let name = line
            .strip_prefix("---- ")
            .and_then(|rest| rest.strip_suffix(" stdout ----"));
        let Some(name) = name else {
            continue;
        };
        let text = block(lines, at + 1, |line| {
            line.starts_with("---- ") || line == "failures:"
        });
        let found = places(&text);
        let panicked = text.lines().find(|line| line.contains("panicked at "));
        let panicked = panicked.and_then(|line| places(line).pop());
        let mut place = match panicked.or_else(|| found.into_iter().next()) {
            Some((file, number)) => Place::at(&file, Some(number)),
            None => Place::default(),
        };
        place.package = Some(package.clone()).filter(|package| !package.is_empty());
        let path = match package.is_empty() {
            true => name.to_owned(),
            false => format!("{package} {name}"),
        };
        out.push(Failure::test(
            Tool::CargoTest,
            &path,
            place,
            (message(&text), &text),
        ));
        if out.len() >= MAX_READ {
            break;
        }
    }
    out
}

/// Returns the name of the program of tests: `Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)`.
fn target(line: &str) -> Option<String> {
    if let Some(name) = line.trim_start().strip_prefix("Doc-tests ") {
        return Some(name.to_owned());
    }
    let rest = line.trim_start().strip_prefix("Running ")?;
    let path = rest.rsplit_once('(')?.1.strip_suffix(')')?;
    let file = path.rsplit(['/', '\\']).next()?;
    let (name, _) = file.rsplit_once('-')?;
    Some(name.to_owned())
}

/// Returns what follows the line that says where it panicked.
fn message(text: &str) -> &str {
    let mut lines = text.lines().skip_while(|line| !line.contains("panicked at "));
    lines.next();
    lines.next().unwrap_or(text)
}
