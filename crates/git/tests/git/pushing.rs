//! Tests of pushes: to a new branch, again, behind the remote, and against hooks.

use crate::fixture::{Fixture, git, out};
use crate::hermetic;
use downbeat_git::{Message, Pushed, messages, push, push_remote, push_remotes, pushed_commit};
use std::path::{Path, PathBuf};

/// A repository with the remote `origin`, and a branch `cart` with one commit of its own.
fn shop() -> (Fixture, PathBuf, tempfile::TempDir) {
    let shop = Fixture::small();
    let place = tempfile::tempdir().unwrap();
    let remote = place.path().join("shop.git");
    git(&shop.repo, &["init", "-q", "--bare", remote.to_str().unwrap()]);
    git(&shop.repo, &["remote", "add", "origin", remote.to_str().unwrap()]);
    git(&shop.repo, &["branch", "cart"]);
    commit(&shop.repo, "Add a cart\n\nIt holds 3 things.\n");
    (shop, remote, place)
}

/// Adds an empty commit to `cart`.
fn commit(repo: &Path, message: &str) -> String {
    let id = out(repo, &["commit-tree", "-p", "cart", "-m", message, "cart^{tree}"]);
    git(repo, &["update-ref", "refs/heads/cart", &id]);
    id
}

fn tip(repo: &Path, name: &str) -> String {
    out(repo, &["rev-parse", name])
}

#[cfg(unix)]
fn hook(git_dir: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = git_dir.join("hooks").join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Adds a linked worktree that has `cart` checked out.
#[cfg(unix)]
fn worktree(shop: &Fixture) -> PathBuf {
    let checkout = shop.repo.with_file_name("cart-worktree");
    git(
        &shop.repo,
        &["worktree", "add", "-q", checkout.to_str().unwrap(), "cart"],
    );
    checkout
}

hermetic! {
    fn a_branch_is_pushed_and_gets_its_upstream() {
        let (shop, remote, _place) = shop();
        assert_eq!(push_remote(&shop.repo, "cart").unwrap(), "origin");
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done);
        assert_eq!(tip(&remote, "cart"), tip(&shop.repo, "cart"));
        assert_eq!(tip(&shop.repo, "origin/cart"), tip(&shop.repo, "cart"));
        assert_eq!(tip(&shop.repo, "cart@{upstream}"), tip(&shop.repo, "cart"));
        let there = tip(&remote, "cart");
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), Some(&there)).unwrap(), Pushed::Done, "again");
        commit(&shop.repo, "More");
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), Some(&there)).unwrap(), Pushed::Done, "more");
        assert_eq!(tip(&remote, "cart"), tip(&shop.repo, "cart"));
        git(&shop.repo, &["config", "remote.pushDefault", "mine"]);
        assert_eq!(push_remote(&shop.repo, "cart").unwrap(), "mine");
        let branches = ["cart".to_owned(), "other".to_owned()];
        let single = branches.each_ref().map(|one| push_remote(&shop.repo, one).unwrap());
        assert_eq!(push_remotes(&shop.repo, &branches).unwrap(), single);
        let error = push(&shop.repo, None, ("--force", "cart"), None).unwrap();
        assert!(matches!(error, Pushed::Refused(_)), "a remote is no option: {error:?}");
    }

    fn a_branch_that_the_remote_moved_is_not_overwritten() {
        let (shop, remote, _place) = shop();
        push(&shop.repo, None, ("origin", "cart"), None).unwrap();
        let ours = tip(&remote, "cart");
        git(&shop.repo, &["branch", "-q", "-f", "other", "cart"]);
        let theirs = commit(&shop.repo, "Theirs");
        git(&shop.repo, &["push", "-q", "origin", "cart"]);
        git(&shop.repo, &["update-ref", "refs/heads/cart", "other"]);
        commit(&shop.repo, "Ours");
        for there in [&ours, &theirs] {
            assert_eq!(push(&shop.repo, None, ("origin", "cart"), Some(there)).unwrap(), Pushed::Behind);
            assert_eq!(tip(&remote, "cart"), theirs);
        }
    }

    fn a_branch_that_only_seems_to_be_the_own_one_is_not_moved() {
        let (shop, remote, _place) = shop();
        // An agent named its branch like another one, and recorded that it had pushed it.
        git(&shop.repo, &["push", "-q", "origin", "main:cart"]);
        let (theirs, own) = (tip(&remote, "cart"), tip(&shop.repo, "cart"));
        git(&shop.repo, &["update-ref", "refs/remotes/origin/cart", &own]);
        let there = pushed_commit(&shop.repo, ("origin", "cart"), (std::slice::from_ref(&theirs), &[]), 0).unwrap();
        assert_eq!(there.as_ref(), Some(&own));
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), there.as_deref()).unwrap(), Pushed::Behind);
        assert_eq!(tip(&remote, "cart"), theirs);
    }

    fn a_branch_that_is_new_moves_none_of_the_remotes() {
        let (shop, remote, _place) = shop();
        // It has what `cart` has, except for its last commit.
        git(&shop.repo, &["push", "-q", "origin", "main:cart"]);
        let theirs = tip(&remote, "cart");
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::There);
        assert_eq!(tip(&remote, "cart"), theirs);
        git(&shop.repo, &["push", "-q", "origin", "cart"]);
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done, "it is there");
        git(&shop.repo, &["push", "-q", "origin", ":cart"]);
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done);
        assert_eq!(tip(&remote, "cart"), tip(&shop.repo, "cart"));
    }

    fn a_branch_at_the_remote_is_the_own_one_by_its_commits() {
        let (shop, _remote, _place) = shop();
        let base = [tip(&shop.repo, "main")];
        let now = out(&shop.repo, &["log", "-1", "--format=%ct", "cart"]).parse::<i64>().unwrap();
        let is_own = |own: &[String], since| {
            pushed_commit(&shop.repo, ("origin", "cart"), (&base, own), since).unwrap().is_some()
        };
        assert!(!is_own(&[], 0), "it is not there");
        git(&shop.repo, &["push", "-q", "origin", "main:cart"]);
        assert!(!is_own(&[], 0), "it has no commit of its own");
        assert!(is_own(&base, 0), "it is known to be the own one");
        git(&shop.repo, &["push", "-q", "origin", "cart"]);
        assert!(is_own(&[], now));
        assert!(!is_own(&[], now + 1), "somebody made it before");
    }

    #[cfg(unix)]
    fn hooks_run_in_a_worktree_alone_and_may_refuse() {
        let (shop, remote, _place) = shop();
        let checkout = worktree(&shop);
        hook(&shop.repo.join(".git"), "pre-push", "#!/bin/sh\ntest -f draft.txt || exit 0\necho no lint >&2\nexit 1\n");
        std::fs::write(checkout.join("draft.txt"), "").unwrap();
        let refused = push(&shop.repo, Some(&checkout), ("origin", "cart"), None).unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("no lint")), "{refused:?}");
        std::fs::remove_file(shop.repo.join(".git/hooks/pre-push")).unwrap();
        hook(&remote, "pre-receive", "#!/bin/sh\necho protected branch >&2\nexit 1\n");
        for checkout in [None, Some(checkout.as_path())] {
            let refused = push(&shop.repo, checkout, ("origin", "cart"), None).unwrap();
            assert!(matches!(&refused, Pushed::Refused(why) if why.contains("protected branch")), "{refused:?}");
        }
        git(&shop.repo, &["remote", "set-url", "origin", "/nowhere/shop.git"]);
        let refused = push(&shop.repo, None, ("origin", "cart"), None).unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("/nowhere/shop.git")), "{refused:?}");
    }

    #[cfg(unix)]
    fn a_push_from_the_repository_runs_nothing_that_an_agent_may_have_written() {
        let (shop, remote, place) = shop();
        let checkout = worktree(&shop);
        let ran = place.path().join("ran");
        let script = format!("#!/bin/sh\ntouch {}\n", ran.display());
        hook(&shop.repo.join(".git"), "pre-push", &script);
        for folder in [&checkout, &shop.repo] {
            std::fs::create_dir_all(folder.join(".husky")).unwrap();
            std::fs::copy(shop.repo.join(".git/hooks/pre-push"), folder.join(".husky/pre-push")).unwrap();
        }
        let config = |key: &str, value: &str| git(&shop.repo, &["config", key, value]);
        config("hook.own.event", "pre-push");
        config("hook.own.command", &format!("touch {}", ran.display()));
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done);
        config("core.hooksPath", ".husky");
        let there = tip(&remote, "cart");
        commit(&shop.repo, "More");
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), Some(&there)).unwrap(), Pushed::Done);
        assert_eq!(tip(&remote, "cart"), tip(&shop.repo, "cart"));
        assert!(!ran.exists(), "a hook ran");

        // An agent that points its worktree elsewhere gets no push with the configuration that it wrote.
        let fake = checkout.join("fake");
        git(&shop.repo, &["clone", "-q", "--bare", ".", fake.to_str().unwrap()]);
        std::fs::write(checkout.join(".git"), format!("gitdir: {}\n", fake.display())).unwrap();
        push(&shop.repo, Some(&checkout), ("origin", "cart"), None).unwrap_err();
    }

    #[cfg(unix)]
    fn large_files_are_pushed_although_no_hook_runs() {
        let (shop, _remote, place) = shop();
        let told = place.path().join("told");
        hook(&shop.repo.join(".git"), "pre-push", "#!/bin/sh\ngit lfs pre-push \"$@\"\n");
        git(&shop.repo, &["config", "alias.lfs", &format!("!echo >{}", told.display())]);
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done);
        assert!(!told.exists(), "nothing is in LFS");
        git(&shop.repo, &["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
        assert_eq!(push(&shop.repo, None, ("origin", "cart"), None).unwrap(), Pushed::Done);
        assert_eq!(std::fs::read_to_string(&told).unwrap(), "push origin cart\n");
        git(&shop.repo, &["config", "alias.lfs", "!echo out of space >&2; false"]);
        let refused = push(&shop.repo, None, ("origin", "cart"), None).unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("out of space")), "{refused:?}");
    }

    fn the_messages_of_a_branch_are_its_own_commits() {
        let (shop, _remote, _place) = shop();
        commit(&shop.repo, "Empty it");
        let (head, base) = (tip(&shop.repo, "cart"), tip(&shop.repo, "main"));
        let own = messages(&shop.repo, &head, std::slice::from_ref(&base)).unwrap();
        let message = |subject: &str, body: &str| Message {
            subject: subject.into(),
            body: body.into(),
        };
        assert_eq!(own, [message("Add a cart", "It holds 3 things."), message("Empty it", "")]);
        assert_eq!(messages(&shop.repo, &base, &[head]).unwrap(), []);
    }
}
