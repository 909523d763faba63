//! Reports that nobody should write are bounded, and named.

use crate::golden::printed;
use downbeat_failures::{MAX_REPORT, Printed, Reading, Report, Tool, read};
use proptest::prelude::*;

fn report(content: &[u8]) -> Reading {
    let report = Report {
        name: "junit.xml".into(),
        content: Ok(content.to_vec()),
    };
    let printed = Printed {
        check: "make test",
        ended: "exit code 2",
        root: "",
        output: "it broke\n",
        reports: &[report],
    };
    read(&printed)
}

#[test]
fn what_is_not_read_is_named_and_the_command_is_the_failure() {
    let deep = format!("{}{}", "<testsuite>".repeat(5000), "</testsuite>".repeat(5000));
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"&c;&c;\">]><testsuites/>";
    let outside = "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><testsuites/>";
    let table: [(&[u8], &str); 9] = [
        (b"", "it is empty"),
        (
            &vec![b'<'; MAX_REPORT + 1],
            "it is 1048577 bytes long; the maximum is 1048576",
        ),
        (b"\x1f\x8b\x08rest", "it is compressed"),
        (b"PK\x03\x04rest", "it is compressed"),
        (bomb.as_bytes(), "it declares a document type or entities"),
        (outside.as_bytes(), "it declares a document type or entities"),
        (deep.as_bytes(), "its elements are nested more than 32 deep"),
        (
            b"<testsuites><testsuite name=\"a\"><testcase",
            "it is not a JUnit report",
        ),
        (b"a,b,c", "its format is not known"),
    ];
    for (content, why) in table {
        let reading = report(content);
        let note = reading.notes.join("\n");
        assert!(
            note.starts_with("junit.xml was not read: ") && note.contains(why),
            "{why}: {note}"
        );
        assert_eq!(reading.failures.len(), 1, "{why}");
        assert_eq!(reading.failures[0].tool, Tool::Command);
        assert_eq!(reading.failures[0].excerpt, "it broke");
    }
}

#[test]
fn nesting_is_counted_as_the_parser_reads_it() {
    let open = "<testsuite>".repeat(50_000);
    let table = [
        // An element that is not empty, although a `/` is before a `>`.
        "<testsuite a=\"/>\">".repeat(50_000),
        // What looks like a comment, in a value.
        format!("<testsuites a=\">\" b=\"<!--\">{open}"),
        format!("<testsuites><!--->{open}-->{open}"),
        format!("<testsuites a='<![CDATA['>{open}"),
        // Values that a suite around all tests would cut in two.
        format!("<testsuites a=\">{open}</testsuites\"></testsuites>"),
    ];
    for content in table {
        let begin: String = content.chars().take(60).collect();
        let reading = report(content.as_bytes());
        assert_eq!(reading.failures[0].tool, Tool::Command, "{begin}");
        let printed = printed_with_notes(&content);
        assert_eq!(printed.failures[0].tool, Tool::Command, "{begin}");
    }
}

#[test]
fn documents_that_do_not_end_are_read_a_few_times() {
    let endless = format!("{}{}", "[0,\n".repeat(120), "[1],\n ".repeat(100_000));
    let reading = report(endless.as_bytes());
    assert!(
        reading.notes[0].contains("its format is not known"),
        "{reading:?}"
    );
    // Lines that only look like documents cost next to nothing, and keep nothing from being found.
    let sarif = r#"{"runs": [{"results": [{"ruleId": "r", "message": {"text": "m"}}]}]}"#;
    let after = format!("{}{sarif}\n", "[INFO] ready\n".repeat(10_000));
    assert_eq!(printed(&after)[0].tool, Tool::Sarif);
}

#[test]
fn a_long_failure_and_a_long_list_are_cut() {
    let long = "x".repeat(200 << 10);
    let xml = format!(
        "<testsuites><testsuite name=\"a\"><testcase name=\"b\"><failure message=\"m\">{long}</failure></testcase></testsuite></testsuites>"
    );
    assert_eq!(report(xml.as_bytes()).failures[0].excerpt.len(), 64 << 10);
    let many: String = (0..1500)
        .map(|at| format!("src/a.ts({at},1): error TS1: m{at}x\n"))
        .collect();
    assert_eq!(printed(&many).len(), 1000);
    let long = format!("src/{}.ts(1,1): error TS1: m", "a".repeat(2000));
    assert!(printed(&long)[0].id.len() < 500);
}

fn printed_with_notes(output: &str) -> Reading {
    read(&Printed {
        check: "make test",
        ended: "exit code 2",
        root: "",
        output,
        reports: &[],
    })
}

#[test]
fn a_section_that_many_rows_name_is_read_within_bounds() {
    let section = "a.py:1: in t\n".repeat(20_000);
    let rows = "FAILED a.py::t - no\n".repeat(20_000);
    let summary = "=== short test summary info ===";
    let reading = printed_with_notes(&format!("____ t ____\n{section}{summary}\n{rows}"));
    assert_eq!(reading.failures.len(), 1000);
    assert_eq!(
        reading.notes,
        ["make test has more than 1000 failures; those after these are left out"]
    );
    let first = &reading.failures[0];
    assert_eq!((first.line, first.message.as_str()), (Some(1), "no"));
    assert!(first.excerpt.len() > 60 << 10 && first.excerpt.len() <= 64 << 10);
    // The section of a fixture is that of its test.
    let fixture =
        format!("___ ERROR at setup of A.t[b c] ___\nE   broke\n{summary}\nERROR a.py::A::t[b c] - x\n");
    assert_eq!(printed(&fixture)[0].message, "broke");
}

#[test]
fn what_is_said_of_a_test_ends_before_the_next_one() {
    let one = "not ok 1 - t\n  ---\n  location: 'a.js:1:1'\n  error: 'e'\n";
    let failures = printed(&one.repeat(20_000));
    assert_eq!(failures.len(), 1000);
    assert!(failures.iter().all(|one| !one.excerpt.contains("not ok ")));
}

#[test]
fn a_name_that_is_repeated_for_many_tests_is_cut() {
    let long = "x".repeat(300_000);
    let case = "<testcase name=\"c\"><failure message=\"m\"/></testcase>";
    let xml = format!(
        "<testsuites><testsuite name=\"{long}\" file=\"{long}\">{}</testsuite></testsuites>",
        case.repeat(5_000)
    );
    let reading = report(xml.as_bytes());
    assert_eq!(reading.failures.len(), 1000);
    assert!(
        reading.notes[0].contains("more than 1000 failures"),
        "{:?}",
        reading.notes
    );
    let short =
        |one: &downbeat_failures::Failure| one.id.len() < 500 && one.package.as_ref().unwrap().len() <= 400;
    assert!(reading.failures.iter().all(short));
    let test = "{\"title\":\"t\",\"status\":\"failed\"}";
    let json = format!(
        "{{\"testResults\":[{{\"name\":\"{long}\",\"status\":\"failed\",\"assertionResults\":[{}]}}]}}",
        vec![test; 5_000].join(",")
    );
    assert_eq!(report(json.as_bytes()).failures.len(), 1000);
}

#[test]
fn errors_that_are_repeated_are_read_once() {
    let cargo = "error: no\n --> src/a.rs:1:1\n".repeat(20_000);
    assert_eq!(printed(&cargo).len(), 1);
    let jest = format!("FAIL src/a.test.js\n{}", "  ● t\n".repeat(20_000));
    assert_eq!(printed(&jest).len(), 1);
    let event = |test: String| format!("{{\"Action\":\"fail\",\"Package\":\"shop\",\"Test\":\"{test}\"}}\n");
    let mut go = event("T".into()) + &event("T-1".into()) + &event(String::new());
    (0..500).for_each(|part| go.push_str(&event(format!("T/{part}")).repeat(2)));
    let ids: Vec<String> = printed(&go).into_iter().map(|one| one.id).collect();
    assert_eq!((ids.len(), ids[0].as_str()), (501, "go:shop T-1"));
}

#[test]
fn ids_stay_when_lines_move() {
    let one = printed("src/a.ts(3,5): error TS2322: Type 'A' has 3 keys.\n");
    let other = printed("src/a.ts(94,11): error TS2322: Type 'A' has 41 keys.\n");
    assert_eq!(one[0].id, other[0].id);
    let elsewhere = printed("src/b.ts(3,5): error TS2322: Type 'A' has 3 keys.\n");
    assert_ne!(one[0].id, elsewhere[0].id);
}

#[test]
fn colours_and_the_folder_are_left_out() {
    let one = printed("\u{1b}[96m/home/ada/shop/src/a.ts\u{1b}[0m(3,5): error TS1: no\r\n");
    assert_eq!(one[0].file.as_deref(), Some("src/a.ts"));
}

proptest! {
    #[test]
    fn any_output_is_at_least_one_failure(output in "\\PC{0,400}", lines in prop::collection::vec("(FAIL|---- |error|  ● |E  |not ok |_|=|:|[0-9]|[a-z.]| |\\{|\\[|<|\"){0,12}", 0..20)) {
        let all = format!("{output}\n{}", lines.join("\n"));
        let failures = printed(&all);
        prop_assert!(!failures.is_empty());
        let mut ids: Vec<_> = failures.iter().map(|failure| &failure.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), failures.len());
    }

    #[test]
    fn any_report_is_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..300), tags in "(<[a-z!?/]{0,9}[ =\"a-z]{0,5}>|\\{|\\[|\"testResults\":|\\]|\\}){0,30}") {
        prop_assert!(!report(&bytes).failures.is_empty());
        prop_assert!(!report(tags.as_bytes()).failures.is_empty());
    }
}
