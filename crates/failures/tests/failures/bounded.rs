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
