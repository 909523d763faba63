//! Tests of reading and ticking a plan's file.

use super::{Written, read, write};
use downbeat_plans::{Domains, Source, Task, read_file};
use std::fs;
use std::path::Path;

fn source(path: &str) -> Source {
    Source {
        path: path.into(),
        tag: None,
    }
}

fn tasks(root: &Path, path: &str) -> Vec<Task> {
    let text = read(root, path).unwrap().text;
    read_file(text.as_bytes(), None, &Domains::default())
        .unwrap()
        .tasks
}

#[test]
fn only_the_boxes_of_what_is_done_change() {
    let root = tempfile::tempdir().unwrap();
    let text = "# Plan\r\n\r\n-  [ ]  one \u{e9}\r\n\t* [ ] two\n- [x] three\nNo newline at the end: [ ]";
    fs::create_dir(root.path().join("docs")).unwrap();
    fs::write(root.path().join("docs/plan.md"), text).unwrap();
    let all = tasks(root.path(), "docs/../docs/plan.md");
    assert_eq!(
        write(root.path(), &source("docs/plan.md"), &all[..1]).unwrap(),
        Written::All
    );
    let ticked = fs::read_to_string(root.path().join("docs/plan.md")).unwrap();
    assert_eq!(ticked, text.replacen("[ ]", "[x]", 1));
    // Ticked by hand meanwhile, or by an engine that died: nothing is left to do.
    assert_eq!(
        write(root.path(), &source("docs/plan.md"), &all[..1]).unwrap(),
        Written::All
    );
    // Edited meanwhile: what the person wrote stays, what they took out is named.
    fs::write(root.path().join("docs/plan.md"), "- [ ] new\n").unwrap();
    let gone = write(root.path(), &source("docs/plan.md"), &all[..1]).unwrap();
    assert_eq!(gone, Written::Gone(vec!["one \u{e9}".into()]));
    assert_eq!(
        fs::read_to_string(root.path().join("docs/plan.md")).unwrap(),
        "- [ ] new\n"
    );
    fs::remove_file(root.path().join("docs/plan.md")).unwrap();
    write(root.path(), &source("docs/plan.md"), &all).unwrap_err();
    assert!(!root.path().join("docs/plan.md").exists(), "it is not made again");
}

#[test]
fn the_status_of_taskmaster_is_written() {
    let root = tempfile::tempdir().unwrap();
    let text = "{\"tasks\":[{\"id\":1,\"title\":\"a\",\"status\" : \"pending\"},{\"id\":2,\"title\":\"b\",\"status\":\"pending\"}]}";
    fs::write(root.path().join("tasks.json"), text).unwrap();
    let all = tasks(root.path(), "tasks.json");
    assert_eq!(
        write(root.path(), &source("tasks.json"), &all[..1]).unwrap(),
        Written::All
    );
    let written = fs::read_to_string(root.path().join("tasks.json")).unwrap();
    assert_eq!(written, text.replacen("pending", "done", 1));
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
            write(root.path(), &source(path), &[Task::titled("theirs")]).is_err(),
            "{path}"
        );
    }
    assert_eq!(
        read(root.path(), "near.md").unwrap().path,
        "real.md",
        "the real place is kept"
    );
    // The file was moved away and a link to another one put in its place: that one is not written.
    assert!(write(root.path(), &source("near.md"), &[Task::titled("ours")]).is_err());
    assert_eq!(fs::read_to_string(at("real.md")).unwrap(), "- [ ] ours\n");
    assert_eq!(fs::read_to_string(theirs).unwrap(), "- [ ] theirs\n");
    fs::write(at("long.md"), "- [ ] x\n".repeat(300_000)).unwrap();
    assert!(read(root.path(), "long.md").is_err());
}
