//! Tests of pushes: to a new branch, again, behind the remote, and against hooks.

use crate::fixture::{Fixture, git, out};
use crate::hermetic;
use downbeat_git::{Message, Pushed, messages, push, push_remote};
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

hermetic! {
    fn a_branch_is_pushed_and_gets_its_upstream() {
        let (shop, remote, _place) = shop();
        assert_eq!(push_remote(&shop.repo, "cart").unwrap(), "origin");
        assert_eq!(push(&shop.repo, "origin", "cart").unwrap(), Pushed::Done);
        assert_eq!(tip(&remote, "cart"), tip(&shop.repo, "cart"));
        assert_eq!(tip(&shop.repo, "origin/cart"), tip(&shop.repo, "cart"));
        assert_eq!(tip(&shop.repo, "cart@{upstream}"), tip(&shop.repo, "cart"));
        assert_eq!(push(&shop.repo, "origin", "cart").unwrap(), Pushed::Done, "again");
        git(&shop.repo, &["config", "remote.pushDefault", "mine"]);
        assert_eq!(push_remote(&shop.repo, "cart").unwrap(), "mine");
        let error = push(&shop.repo, "--force", "cart").unwrap();
        assert!(matches!(error, Pushed::Refused(_)), "a remote is no option: {error:?}");
    }

    fn a_branch_that_the_remote_moved_is_not_overwritten() {
        let (shop, remote, _place) = shop();
        push(&shop.repo, "origin", "cart").unwrap();
        git(&shop.repo, &["branch", "-q", "-f", "other", "cart"]);
        let theirs = commit(&shop.repo, "Theirs");
        git(&shop.repo, &["push", "-q", "origin", "cart"]);
        git(&shop.repo, &["update-ref", "refs/heads/cart", "other"]);
        commit(&shop.repo, "Ours");
        assert_eq!(push(&shop.repo, "origin", "cart").unwrap(), Pushed::Behind);
        assert_eq!(tip(&remote, "cart"), theirs);
    }

    #[cfg(unix)]
    fn hooks_run_and_may_refuse() {
        let (shop, remote, _place) = shop();
        hook(&shop.repo.join(".git"), "pre-push", "#!/bin/sh\necho no lint >&2\nexit 1\n");
        let refused = push(&shop.repo, "origin", "cart").unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("no lint")), "{refused:?}");
        std::fs::remove_file(shop.repo.join(".git/hooks/pre-push")).unwrap();
        hook(&remote, "pre-receive", "#!/bin/sh\necho protected branch >&2\nexit 1\n");
        let refused = push(&shop.repo, "origin", "cart").unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("protected branch")), "{refused:?}");
        git(&shop.repo, &["remote", "set-url", "origin", "/nowhere/shop.git"]);
        let refused = push(&shop.repo, "origin", "cart").unwrap();
        assert!(matches!(&refused, Pushed::Refused(why) if why.contains("/nowhere/shop.git")), "{refused:?}");
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
