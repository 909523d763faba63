//! Reads off an agent's screen that it will ask its model again by itself, by the rules of its manifest; for
//! agents whose hooks do not report that. The line is right above the prompt and names the time.

use crate::manifest::Manifest;
use crate::terminal::prompt;
use crate::text::plain;
use downbeat_model::Retry;
use jiff::{SignedDuration, Timestamp};

/// The number of lines above the prompt that are searched for a retry.
const NEAR: usize = 6;

/// Returns the retry that the screen of an agent announces at `now`.
#[must_use]
pub fn screen_retry(agent: &Manifest, shown: &str, now: Timestamp) -> Option<Retry> {
    if agent.retries.is_empty() {
        return None;
    }
    let lines: Vec<&str> = shown.lines().map(str::trim).collect();
    let end = prompt::prompt_line(agent, shown).unwrap_or(lines.len());
    let near = lines[..end]
        .iter()
        .rev()
        .filter(|line| !line.is_empty())
        .take(NEAR);
    near.copied().find_map(|line| announced(agent, line, now))
}

fn announced(agent: &Manifest, line: &str, now: Timestamp) -> Option<Retry> {
    let lower = line.to_ascii_lowercase();
    let found = agent.retries.iter().find_map(|mark| {
        let at = lower.find(&mark.to_ascii_lowercase())?;
        Some((at, at + mark.len()))
    });
    let (start, behind) = found?;
    let (seconds, rest) = duration(&lower[behind..])?;
    let (attempt, most) = attempts(rest);
    let separators = |c: char| !c.is_alphanumeric() && !matches!(c, ')' | '"' | '\'');
    Some(Retry {
        text: plain(line[..start].trim_matches(separators)),
        at: now.checked_add(SignedDuration::from_secs(seconds)).ok(),
        attempt,
        most,
        by_limit: false,
    })
}

/// Parses the duration with which a text starts (`35s`, `1m 5s`, `5 seconds`), and returns its seconds and
/// the rest of the text.
fn duration(text: &str) -> Option<(i64, &str)> {
    let (mut seconds, mut rest, mut any) = (0i64, text.trim_start(), false);
    while let Some((number, behind)) = number(rest) {
        let behind = behind.trim_start();
        let unit = behind
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let length = match &behind[..unit] {
            "s" | "sec" | "second" | "seconds" => 1,
            "m" | "min" | "minute" | "minutes" => 60,
            "h" | "hour" | "hours" => 3600,
            _ => break,
        };
        seconds = seconds.saturating_add(number.saturating_mul(length));
        (rest, any) = (behind[unit..].trim_start(), true);
    }
    any.then_some((seconds, rest))
}

/// Parses the number of the next attempt and the maximum: `attempt 7/10`.
fn attempts(text: &str) -> (Option<u32>, Option<u32>) {
    let Some(at) = text.find("attempt") else {
        return (None, None);
    };
    let behind = text[at + "attempt".len()..].trim_start_matches([' ', '#', '(']);
    let Some((attempt, behind)) = number(behind) else {
        return (None, None);
    };
    let most = behind.strip_prefix('/').and_then(number).map(|(most, _)| most);
    let small = |number: i64| u32::try_from(number).ok();
    (small(attempt), most.and_then(small))
}

fn number(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;

    fn read(line: &str) -> Option<(String, i64, Option<u32>, Option<u32>)> {
        let now = Timestamp::from_second(1000).unwrap();
        let screen = format!("❯ hello\n\n{line}\n  ⎿  a tip\n──────\n❯ \n──────\n  auto mode");
        let retry = screen_retry(&built_in("claude"), &screen, now)?;
        let left = retry.at?.as_second() - 1000;
        Some((retry.text, left, retry.attempt, retry.most))
    }

    #[test]
    fn the_retry_that_claude_code_announces_is_read() {
        let want = |text: &str, left, attempt| Some((text.to_owned(), left, Some(attempt), Some(10)));
        // As 2.1.329 draws it, and as older versions do.
        for (line, want) in [
            (
                "✻ 529 Overloaded · retrying in 35s · attempt 7/10",
                want("529 Overloaded", 35, 7),
            ),
            (
                "✻ API error · retrying in 1m 5s · attempt 9/10",
                want("API error", 65, 9),
            ),
            (
                "⎿  API Error (529 Overloaded) · Retrying in 5 seconds… (attempt 4/10)",
                want("API Error (529 Overloaded)", 5, 4),
            ),
            ("✻ Brewed for 1s · done 8:42 AM", None),
            ("● It is retrying in the background.", None),
        ] {
            assert_eq!(read(line), want, "{line}");
        }
    }

    #[test]
    fn a_retry_further_up_or_in_the_prompt_is_not_read() {
        let now = Timestamp::UNIX_EPOCH;
        let line = "529 Overloaded · retrying in 35s · attempt 7/10";
        let work = "● work\n".repeat(NEAR);
        for screen in [
            format!("{line}\n{work}──────\n❯ \n──────"),
            format!("──────\n❯ {line}\n──────"),
        ] {
            assert_eq!(screen_retry(&built_in("claude"), &screen, now), None, "{screen}");
        }
        let screen = format!("{line}\n──────\n❯ \n──────");
        assert!(screen_retry(&built_in("claude"), &screen, now).is_some());
        assert_eq!(screen_retry(&built_in("codex"), &screen, now), None);
    }
}
