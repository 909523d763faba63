//! Ancestry and checkouts depend on the objects of commits alone: nothing else that is written into the
//! repository affects them.

use crate::fixture::{Fixture, git, out, read, write};
use crate::hermetic;
use downbeat_git::{Programs, WorktreeSpec, checkout, is_reached, register};
use std::path::{Path, PathBuf};

/// A repository at a commit that the person knows, with another commit that an agent made.
struct Two {
    f: Fixture,
    known: String,
    planted: String,
}

impl Two {
    fn new() -> Self {
        let f = Fixture::small();
        write(&f.repo, "README.md", "second\n");
        git(&f.repo, &["commit", "-qam", "second"]);
        let known = f.head();
        write(&f.repo, "README.md", "planted\n");
        git(&f.repo, &["commit", "-qam", "planted"]);
        let planted = f.head();
        git(&f.repo, &["reset", "-q", "--hard", &known]);
        Self { f, known, planted }
    }

    /// Whether the planted commit counts as an ancestor of the known one.
    fn is_reached(&self) -> bool {
        is_reached(&self.f.repo, &self.planted, std::slice::from_ref(&self.known)).unwrap_or(false)
    }

    fn object(&self, id: &str) -> PathBuf {
        let (folder, file) = id.split_at(2);
        self.f.repo.join(".git/objects").join(folder).join(file)
    }
}

fn bytes(id: &str) -> Vec<u8> {
    let pairs = id.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Builds a commit-graph in which `parent` is the only parent of `child`.
fn commit_graph(repo: &Path, child: &str, parent: &str) -> Vec<u8> {
    const NONE: u32 = 0x7000_0000;
    let mut ids = [child, parent];
    ids.sort_unstable();
    let place = |id: &str| u32::try_from(ids.iter().position(|one| *one == id).unwrap()).unwrap();
    let mut fan = Vec::new();
    for first in 0..=255_u8 {
        let count = ids.iter().filter(|id| bytes(id)[0] <= first).count();
        fan.extend(u32::try_from(count).unwrap().to_be_bytes());
    }
    let list: Vec<u8> = ids.iter().flat_map(|id| bytes(id)).collect();
    let mut data = Vec::new();
    for id in ids {
        let is_child = id == child;
        data.extend(bytes(&out(repo, &["rev-parse", &format!("{id}^{{tree}}")])));
        data.extend(if is_child { place(parent) } else { NONE }.to_be_bytes());
        data.extend(NONE.to_be_bytes());
        data.extend(if is_child { 8_u32 } else { 4 }.to_be_bytes());
        data.extend((1_700_000_000 + u32::from(is_child)).to_be_bytes());
    }
    let chunks = [(b"OIDF", fan), (b"OIDL", list), (b"CDAT", data)];
    let mut graph = b"CGPH\x01\x01\x03\0".to_vec();
    let mut offset = 8 + 12 * (chunks.len() as u64 + 1);
    for (name, chunk) in &chunks {
        graph.extend_from_slice(*name);
        graph.extend(offset.to_be_bytes());
        offset += chunk.len() as u64;
    }
    graph.extend([0; 4]);
    graph.extend(offset.to_be_bytes());
    graph.extend(chunks.into_iter().flat_map(|(_, chunk)| chunk));
    // libgit2 does not verify the checksum.
    graph.extend([0; 20]);
    graph
}

hermetic! {
    fn a_commit_is_reached_from_its_descendants() {
        let two = Two::new();
        let first = out(&two.f.repo, &["rev-parse", "HEAD~1"]);
        let gone = "1".repeat(40);
        let ask = |commit: &str, from: &[&String]| {
            let from: Vec<String> = from.iter().map(|tip| (*tip).clone()).collect();
            is_reached(&two.f.repo, commit, &from).unwrap()
        };
        assert!(ask(&first, &[&gone, &two.known]));
        assert!(ask(&two.known, &[&two.known]));
        assert!(!ask(&two.known, &[&first, &gone]));
        assert!(!two.is_reached());
        git(&two.f.repo, &["merge", "-q", "--no-ff", "-m", "merged", &two.planted]);
        assert!(ask(&two.planted, &[&first, &two.f.head()]), "by the second parent");
        is_reached(&two.f.repo, &gone, &[first]).unwrap_err();
    }

    fn a_clock_that_was_set_back_hides_no_ancestor() {
        let two = Two::new();
        let dated = |date: &str| {
            let commit = std::process::Command::new("git").current_dir(&two.f.repo)
                .args(["commit", "-q", "--allow-empty", "-m", date])
                .env("GIT_COMMITTER_DATE", date).status().unwrap();
            assert!(commit.success());
            two.f.head()
        };
        let early = dated("2030-01-02T00:00:00Z");
        let late = dated("2030-01-01T00:00:00Z");
        assert!(is_reached(&two.f.repo, &early, &[late]).unwrap());
    }

    fn planted_files_do_not_make_a_commit_an_ancestor() {
        let two = Two::new();
        let dir = two.f.repo.join(".git");
        assert!(!two.is_reached());
        write(&dir, "info/grafts", &format!("{} {}\n", two.known, two.planted));
        assert!(!two.is_reached(), "a graft");
        std::fs::remove_file(dir.join("info/grafts")).unwrap();

        let graph = dir.join("objects/info/commit-graph");
        std::fs::write(&graph, commit_graph(&two.f.repo, &two.known, &two.planted)).unwrap();
        assert!(!two.is_reached(), "a commit-graph");
        std::fs::remove_file(&graph).unwrap();

        git(&two.f.repo, &["update-ref", &format!("refs/replace/{}", two.known), &two.planted]);
        assert!(!two.is_reached(), "a replacement");

        let child = ["commit-tree", "HEAD^{tree}", "-p", &two.planted, "-m", "child"];
        let child = out(&two.f.repo, &child);
        let object = two.object(&two.known);
        std::fs::remove_file(&object).unwrap();
        std::fs::copy(two.object(&child), &object).unwrap();
        assert!(!two.is_reached(), "an object that is not what it is called");
    }

    fn a_checkout_ignores_replacements() {
        let two = Two::new();
        git(&two.f.repo, &["update-ref", &format!("refs/replace/{}", two.known), &two.planted]);
        for programs in [Programs::Run, Programs::Skip] {
            let name = format!("{programs:?}").to_lowercase();
            let path = two.f.place(&name);
            let branch = format!("feature/{name}");
            let made = register(&WorktreeSpec {
                repo: &two.f.repo,
                path: &path,
                branch: &branch,
                base_commit: &two.known,
                reason: "test",
                programs,
            })
            .unwrap();
            checkout(&made.path, programs).unwrap();
            assert_eq!(read(&made.path, "README.md"), "second\n", "{name}");
        }
    }
}
