//! Tables of the bounds of messages: what does not fit is counted, and every failed check is named.

use super::tests::{RED, asked, conclude, later, means, pull, queued};
use super::text::Cause;
use crate::state::example::{draft, session};

#[test]
fn every_failed_check_is_named_with_its_step_and_the_message_says_how_many_logs_it_leaves_out() {
    let names: Vec<String> = (0..40).map(|number| format!("test-{number}")).collect();
    let checks: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "failed")).collect();
    let red = pull(&checks, &[]);
    let mut draft = draft(100, [session(1)]);
    let cause = |number: usize| Cause {
        of: format!("CR_{number}"),
        step: Some(format!("step {number}")),
        // The last ones were not read.
        output: if number < 20 {
            "é".repeat(4000)
        } else {
            String::new()
        },
    };
    let causes: Vec<Cause> = (0..40).map(cause).collect();
    for (key, effect) in asked(&mut draft, &red) {
        conclude(&mut draft, &key, &effect, &red, means(&causes)).unwrap();
    }
    let queue = queued(&mut draft);
    for number in 0..40 {
        let line = format!("- test-{number}: step \"step {number}\" failed\n");
        assert!(queue[0].contains(&line), "{line}");
    }
    let logs = queue[0].matches("    > é").count();
    assert!(
        (10..20).contains(&logs) && queue[0].len() < 50 * 1024,
        "{logs} {}",
        queue[0].len()
    );
    let left_out = format!("- {} more logs are at the forge\n", 40 - logs);
    assert!(queue[0].contains(&left_out), "{left_out}");
}

#[test]
fn a_long_log_and_many_comments_are_bounded() {
    let many: Vec<(String, String)> = (0..100).map(|n| (n.to_string(), "é".repeat(4000))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(id, text)| (&**id, &**text)).collect();
    let mut first = draft(100, [session(1)]);
    let all = pull(RED, &many);
    asked(&mut first, &all);
    let mut second = later(&first, 400);
    for (key, effect) in asked(&mut second, &all) {
        let cause = Cause {
            of: "CR_0".into(),
            step: None,
            output: format!("{}é the end", "x".repeat(1 << 20)),
        };
        conclude(&mut second, &key, &effect, &all, means(&[cause])).unwrap();
    }
    let queue = queued(&mut second);
    assert_eq!(queue.len(), 2);
    assert!(queue[0].contains("é the end\n") && queue.iter().all(|text| text.len() < 64 * 1024));
    assert!(queue[1].contains("more are on its page"), "{}", queue[1].len());
}
