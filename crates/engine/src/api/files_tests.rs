//! Tests of which files are found first, and of how attached files are named and deleted.

use super::{best, clear, file_name};
use std::time::{Duration, SystemTime};

fn files() -> Vec<String> {
    let names = [
        "src/frame/sidebar/Sidebar.svelte",
        "README.md",
        "src/main.rs",
        "docs/guide/messages.md",
        "crates/engine/src/api/messages.rs",
        "Cargo.toml",
    ];
    names.map(str::to_owned).to_vec()
}

#[test]
fn the_best_match_is_the_first_and_without_letters_the_top_of_the_folder() {
    for (query, first) in [
        ("mess", "docs/guide/messages.md"),
        ("api/mess", "crates/engine/src/api/messages.rs"),
        ("sidebar", "src/frame/sidebar/Sidebar.svelte"),
        ("mainrs", "src/main.rs"),
        ("", "Cargo.toml"),
    ] {
        let found = best(files(), query, 3);
        assert_eq!(found.files.first().map(String::as_str), Some(first), "{query}");
    }
    assert_eq!(best(files(), "no such file", 3).files, Vec::<String>::new());
    let all = best(files(), "", 2);
    assert_eq!((all.files.len(), all.has_more), (2, true));
    assert!(!best(files(), "", 6).has_more);
}

#[test]
fn the_name_of_an_attached_file_leads_nowhere_and_needs_no_quotes() {
    let mark = file_name("", b"x");
    assert_eq!(mark.len(), 12);
    for (name, kept) in [
        ("shot.png", "-shot.png"),
        ("Screen Shot 2026.png", "-Screen-Shot-2026.png"),
        ("../../.ssh/config", "-config"),
        ("C:\\Users\\me\\a b.txt", "-a-b.txt"),
        (".bashrc", "-bashrc"),
        ("$(rm -rf ~)'.png", "-rm--rf----.png"),
        ("..", ""),
    ] {
        assert_eq!(file_name(name, b"x"), format!("{mark}{kept}"), "{name}");
    }
    let long = file_name(&format!("{}.png", "a".repeat(300)), b"x");
    assert!(long.ends_with("aaa.png") && long.len() < 100, "{long}");
    assert_ne!(file_name("", b"y"), mark, "another content");
}

#[test]
fn old_attachments_go_and_new_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, days: u64| {
        let path = folder.path().join(name);
        std::fs::write(&path, name).unwrap();
        let at = SystemTime::now() - Duration::from_secs(days * 24 * 3600);
        let opened = std::fs::File::options().write(true).open(&path).unwrap();
        opened.set_modified(at).unwrap();
        path
    };
    let (new, recent, old) = (file("new", 0), file("recent", 29), file("old", 31));
    clear(folder.path(), &new);
    assert!(new.exists() && recent.exists() && !old.exists());
}
