//! Tests of reading and ticking a plan's file.

use super::{read, write};
use downbeat_plans::{Domains, Form, Line, Missing, Source, lines, read_file};
use std::fs;
use std::io::Write as _;
use std::path::Path;

fn source(path: &str) -> Source {
    Source {
        path: path.into(),
        tag: None,
    }
}

fn known(text: &str) -> Vec<Line> {
    lines(&read_file(text.as_bytes(), None, &Domains::default()).unwrap())
}

fn tick(root: &Path, path: &str, lines: &[Line]) -> std::io::Result<Vec<(usize, Missing)>> {
    let form = match path.ends_with("json") {
        true => Form::Taskmaster,
        false => Form::Checklist,
    };
    write(root, &source(path), form, lines)
}

#[test]
fn only_the_boxes_of_what_is_done_change() {
    let root = tempfile::tempdir().unwrap();
    let text = "# Plan\r\n\r\n-  [ ]  one \u{e9}\r\n\t* [ ] two\n- [x] three\nNo newline at the end: [ ]";
    fs::create_dir(root.path().join("docs")).unwrap();
    fs::write(root.path().join("docs/plan.md"), text).unwrap();
    let read = read(root.path(), "docs/../docs/plan.md").unwrap();
    assert_eq!((read.path.as_str(), read.text.as_str()), ("docs/plan.md", text));
    let all = known(text);
    let plan = root.path().join("docs/plan.md");
    let now = || fs::read_to_string(&plan).unwrap();
    let write = |lines: &[Line]| tick(root.path(), "docs/plan.md", lines);
    assert_eq!(write(&all[..1]).unwrap(), []);
    assert_eq!(now(), text.replacen("[ ]", "[x]", 1));
    // Ticked by hand meanwhile, or by an engine that died: nothing is left to do.
    assert_eq!(write(&all[..1]).unwrap(), []);
    // Edited meanwhile: what the person wrote stays, what they took out is named.
    fs::write(&plan, "- [ ] new\n").unwrap();
    assert_eq!(write(&all[..1]).unwrap(), [(0, Missing::Gone)]);
    assert_eq!(now(), "- [ ] new\n");
    fs::remove_file(&plan).unwrap();
    write(&all).unwrap_err();
    assert!(!plan.exists(), "it is not made again");
}

#[test]
fn the_status_of_taskmaster_is_written() {
    let root = tempfile::tempdir().unwrap();
    let text = "{\"tasks\":[{\"id\":1,\"title\":\"a\",\"status\" : \"pending\"},{\"id\":2,\"title\":\"b\",\"status\":\"pending\"}]}";
    let path = root.path().join("tasks.json");
    let all = known(text);
    // Half written: that passes.
    fs::write(&path, &text[..40]).unwrap();
    tick(root.path(), "tasks.json", &all[..1]).unwrap_err();
    fs::write(&path, text).unwrap();
    assert_eq!(tick(root.path(), "tasks.json", &all[..1]).unwrap(), []);
    let written = fs::read_to_string(&path).unwrap();
    assert_eq!(written, text.replacen("pending", "done", 1));
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn what_a_person_adds_while_boxes_are_ticked_is_not_lost() {
    let root = tempfile::tempdir().unwrap();
    let text: String = (0..60).map(|at| format!("- [ ] t{at}\n")).collect();
    let all = known(&text);
    let path = root.path().join("plan.md");
    fs::write(&path, &text).unwrap();
    fs::hard_link(&path, root.path().join("other.md")).unwrap();
    let added = 10_000;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in 0..added {
                let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
                writeln!(file, "note {at}").unwrap();
            }
        });
        for place in 0..all.len() {
            assert_eq!(tick(root.path(), "plan.md", &all[place..=place]).unwrap(), []);
        }
    });
    let notes: String = (0..added).map(|at| format!("note {at}\n")).collect();
    let now = fs::read_to_string(&path).unwrap();
    assert_eq!(now, text.replace("[ ]", "[x]") + &notes);
    assert_eq!(fs::read_to_string(root.path().join("other.md")).unwrap(), now);
}

#[cfg(unix)]
#[test]
fn nothing_is_read_or_written_outside_or_through_what_is_no_file() {
    use std::os::unix::fs::symlink;
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let at = |name: &str| root.path().join(name);
    fs::write(outside.path().join("plan.md"), "- [ ] theirs\n").unwrap();
    fs::write(at("real.md"), "- [ ] ours\n").unwrap();
    fs::create_dir(at(".git")).unwrap();
    fs::write(at(".git/plan.md"), "- [ ] ours\n").unwrap();
    symlink(outside.path().join("plan.md"), at("link.md")).unwrap();
    symlink(outside.path(), at("folder")).unwrap();
    symlink(at("real.md"), at("near.md")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.unwrap().success());
    let theirs = outside.path().join("plan.md");
    for path in [
        "link.md",
        "folder/plan.md",
        ".git/plan.md",
        "pipe",
        "missing.md",
        "../x",
        theirs.to_str().unwrap(),
    ] {
        assert!(read(root.path(), path).is_err(), "{path}");
        assert!(
            tick(root.path(), path, &known("- [ ] theirs\n")).is_err(),
            "{path}"
        );
    }
    assert_eq!(
        read(root.path(), "near.md").unwrap().path,
        "real.md",
        "the real place is kept"
    );
    // The file was moved away and a link to another one put in its place: that one is not written.
    assert!(tick(root.path(), "near.md", &known("- [ ] ours\n")).is_err());
    assert_eq!(fs::read_to_string(at("real.md")).unwrap(), "- [ ] ours\n");
    assert_eq!(fs::read_to_string(theirs).unwrap(), "- [ ] theirs\n");
    fs::write(at("long.md"), "- [ ] x\n".repeat(300_000)).unwrap();
    assert!(read(root.path(), "long.md").is_err());
}
