//! Indexes, links and pointers that were placed in a git directory before git writes files there for us:
//! nothing that they name in other places is written or deleted.

use crate::fixture::{Fixture, git, out, read, session, status, write};
use crate::hermetic;
use crate::planted::{Forged, again, forge_index, with_submodule};
use downbeat_git::{Error, Programs, checkout, delete_branch, drop_backup, repair};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Creates a folder of the person's next to the repository.
fn home(f: &Fixture) -> PathBuf {
    let home = f.repo.with_file_name("home");
    write(&home, ".profile", "mine\n");
    home
}

fn git_directory(checkout: &Path) -> PathBuf {
    PathBuf::from(out(checkout, &["rev-parse", "--absolute-git-dir"]))
}

/// Makes work in the submodule `sub` of a worktree, deletes its folder, and returns its git directory.
fn gone_submodule(worktree: &Path) -> PathBuf {
    let sub = worktree.join("sub");
    git(&sub, &["commit", "-q", "--allow-empty", "-m", "work"]);
    let dir = git_directory(&sub);
    std::fs::remove_dir_all(&sub).unwrap();
    std::fs::create_dir(&sub).unwrap();
    dir
}

hermetic! {
    fn an_index_from_before_the_checkout_removes_no_files() {
        for programs in [Programs::Skip, Programs::Run] {
            let f = Fixture::small();
            let home = home(&f);
            let made = f.register("one").unwrap();
            forge_index(&git_directory(&made.path), "../../home/.profile", "mine\n");
            checkout(&made.path, programs).unwrap();
            assert_eq!(read(&home, ".profile"), "mine\n", "{programs:?}");
            assert_eq!(status(&made.path), "", "{programs:?}");
            // Files that somebody adds to the worktree in the meantime are not removed either.
            let made = f.register("two").unwrap();
            write(&made.path, "kept.txt", "mine\n");
            forge_index(&git_directory(&made.path), "kept.txt", "mine\n");
            checkout(&made.path, programs).unwrap();
            assert_eq!(read(&made.path, "kept.txt"), "mine\n", "{programs:?}");
            assert_eq!(status(&made.path), "?? kept.txt", "{programs:?}");
        }
    }

    fn a_submodule_with_a_forged_index_is_restored_from_its_commit() {
        let (f, _) = with_submodule("sub");
        let home = home(&f);
        let made = f.worktree("one");
        let dir = gone_submodule(&made.path);
        let work = std::fs::read_to_string(dir.join("HEAD")).unwrap();
        forge_index(&dir, "../../../home/.profile", "planted\n");
        again(&f, &made);
        assert_eq!(read(&home, ".profile"), "mine\n");
        let sub = made.path.join("sub");
        assert_eq!(read(&sub, "README.md"), "hello\n");
        assert_eq!(std::fs::read_to_string(dir.join("HEAD")).unwrap(), work);
        assert_eq!(status(&sub), "", "its index is fresh");
    }

    fn staged_changes_of_a_submodule_are_restored_with_its_files() {
        let (f, _) = with_submodule("sub");
        let made = f.worktree("one");
        let sub = made.path.join("sub");
        write(&sub, "README.md", "staged\n");
        git(&sub, &["add", "README.md"]);
        gone_submodule(&made.path);
        let dir = f.repo.join(".git/worktrees/one/modules/sub");
        assert!(dir.join("index").is_file());
        again(&f, &made);
        assert_eq!((read(&sub, "README.md").as_str(), status(&sub).as_str()), ("staged\n", ""));
    }

    fn links_in_the_git_directory_of_a_submodule_are_not_restored() {
        let (f, _) = with_submodule("sub");
        let home = home(&f);
        git(&home, &["init", "-q"]);
        let config = std::fs::read(home.join(".git/config")).unwrap();
        let made = f.worktree("one");
        let dir = gone_submodule(&made.path);
        for (name, to) in [("config", ".git/config"), ("description", ".profile")] {
            let _ = std::fs::remove_file(dir.join(name));
            symlink(home.join(to), dir.join(name)).unwrap();
        }
        again(&f, &made);
        assert_eq!(std::fs::read(home.join(".git/config")).unwrap(), config);
        assert!(!dir.join("description").is_symlink() && dir.join("config").symlink_metadata().unwrap().is_file());
        let sub = made.path.join("sub");
        assert_eq!(out(&sub, &["rev-parse", "--show-toplevel"]), sub.to_str().unwrap());
        assert_eq!(read(&sub, "README.md"), "hello\n");
    }

    fn a_link_in_place_of_a_submodules_git_directory_is_not_followed() {
        let (f, _) = with_submodule("sub");
        let victim = Fixture::small();
        let before = std::fs::read(victim.repo.join(".git/config")).unwrap();
        let made = f.register("one").unwrap();
        let modules = git_directory(&made.path).join("modules");
        std::fs::create_dir(&modules).unwrap();
        symlink(victim.repo.join(".git"), modules.join("sub")).unwrap();
        checkout(&made.path, Programs::Skip).unwrap();
        assert_eq!(std::fs::read(victim.repo.join(".git/config")).unwrap(), before);
        assert_eq!(made.path.join("sub").read_dir().unwrap().count(), 0);
    }

    fn a_forged_index_in_a_backup_is_not_restored() {
        let forged = Forged::new();
        let dir = forged.f.repo.with_file_name("scratch.git");
        git(&forged.f.repo, &["clone", "-q", "--bare", ".", dir.to_str().unwrap()]);
        forge_index(&dir, "../../home/.profile", "planted\n");
        let index = out(&forged.f.repo, &["hash-object", "-w", dir.join("index").to_str().unwrap()]);
        let tree = out(&forged.f.repo, &["rev-parse", "HEAD^{tree}"]);
        let made = forged.restore(&tree, &[("100644", &index, "index")]).unwrap();
        let names = out(&made.path, &["ls-files"]);
        assert!(names.contains("README.md") && !names.contains(".profile"), "{names}");
        assert_eq!(status(&made.path), "");
    }

    fn repairing_a_moved_repository_changes_no_other_folder() {
        let f = Fixture::small();
        let home = home(&f);
        let made = f.worktree("one");
        // The administrative directory of a worktree that is a folder of the person's.
        let notes = f.repo.join(".git/worktrees/two");
        write(&notes, "gitdir", &format!("{}/.git\n", home.display()));
        write(&notes, "commondir", "../..\n");
        write(&notes, "HEAD", &f.head());
        let moved = f.repo.with_file_name("moved");
        std::fs::rename(&f.repo, &moved).unwrap();
        repair(&moved, std::slice::from_ref(&made.path)).unwrap();
        assert!(!home.join(".git").exists());
        assert_eq!(status(&made.path), "");
        // The worktree is moved, too.
        let place = made.path.with_file_name("three");
        std::fs::rename(&made.path, &place).unwrap();
        repair(&moved, std::slice::from_ref(&place)).unwrap();
        assert_eq!(status(&place), "");
        let listed = out(&moved, &["worktree", "list", "--porcelain"]);
        assert!(listed.contains(place.to_str().unwrap()), "{listed}");
        // A worktree that claims the administrative directory of another one does not get it.
        let other = made.path.with_file_name("four");
        write(&other, ".git", &read(&place, ".git"));
        let error = repair(&moved, std::slice::from_ref(&other)).unwrap_err();
        assert!(matches!(error, Error::Redirected { .. }), "{error}");
        assert_eq!(status(&place), "");
    }

    fn packed_references_are_not_written_through_a_link() {
        let (f, victim) = (Fixture::small(), Fixture::small());
        let backup = format!("refs/downbeat/backup/{}/1", session());
        for name in ["refs/heads/feature/one", &backup] {
            git(&victim.repo, &["update-ref", name, "HEAD"]);
        }
        git(&victim.repo, &["pack-refs", "--all"]);
        let packed = victim.repo.join(".git/packed-refs");
        let before = std::fs::read(&packed).unwrap();
        git(&f.repo, &["fetch", "-q", victim.repo.to_str().unwrap(), "main"]);
        symlink(&packed, f.repo.join(".git/packed-refs")).unwrap();
        let refused = [delete_branch(&f.repo, "feature/one"), drop_backup(&f.repo, &backup)];
        assert_eq!(std::fs::read(&packed).unwrap(), before);
        for refused in refused {
            let error = refused.unwrap_err();
            assert!(error.to_string().contains("packed-refs is a link"), "{error}");
        }
    }
}
