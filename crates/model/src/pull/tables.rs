//! What is known of pull requests, and how their checks count.

use super::fixture::*;
use super::*;
use CheckState::{Expected, Failed, Passed, Running, Skipped, Stopped};

#[test]
fn checks_that_count_decide() {
    use ChecksVerdict::{Green, None as NoChecks, Pending, Red};
    let required: &[&str] = &["test"];
    for (states, required, are_expected, verdict, why) in [
        (&[][..], None, None, Pending, "no checks yet"),
        (&[], None, Some(true), Pending, "no checks yet"),
        (&[], None, Some(false), NoChecks, "a repository without checks"),
        (&[], Some(required), Some(false), Pending, "required and absent"),
        (
            &[("lint", Passed)],
            Some(required),
            None,
            Pending,
            "required and absent",
        ),
        (&[("test", Passed)], Some(required), None, Green, "all there is"),
        (
            &[("test", Passed), ("lint", Failed)],
            Some(required),
            None,
            Green,
            "only an optional one failed",
        ),
        (
            &[("test", Failed), ("lint", Passed)],
            Some(required),
            None,
            Red,
            "a required one failed",
        ),
        (
            &[("test", Failed), ("lint", Passed)],
            None,
            None,
            Red,
            "without required ones all count",
        ),
        (
            &[("test", Passed), ("lint", Failed)],
            Some(&[]),
            None,
            Red,
            "without required ones all count",
        ),
        (
            &[("test", Running), ("lint", Failed)],
            None,
            None,
            Red,
            "it cannot become green",
        ),
        (
            &[("test", Running), ("lint", Passed)],
            None,
            None,
            Pending,
            "one runs",
        ),
        (
            &[("test", Stopped), ("lint", Passed)],
            None,
            None,
            Pending,
            "cancelled is no failure",
        ),
        (
            &[("test", Skipped), ("lint", Passed)],
            None,
            None,
            Green,
            "skipped is passed",
        ),
    ] {
        let runs = states
            .iter()
            .map(|(name, state)| check(name, name, *state))
            .collect();
        let names: Option<Vec<String>> =
            required.map(|names| names.iter().map(|&name| name.into()).collect());
        let checks = Checks::new(commit(1), runs, names.as_deref(), are_expected);
        assert_eq!(checks.verdict(), verdict, "{why}: {states:?}");
    }
}

#[test]
fn an_absent_check_is_expected_once() {
    let names = ["test".to_owned(), "lint".to_owned()];
    let checks = Checks::new(commit(1), vec![check("1", "lint", Passed)], Some(&names), None);
    let states: Vec<_> = checks
        .all
        .iter()
        .map(|check| (check.name.as_str(), check.state))
        .collect();
    assert_eq!(states, [("lint", Passed), ("test", Expected)]);
    assert!(checks.all.iter().all(|check| check.is_required) && !checks.have_ended());
}

#[test]
fn an_unknown_mergeability_replaces_no_known_one_and_nobody_acts_by_an_old_one() {
    let seen = |head, base, mergeable| SeenPull {
        head: commit(head),
        base: Some(commit(base)),
        mergeable,
        ..green()
    };
    use Mergeable::{Conflicts, Unknown, Yes};
    let mut pull = Pull::unseen();
    assert_eq!((pull.mergeable(), pull.is_to_be_asked_again()), (Unknown, false));
    for (fact, now, known) in [
        (seen(1, 9, Unknown), Unknown, None),
        (seen(1, 9, Conflicts), Conflicts, Some(Conflicts)),
        (seen(1, 9, Unknown), Conflicts, Some(Conflicts)),
        (seen(2, 9, Unknown), Unknown, Some(Conflicts)),
        (seen(2, 9, Yes), Yes, Some(Yes)),
        (seen(2, 10, Unknown), Unknown, Some(Yes)),
        (seen(2, 10, Yes), Yes, Some(Yes)),
    ] {
        pull = pull.after(&fact);
        assert_eq!(
            (pull.mergeable(), pull.known.as_ref().map(|known| known.mergeable)),
            (now, known),
            "{fact:?}"
        );
        assert_eq!(pull.is_to_be_asked_again(), now == Unknown);
        assert!(!pull.is_changed_by(&fact));
    }
    let merged = pull.after(&SeenPull {
        state: PullState::Merged,
        ..seen(3, 10, Unknown)
    });
    assert!(!merged.is_to_be_asked_again());
}

#[test]
fn an_observation_is_bounded_and_loses_no_failure() {
    let mut runs: Vec<Check> = (0..600)
        .map(|n| check(&n.to_string(), &n.to_string(), Passed))
        .collect();
    runs.push(check("last", "last", Failed));
    let mut seen = green().with_checks(1, runs).with_comment("c", false);
    seen.threads = vec![seen.threads[0].clone(); 1000];
    // Of too many threads, the newest stay.
    seen.threads[999].comments[0].text = "ä".repeat(1024 * 1024);
    seen.labels = vec!["x".into(); 1000];
    let seen = seen.bounded();
    assert_eq!(
        (seen.checks.all.len(), seen.threads.len(), seen.labels.len()),
        (500, 300, 300)
    );
    assert_eq!(seen.threads[299].comments[0].text.len(), 16 * 1024);
    assert_eq!(seen.checks.verdict(), ChecksVerdict::Red);
}
