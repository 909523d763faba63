//! ESLint, ruff and the TypeScript compiler as they print.

use crate::bounds::MAX_READ;
use crate::failure::{Failure, Place, Tool};
use crate::words::{block, split_place};

/// Reads the errors of ESLint: a line with the file, then a line for each problem.
pub fn eslint(lines: &[&str]) -> Vec<Failure> {
    let (mut out, mut file) = (Vec::new(), "");
    for line in lines {
        if out.len() >= MAX_READ {
            break;
        }
        if !line.starts_with(' ') {
            file = line;
            continue;
        }
        let mut words = line.split_whitespace();
        let (Some(place), Some("error")) = (words.next(), words.next()) else {
            continue;
        };
        let Some((number, column)) = place.split_once(':') else {
            continue;
        };
        let (Ok(number), Ok(_)) = (number.parse(), column.parse::<u32>()) else {
            continue;
        };
        let said: Vec<&str> = words.collect();
        let (rule, message) = match said.split_last() {
            Some((rule, message)) if line.contains(&format!("  {rule}")) => (*rule, message.join(" ")),
            _ => ("parsing", said.join(" ")),
        };
        if !file.is_empty() {
            out.push(Failure::rule(
                Tool::Eslint,
                rule,
                Place::at(file, Some(number)),
                (&message, ""),
            ));
        }
    }
    out
}

/// Reads the violations of ruff, in its concise and its full form.
pub fn ruff(lines: &[&str]) -> Vec<Failure> {
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if out.len() >= MAX_READ {
            break;
        }
        if let Some((rule, message)) = rule_of(line) {
            let next = lines
                .get(at + 1)
                .and_then(|line| line.trim_start().strip_prefix("--> "));
            if let Some((file, number)) = next.and_then(split_place) {
                let text = block(lines, at, str::is_empty);
                out.push(Failure::rule(
                    Tool::Ruff,
                    rule,
                    Place::at(file, Some(number)),
                    (message, &text),
                ));
            }
            continue;
        }
        let Some((place, said)) = line.split_once(": ") else {
            continue;
        };
        if let (Some((file, number)), Some((rule, message))) = (split_place(place), rule_of(said)) {
            out.push(Failure::rule(
                Tool::Ruff,
                rule,
                Place::at(file, Some(number)),
                (message, ""),
            ));
        }
    }
    out
}

/// Splits ``F401 [*] `os` imported but unused``.
fn rule_of(said: &str) -> Option<(&str, &str)> {
    let (rule, message) = said.split_once(' ')?;
    let digits = rule.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_rule =
        digits.len() < rule.len() && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    is_rule.then(|| (rule, message.strip_prefix("[*] ").unwrap_or(message)))
}

/// Reads the errors of the TypeScript compiler, plain and pretty.
pub fn tsc(lines: &[&str]) -> Vec<Failure> {
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if out.len() >= MAX_READ {
            break;
        }
        let Some((place, said)) = line
            .split_once(": error TS")
            .or_else(|| line.split_once(" - error TS"))
        else {
            continue;
        };
        let Some((code, message)) = said.split_once(": ") else {
            continue;
        };
        let Some((file, number)) = parenthesis(place).or_else(|| split_place(place)) else {
            continue;
        };
        let ends = |line: &str| line.is_empty() || line.contains("error TS");
        let rest = block(lines, at + 1, ends);
        let text = format!("{line}\n{rest}");
        let rule = format!("TS{code}");
        out.push(Failure::rule(
            Tool::Tsc,
            &rule,
            Place::at(file, Some(number)),
            (message, &text),
        ));
    }
    out
}

/// Splits `src/bad.ts(3,10)`.
fn parenthesis(place: &str) -> Option<(&str, u32)> {
    let (file, inside) = place.strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = inside.split_once(',')?;
    column.parse::<u32>().ok()?;
    Some((file, line.parse().ok()?))
}
