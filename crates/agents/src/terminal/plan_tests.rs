//! Tests that the approval of Claude Code's plans is read from its screen, with the answers that it offers.

use super::{Way, screen_question};
use crate::manifest::agents::built_in;
use downbeat_model::QuestionKind;

/// The end of plan mode without a plan in a file.
const EXIT: &str = "\
❯ Yes, go ahead.
▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔

  ──────────────────
   Exit plan mode?

    Claude wants to exit plan mode

    ❯ 1. Yes, and switch to default (ask each time) for this session
      2. No";

#[test]
fn the_approval_of_a_plan_is_read_with_its_answers() {
    let shown = screen_question(&built_in("claude"), EXIT).unwrap();
    assert_eq!(
        (shown.question.kind, shown.question.text.as_str()),
        (QuestionKind::Choice, "Plan ready. Start on it?")
    );
    assert_eq!(
        shown.question.options,
        [
            "Yes, and switch to default (ask each time) for this session",
            "No"
        ]
    );
    assert_eq!(shown.way_to(1), Way::Point("\x1b[B".into()));
}
