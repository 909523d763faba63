//! Links in a git directory, and forged backups: they cause nothing to be read or written outside of the
//! repository and its worktrees.

use crate::fixture::{Fixture, git, out, read, session, write};
use crate::hermetic;
use downbeat_git::{
    BackupInfo, CopyRecord, Error, Programs, WorktreeMade, WorktreeSpec, backups, checkout, exclude,
    register, remove, restore, save,
};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Creates a file that only the person may read.
fn secret(f: &Fixture) -> PathBuf {
    let file = f.repo.with_file_name("secret");
    std::fs::write(&file, "mine\n").unwrap();
    set_mode(&file, 0o600);
    file
}

fn set_mode(at: &Path, mode: u32) {
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(at: &Path) -> u32 {
    at.symlink_metadata().unwrap().permissions().mode() & 0o777
}

/// Runs git with text as its input, and with a separate index.
pub fn feed(dir: &Path, args: &[&str], text: &[u8]) -> String {
    let mut git = Command::new("git");
    git.current_dir(dir)
        .args(args)
        .env("GIT_INDEX_FILE", dir.with_file_name("scratch"));
    let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(text).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A worktree that was saved and removed, with the parts for a forged backup.
pub struct Forged {
    pub f: Fixture,
    pub made: WorktreeMade,
    outside: PathBuf,
    manifest: serde_json::Value,
}

impl Forged {
    pub fn new() -> Self {
        let f = Fixture::small();
        let made = f.worktree("one");
        write(&made.path, "new.txt", "new");
        let backup = save(&f.repo, &made.path, &session(), &CopyRecord::default())
            .unwrap()
            .unwrap();
        remove(&f.repo, &made.path).unwrap();
        let manifest = out(&f.repo, &["show", &format!("{}^2:manifest.json", backup.commit)]);
        let outside = f.repo.with_file_name("home");
        write(&outside, ".profile", "mine\n");
        std::fs::create_dir(outside.join("closed")).unwrap();
        set_mode(&outside.join("closed"), 0o500);
        let manifest = serde_json::from_str(&manifest).unwrap();
        Self {
            f,
            made,
            outside,
            manifest,
        }
    }

    pub fn blob(&self, text: &str) -> String {
        feed(&self.f.repo, &["hash-object", "-w", "--stdin"], text.as_bytes())
    }

    /// Writes a tree with one file, whose name is not checked.
    fn literal(&self, name: &str, text: &str) -> String {
        let blob = self.blob(text);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        let mut raw = format!("100644 {name}\0").into_bytes();
        raw.extend(blob.as_bytes().chunks(2).map(byte));
        let args = ["hash-object", "-t", "tree", "-w", "--literally", "--stdin"];
        feed(&self.f.repo, &args, &raw)
    }

    fn tree(&self, entries: &[(&str, &str, &str)]) -> String {
        let lines = entries
            .iter()
            .map(|(mode, id, path)| format!("{mode} {id}\t{path}\n"));
        feed(&self.f.repo, &["read-tree", "--empty"], b"");
        feed(
            &self.f.repo,
            &["update-index", "--add", "--index-info"],
            lines.collect::<String>().as_bytes(),
        );
        feed(&self.f.repo, &["write-tree"], b"")
    }

    fn commit(&self, tree: &str, parents: &[&str]) -> String {
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        let args: Vec<&str> = ["commit-tree", tree, "-m", "what git keeps beside the files"]
            .into_iter()
            .chain(parents)
            .collect();
        feed(&self.f.repo, &args, b"")
    }

    /// Writes a backup with this tree and these files next to the manifest, and restores it.
    pub fn restore(&self, tree: &str, beside: &[(&str, &str, &str)]) -> Result<WorktreeMade, Error> {
        let manifest = self.blob(&self.manifest.to_string());
        let mut entries = vec![("100644", manifest.as_str(), "manifest.json")];
        entries.extend(beside);
        let second = self.commit(&self.tree(&entries), &[]);
        let commit = self.commit(tree, &[&self.f.head(), &second]);
        let name = format!("refs/downbeat/backup/{}/9", session());
        git(&self.f.repo, &["update-ref", &name, &commit]);
        let backup: BackupInfo = backups(&self.f.repo, &session()).unwrap().remove(0);
        assert_eq!(backup.commit, commit);
        restore(
            &self.f.repo,
            &self.made.path,
            &self.made.branch,
            &backup,
            Programs::Skip,
        )
    }

    /// Checks that no file of the person's was changed.
    fn assert_untouched(&self, what: &str) {
        assert_eq!(read(&self.outside, ".profile"), "mine\n", "{what}");
        assert_eq!(mode(&self.outside.join("closed")), 0o500, "{what}");
        let mut names: Vec<_> = self
            .outside
            .read_dir()
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, [".profile", "closed"], "{what}");
    }
}

/// Creates a repository with a submodule at `place`, and returns the path of a file
/// that a planted program creates.
pub fn with_submodule(place: &str) -> (Fixture, PathBuf) {
    let (f, library) = (Fixture::small(), Fixture::small());
    let url = library.repo.to_str().unwrap();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        url,
        place,
    ];
    git(&f.repo, &add);
    git(&f.repo, &["commit", "-qm", "with a submodule"]);
    let ran = f.repo.with_file_name("ran");
    (f, ran)
}

/// Sets a program as the filter of all files in a repository.
fn plant(checkout: &Path, ran: &Path) {
    let dir = PathBuf::from(out(checkout, &["rev-parse", "--absolute-git-dir"]));
    let program = format!("touch '{}'; cat", ran.display());
    git(checkout, &["config", "filter.e.smudge", &program]);
    write(&dir, "info/attributes", "* filter=e\n");
}

/// Writes an index to a git directory that names a single file at any path. (Git does not verify the hash at
/// the end of the index.)
pub fn forge_index(dir: &Path, path: &str, text: &str) {
    let stand_in = path.replace("..", "aa");
    let scratch = dir.join("forged");
    let git = |args: &[&str], input: &str| {
        let mut git = Command::new("git");
        git.arg("--git-dir")
            .arg(dir)
            .args(args)
            .env("GIT_INDEX_FILE", &scratch);
        let mut git = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = git.wait_with_output().unwrap();
        assert!(output.status.success(), "{args:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    };
    let blob = git(&["hash-object", "-w", "--stdin"], text);
    git(
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("100755,{blob},{stand_in}"),
        ],
        "",
    );
    let bytes = std::fs::read(&scratch).unwrap();
    let at = bytes
        .windows(stand_in.len())
        .position(|part| part == stand_in.as_bytes())
        .unwrap();
    let forged = [&bytes[..at], path.as_bytes(), &bytes[at + path.len()..]].concat();
    std::fs::write(dir.join("index"), forged).unwrap();
    std::fs::remove_file(scratch).unwrap();
}

/// Saves, removes and restores a worktree.
pub fn again(f: &Fixture, made: &WorktreeMade) {
    let none = CopyRecord::default();
    let backup = save(&f.repo, &made.path, &session(), &none).unwrap().unwrap();
    remove(&f.repo, &made.path).unwrap();
    restore(&f.repo, &made.path, &made.branch, &backup, Programs::Skip).unwrap();
}

hermetic! {
    fn an_exclude_file_is_not_written_through_a_link() {
        let f = Fixture::small();
        let secret = secret(&f);
        let info = f.repo.join(".git/info");
        write(&info, "exclude", "touch /tmp/planted\n");
        set_mode(&info.join("exclude"), 0o640);
        symlink(&secret, info.join("exclude.downbeat")).unwrap();
        exclude(&f.repo, "/link.me").unwrap();
        assert_eq!(read(&info, "exclude"), "touch /tmp/planted\n/link.me\n");
        assert_eq!(mode(&info.join("exclude")), 0o640);
        assert_eq!((std::fs::read_to_string(&secret).unwrap().as_str(), mode(&secret)), ("mine\n", 0o600));

        std::fs::remove_file(info.join("exclude")).unwrap();
        symlink(&secret, info.join("exclude")).unwrap();
        let error = exclude(&f.repo, "/link.me").unwrap_err().to_string();
        assert!(error.contains("info/exclude is a link"), "{error}");
        assert!(info.join("exclude").is_symlink());
        assert_eq!((std::fs::read_to_string(&secret).unwrap().as_str(), mode(&secret)), ("mine\n", 0o600));
    }

    fn records_of_a_worktree_are_not_written_through_links() {
        let f = Fixture::small();
        let secret = secret(&f);
        let made = f.register("one").unwrap();
        let ours = f.repo.join(".git/downbeat");
        let home = ours.read_dir().unwrap().flatten().map(|e| e.path()).find(|at| at.is_dir()).unwrap();
        symlink(&secret, home.join("record.new")).unwrap();
        symlink(&secret, f.repo.join(".git/worktrees/one/downbeat-filled")).unwrap();
        checkout(&made.path, Programs::Run).unwrap();
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "mine\n");

        // A lock that would be created elsewhere.
        let elsewhere = f.repo.with_file_name("made");
        for lock in [ours.join("lock"), home.join("lock")] {
            let _ = std::fs::remove_file(&lock);
            symlink(&elsewhere, &lock).unwrap();
            let error = remove(&f.repo, &made.path).and_then(|()| f.register("two").map(drop)).unwrap_err();
            assert!(error.to_string().contains("is a link"), "{error}");
            assert!(!elsewhere.exists());
            std::fs::remove_file(&lock).unwrap();
        }
    }

    fn a_worktree_is_not_registered_through_a_link() {
        let f = Fixture::small();
        let elsewhere = f.repo.with_file_name("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        for link in ["worktrees", "refs/heads/feature", "logs/refs/heads/feature", "downbeat"] {
            let link = f.repo.join(".git").join(link);
            let _ = std::fs::remove_dir_all(&link);
            symlink(&elsewhere, &link).unwrap();
            let error = f.register("one").unwrap_err().to_string();
            assert!(error.contains(&format!("{} is a link", link.display())), "{error}");
            assert_eq!(elsewhere.read_dir().unwrap().count(), 0, "{}", link.display());
            std::fs::remove_file(&link).unwrap();
        }
        f.worktree("one");
    }

    fn a_forged_backup_writes_nothing_outside() {
        for (name, paths) in [
            ("empty", serde_json::json!(["../../home/made"])),
            ("pipes", serde_json::json!(["../../home/pipe"])),
            ("modes", serde_json::json!({"../../home/closed": 448})),
            ("empty", serde_json::json!(["../../home/closed"])),
        ] {
            let mut forged = Forged::new();
            forged.manifest["files"][name] = paths;
            let parent = forged.f.place("");
            std::fs::create_dir_all(&parent).unwrap();
            set_mode(&parent, 0o700);
            let tree = out(&forged.f.repo, &["rev-parse", "HEAD^{tree}"]);
            let restored = forged.restore(&tree, &[]);
            // The permissions of a missing path are ignored.
            assert_eq!(restored.is_err(), name != "modes", "{name}");
            forged.assert_untouched(name);
            assert_eq!(mode(&parent), 0o700, "{name}");
        }
        let forged = Forged::new();
        let text = forged.blob("forged\n");
        let link = forged.blob(forged.outside.to_str().unwrap());
        let tree = forged.tree(&[("120000", &link, "out")]);
        let error = forged.restore(&tree, &[("100644", &text, "inner/out/.profile")]).unwrap_err();
        assert!(error.to_string().contains("out is a link"), "{error}");
        forged.assert_untouched("inner");
    }

    fn a_forged_tree_does_not_replace_the_gitfile() {
        for name in [".git", ".."] {
            let forged = Forged::new();
            let tree = forged.literal(name, "gitdir: /elsewhere\n");
            forged.restore(&tree, &[]).unwrap_err();
            let dot = forged.made.path.join(".git");
            assert!(!std::fs::read_to_string(dot).unwrap_or_default().contains("elsewhere"), "{name}");
        }
    }

    fn a_repository_cannot_disable_the_protection_of_git_directories() {
        let forged = Forged::new();
        for guard in ["core.protectNTFS", "core.protectHFS"] {
            git(&forged.f.repo, &["config", guard, "false"]);
        }
        // Another name of `.git` on Windows.
        let tree = forged.literal("git~1", "gitdir: /elsewhere\n");
        let place = forged.f.place("two");
        let made = register(&WorktreeSpec {
            repo: &forged.f.repo,
            path: &place,
            branch: "feature/two",
            base_commit: &forged.commit(&tree, &[]),
            reason: "test",
            programs: Programs::Skip,
        });
        let error = checkout(&made.unwrap().path, Programs::Skip).unwrap_err();
        assert!(error.to_string().contains("git~1"), "{error}");
        assert!(!place.join("git~1").exists());
    }

    fn the_highest_backup_number_does_not_prevent_further_backups() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let last = format!("refs/downbeat/backup/{}/{}", session(), u64::MAX);
        git(&f.repo, &["update-ref", &last, "HEAD"]);
        write(&made.path, "new.txt", "new");
        let saved = save(&f.repo, &made.path, &session(), &CopyRecord::default()).unwrap().unwrap();
        assert!(backups(&f.repo, &session()).unwrap().contains(&saved));
    }

    fn a_restored_submodule_runs_no_program_of_its_git_directory() {
        let (f, ran) = with_submodule("sub");
        let made = f.worktree("one");
        let sub = made.path.join("sub");
        plant(&sub, &ran);
        git(&sub, &["commit", "-q", "--allow-empty", "-m", "work"]);
        std::fs::remove_dir_all(&sub).unwrap();
        std::fs::create_dir(&sub).unwrap();
        again(&f, &made);
        assert!(!ran.exists(), "a filter ran");
        assert!(f.repo.join(".git/worktrees/one/modules/sub/config").is_file(), "its commits are back");
    }

    fn a_restored_submodule_writes_nothing_outside_of_the_worktree() {
        let (f, _) = with_submodule("sub");
        let home = f.repo.with_file_name("home");
        write(&home, ".profile", "mine\n");
        write(&home, "config", "[core]\n");
        for (name, names) in [("one", Some("../../../home/.profile")), ("two", Some("../../../home/made")), ("three", None)] {
            let made = f.worktree(name);
            let sub = made.path.join("sub");
            git(&sub, &["commit", "-q", "--allow-empty", "-m", "work"]);
            let dir = PathBuf::from(out(&sub, &["rev-parse", "--absolute-git-dir"]));
            match names {
                Some(path) => forge_index(&dir, path, "planted\n"),
                None => {
                    std::fs::remove_file(dir.join("config")).unwrap();
                    symlink(home.join("config"), dir.join("config")).unwrap();
                }
            }
            std::fs::remove_dir_all(&sub).unwrap();
            std::fs::create_dir(&sub).unwrap();
            again(&f, &made);
            assert!(dir.join("HEAD").is_file(), "{name}: its commits are back");
            assert_eq!((read(&home, ".profile").as_str(), read(&home, "config").as_str()), ("mine\n", "[core]\n"), "{name}");
            assert!(!home.join("made").exists(), "{name}");
            remove(&f.repo, &made.path).unwrap();
        }
    }

    fn a_submodule_in_a_restored_nested_repository_is_unchanged() {
        let (f, ran) = with_submodule("bar/sub");
        write(&f.repo, "bar/kept", "k");
        git(&f.repo, &["add", "-A"]);
        git(&f.repo, &["commit", "-qm", "bar"]);
        let made = f.worktree("one");
        let bar = made.path.join("bar");
        let sub = bar.join("sub");
        let dir = PathBuf::from(out(&sub, &["rev-parse", "--absolute-git-dir"]));
        std::fs::remove_file(sub.join(".git")).unwrap();
        std::fs::rename(dir, sub.join(".git")).unwrap();
        let config = sub.join(".git/config");
        git(&f.repo, &["config", "--file", config.to_str().unwrap(), "--unset", "core.worktree"]);
        write(&sub, "new", "n");
        git(&sub, &["add", "new"]);
        git(&sub, &["commit", "-qm", "work"]);
        plant(&sub, &ran);
        git(&bar, &["init", "-q"]);
        git(&bar, &["add", "kept"]);
        git(&bar, &["commit", "-qm", "work"]);
        let head = std::fs::read_to_string(sub.join(".git/HEAD")).unwrap();
        again(&f, &made);
        assert!(!ran.exists(), "a filter ran");
        assert_eq!(std::fs::read_to_string(sub.join(".git/HEAD")).unwrap(), head);
        assert_eq!(read(&sub, "new"), "n");
    }

    fn only_sparse_checkout_settings_of_a_backup_are_restored() {
        let forged = Forged::new();
        let tree = out(&forged.f.repo, &["rev-parse", "HEAD^{tree}"]);
        let config = forged.blob(
            "[core]\n\tsparseCheckout = true\n\thooksPath = /tmp/planted\n\tfsmonitor = planted\n\
             [filter \"e\"]\n\tsmudge = planted\n[include]\n\tpath = planted\n[index]\n\tsparse = true\n\
             [core] sshCommand = planted\n",
        );
        let patterns = forged.blob("/*\n");
        let beside = [
            ("100644", config.as_str(), "notes/config.worktree"),
            ("100644", patterns.as_str(), "notes/info/sparse-checkout"),
        ];
        let made = forged.restore(&tree, &beside).unwrap();
        let dir = out(&made.path, &["rev-parse", "--absolute-git-dir"]);
        let text = read(Path::new(&dir), "config.worktree");
        assert!(!text.contains("planted"), "{text}");
        let get = |key| out(&made.path, &["config", "--file", &format!("{dir}/config.worktree"), "--get", key]);
        assert_eq!((get("core.sparseCheckout"), get("index.sparse")), ("true".to_owned(), "true".to_owned()));
    }

    fn a_repository_behind_a_link_is_not_saved() {
        let f = Fixture::small();
        let made = f.worktree("one");
        let code = f.repo.with_file_name("code");
        write(&code, "x/private.txt", "mine");
        git(&code, &["init", "-q", "x"]);
        git(&code.join("x"), &["add", "-A"]);
        git(&code.join("x"), &["commit", "-qm", "own"]);
        git(&made.path, &["update-index", "--add", "--cacheinfo", &format!("160000,{},link/x", f.head())]);
        symlink(&code, made.path.join("link")).unwrap();
        let saved = save(&f.repo, &made.path, &session(), &CopyRecord::default()).unwrap().unwrap();
        let all = out(&f.repo, &["ls-tree", "-r", "--name-only", &format!("{}^2", saved.commit)]);
        assert!(!all.contains("private.txt"), "{all}");
    }
}
