//! What a person is told if their planner made no plan. How it is run: [`crate::effects::plans::planner`].

use downbeat_model::CheckOutcome;
use downbeat_model::lines::first_line;
use downbeat_plans::Problem;
use downbeat_wire::{ApiError, Code};
use std::time::Duration;

/// How a run of a planner ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended<'a> {
    /// How it ended.
    pub outcome: CheckOutcome,
    /// Its exit code, if it exited.
    pub code: Option<i32>,
    /// The end of what it printed as errors.
    pub errors: &'a str,
}

/// The most characters that are said about what is wrong with an answer, which may name long ids.
const MOST_SAID: usize = 600;

/// The most characters of an answer that are repeated.
const MOST_REPEATED: usize = 120;

fn error(what: String) -> ApiError {
    ApiError::new(Code::Failed, what)
}

/// Returns the error for a planner that cannot be started.
pub fn missing(name: &str) -> ApiError {
    error(format!("the planner {name} is not on PATH")).hint(
        "name its whole path under `planner:` in your downbeat.yaml, or take `planner:` out there: a session makes the plan then",
    )
}

/// Returns the error for a planner that did not end well; `None` if it did.
pub fn failed(name: &str, limit: Duration, ended: &Ended<'_>) -> Option<ApiError> {
    let errors = match ended.errors.trim() {
        "" => ", and printed no error".to_owned(),
        errors => format!(":\n{errors}"),
    };
    let retry = "run it in a terminal with the JSON of a goal on its standard input; the page Plans of the guide shows what it gets";
    Some(match ended.outcome {
        CheckOutcome::Passed => return None,
        CheckOutcome::Failed => {
            let code = ended
                .code
                .map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            error(format!("the planner {name} ended with {code}{errors}")).hint(retry)
        }
        CheckOutcome::TimedOut => {
            let minutes = limit.as_secs() / 60;
            error(format!(
                "the planner {name} did not answer within {minutes} min, and was ended"
            ))
            .hint("give it more time: `downbeat config set planner.timeoutMinutes 10`")
        }
        CheckOutcome::TooManyProcesses => error(format!(
            "the planner {name} started too many processes, and was ended"
        ))
        .hint(retry),
        CheckOutcome::NotStarted => {
            error(format!("the planner {name} could not be started{errors}")).hint(retry)
        }
    })
}

/// Returns the error for an answer that is too long.
pub fn too_long(name: &str, most: usize) -> ApiError {
    error(format!(
        "the planner {name} printed more than {most} bytes, and was ended"
    ))
    .hint("on its standard output it prints the tasks, and nothing else")
}

/// Returns the error for an answer that is no plan.
pub fn refused(name: &str, answer: &str, problem: &Problem) -> ApiError {
    let problem_said: String = problem.to_string().chars().take(MOST_SAID).collect();
    let what = format!("the answer of the planner {name} is no plan that can be done: {problem_said}");
    match problem {
        Problem::MoreThanAsked { .. } => {
            error(what).hint("allow more: `downbeat config set planner.maxTasks 100`")
        }
        Problem::Json(_) | Problem::Empty | Problem::Binary => {
            let form =
                "it prints {\"tasks\": [{\"title\": \"Build it\"}]} on its standard output, and nothing else";
            error(what).hint(format!("{form}; it printed {}", repeated(answer)))
        }
        _ => error(what).hint("try again, or correct what the planner prints"),
    }
}

/// Repeats the beginning of an answer.
fn repeated(answer: &str) -> String {
    let line = first_line(answer.trim());
    if line.is_empty() {
        return "nothing".to_owned();
    }
    let begin: String = line.chars().take(MOST_REPEATED).collect();
    let is_cut = begin.len() < answer.trim().len();
    format!("“{begin}{}”", if is_cut { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::{Ended, failed, refused};
    use downbeat_model::CheckOutcome;
    use downbeat_plans::Problem;
    use std::time::Duration;

    #[test]
    fn a_planner_that_fails_is_named_with_the_way_out() {
        use CheckOutcome::{Failed, NotStarted, Passed, TimedOut, TooManyProcesses};
        for (outcome, code, errors, wanted) in [
            (
                Failed,
                Some(3),
                "no key\n",
                "the planner mine ended with exit code 3:\nno key",
            ),
            (
                Failed,
                Some(1),
                " ",
                "the planner mine ended with exit code 1, and printed no error",
            ),
            (
                Failed,
                None,
                "",
                "the planner mine ended with a signal, and printed no error",
            ),
            (
                TimedOut,
                None,
                "x",
                "the planner mine did not answer within 2 min, and was ended",
            ),
            (
                TooManyProcesses,
                None,
                "",
                "the planner mine started too many processes, and was ended",
            ),
            (
                NotStarted,
                None,
                "no file",
                "the planner mine could not be started:\nno file",
            ),
        ] {
            let ended = Ended {
                outcome,
                code,
                errors,
            };
            let said = failed("mine", Duration::from_secs(120), &ended).unwrap();
            assert_eq!(said.message, wanted);
            assert!(said.hint.is_some(), "{wanted}");
        }
        let well = Ended {
            outcome: Passed,
            code: Some(0),
            errors: "a warning",
        };
        assert_eq!(failed("mine", Duration::ZERO, &well), None);
    }

    #[test]
    fn an_answer_that_is_no_plan_is_repeated_in_part() {
        for (answer, wanted) in [
            ("", "it printed nothing"),
            ("Sure!\nHere it is", "it printed “Sure!…”"),
            ("{}", "it printed “{}”"),
        ] {
            let said = refused("mine", answer, &Problem::Json("no".into()));
            assert!(said.hint.unwrap().ends_with(wanted), "{answer}");
        }
        let more = Problem::MoreThanAsked { tasks: 100, most: 40 };
        let said = refused("mine", "[]", &more);
        assert_eq!(
            said.message,
            "the answer of the planner mine is no plan that can be done: it has 100 tasks; at most 40 were asked for"
        );
        assert!(said.hint.unwrap().contains("planner.maxTasks"));
    }
}
