//! How the program of beads is asked, and what a person is told if it does not answer well. Pure. How it runs:
//! [`crate::effects::plans::beads`].

use downbeat_model::CheckOutcome;
use downbeat_model::lines::first_line;
use downbeat_plans::Problem;
use downbeat_wire::{ApiError, Code};

/// The program of beads.
pub const PROGRAM: &str = "bd";

/// The most characters of its error that are repeated.
const MOST_SAID: usize = 300;

/// Returns the variables with which it runs: it answers in the form that stays, asks nobody, and runs no hook, which is a file that
/// a repository brings along.
#[must_use]
pub fn variables() -> Vec<(String, String)> {
    let all = [
        ("BD_JSON_ENVELOPE", "1"),
        ("BD_NON_INTERACTIVE", "1"),
        ("BD_NO_HOOKS", "1"),
        ("BD_NO_PAGER", "1"),
        ("BEADS_ACTOR", "downbeat"),
    ];
    let all = all
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    all.collect()
}

fn arguments<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.into_iter().map(str::to_owned).collect()
}

/// Returns the arguments that list what is open. Nothing is changed, and nothing is sent anywhere.
#[must_use]
pub fn list() -> Vec<String> {
    arguments(["--readonly", "--sandbox", "list", "--json", "--limit", "0"])
}

/// Returns the arguments that show an issue.
#[must_use]
pub fn show(id: &str) -> Vec<String> {
    arguments(["--readonly", "--sandbox", "show", "--json", "--", id])
}

/// Returns the arguments that close an issue.
#[must_use]
pub fn close(id: &str, reason: &str) -> Vec<String> {
    let reason = format!("--reason={reason}");
    arguments(["--sandbox", "close", "--json", reason.as_str(), "--", id])
}

/// Returns the error for a program that is not there.
#[must_use]
pub fn missing() -> ApiError {
    let what = "bd, the program of beads, is not on PATH";
    ApiError::new(Code::Failed, what).hint("install beads, or name a file after `execute`")
}

/// Returns why it did not answer well; `None` if it did.
#[must_use]
pub fn failed(outcome: CheckOutcome, code: Option<i32>, errors: &str) -> Option<String> {
    let said: String = first_line(errors.trim()).chars().take(MOST_SAID).collect();
    let said = match said.is_empty() {
        true => "and printed no error".to_owned(),
        false => format!("and says: {said}"),
    };
    Some(match (outcome, code) {
        (CheckOutcome::Passed, _) => return None,
        (CheckOutcome::Failed, Some(code)) => format!("bd ended with exit code {code} {said}"),
        (CheckOutcome::Failed, None) => format!("bd ended with a signal {said}"),
        (CheckOutcome::TimedOut, _) => "bd did not answer in time, and was ended".to_owned(),
        (CheckOutcome::TooManyProcesses, _) => "bd started too many processes, and was ended".to_owned(),
        (CheckOutcome::NotStarted, _) => format!("bd could not be started, {said}"),
    })
}

/// Returns the error for a list that is no plan.
#[must_use]
pub fn refused(problem: &Problem, below: Option<&str>) -> ApiError {
    match (problem, below) {
        (Problem::Empty, Some(id)) => {
            ApiError::invalid(format!("the plan: beads has no open issue below {id}"))
                .hint("`bd show ID` shows what an issue consists of")
        }
        (Problem::Empty, None) => ApiError::invalid("the plan: beads has no open issue")
            .hint("`bd create` makes one; `bd list` shows all"),
        (problem, _) => ApiError::invalid(format!("the plan: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{close, failed, list, refused, show, variables};
    use downbeat_model::CheckOutcome;
    use downbeat_plans::Problem;

    #[test]
    fn nothing_that_an_issue_is_called_is_an_option() {
        assert_eq!(
            list(),
            ["--readonly", "--sandbox", "list", "--json", "--limit", "0"]
        );
        assert_eq!(show("--all")[4..], ["--", "--all"]);
        let closes = close("shop-1", "--force\nx");
        assert_eq!(closes[3..], ["--reason=--force\nx", "--", "shop-1"]);
        assert!(variables().contains(&("BD_NO_HOOKS".to_owned(), "1".to_owned())));
    }

    #[test]
    fn what_went_wrong_is_said_in_one_line() {
        assert_eq!(failed(CheckOutcome::Passed, Some(0), "x"), None);
        for (outcome, code, expected) in [
            (
                CheckOutcome::Failed,
                Some(1),
                "exit code 1 and says: Error: no beads database found",
            ),
            (CheckOutcome::Failed, None, "a signal and says"),
            (CheckOutcome::TimedOut, None, "in time"),
            (CheckOutcome::TooManyProcesses, None, "too many processes"),
            (CheckOutcome::NotStarted, None, "could not be started, and says"),
        ] {
            let said = failed(outcome, code, "Error: no beads database found\nHint: bd init").unwrap();
            assert!(said.contains(expected) && !said.contains('\n'), "{said}");
        }
        assert!(
            failed(CheckOutcome::Failed, Some(1), "")
                .unwrap()
                .ends_with("and printed no error")
        );
    }

    #[test]
    fn no_open_issue_is_said_in_the_words_of_beads() {
        for (problem, below, expected) in [
            (Problem::Empty, None, "beads has no open issue"),
            (
                Problem::Empty,
                Some("shop-1"),
                "beads has no open issue below shop-1",
            ),
            (Problem::Twice("a".into()), None, "two tasks have the id a"),
        ] {
            let said = refused(&problem, below).message;
            assert!(said.contains(expected), "{said}");
        }
    }
}
