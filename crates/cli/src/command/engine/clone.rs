//! Clones a repository that is named by its address, so that it can be added as a project. Git itself does that, in this
//! terminal, so that it can ask for a login.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The beginnings of addresses of repositories.
const SCHEMES: [&str; 4] = ["https://", "http://", "ssh://", "git://"];

/// Whether a text is the address of a repository and not a folder.
pub(in crate::command) fn is_address(text: &str) -> bool {
    let has_scheme = SCHEMES.iter().any(|scheme| text.starts_with(scheme));
    let is_scp = || {
        let (host, path) = text.split_once(':')?;
        let (user, host) = host.split_once('@')?;
        let is_word = |part: &str| !part.is_empty() && !part.contains(['/', '\\']);
        Some(is_word(user) && is_word(host) && !path.is_empty())
    };
    has_scheme || is_scp().unwrap_or(false)
}

/// Clones a repository into the current folder. A clone that is there already is used.
///
/// # Errors
/// Fails if something else has its name, or if git cannot clone it.
pub(in crate::command) fn clone(address: &str) -> Result<PathBuf, Failure> {
    let name = folder_name(address)
        .ok_or_else(|| Failure::usage(format!("{address} does not name a repository")))?;
    let folder = std::env::current_dir()?.join(&name);
    if folder.symlink_metadata().is_ok() {
        return match origin(&folder).is_some_and(|origin| plain(&origin) == plain(address)) {
            true => Ok(folder),
            false => Err(Failure::new(format!(
                "{} exists already and is not a clone of {address}",
                folder.display()
            ))
            .hint("run the command in another folder, or add that folder with `downbeat project add`")),
        };
    }
    let cloned = Command::new("git")
        .args(["clone", "--", address])
        .arg(&folder)
        .status();
    match cloned {
        Ok(status) if status.success() => Ok(folder),
        Ok(_) => Err(Failure::new(format!("git could not clone {address}")).hint("its message is above")),
        Err(error) => Err(Failure::new(format!("git cannot be run: {error}")).hint("install git")),
    }
}

/// Returns the name of the folder: the last part of the address, without `.git`.
fn folder_name(address: &str) -> Option<String> {
    let path = address.trim_end_matches('/');
    let last = path.rsplit(['/', ':']).next()?;
    let name = last.strip_suffix(".git").unwrap_or(last);
    // Windows takes a backslash as the end of a folder's name.
    let is_one = !name.is_empty() && !matches!(name, "." | "..") && !name.contains('\\');
    let is_fine = is_one && path.len() > last.len();
    is_fine.then(|| name.to_owned())
}

fn origin(folder: &Path) -> Option<String> {
    let asked = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["config", "--get", "remote.origin.url"])
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&asked.stdout).trim().to_owned()).filter(|url| !url.is_empty())
}

/// Returns an address as it is compared.
fn plain(address: &str) -> &str {
    let address = address.trim_end_matches('/');
    address.strip_suffix(".git").unwrap_or(address)
}

#[cfg(test)]
mod tests {
    use super::{folder_name, is_address};

    #[test]
    fn addresses_are_told_from_folders() {
        for (text, expected) in [
            ("https://github.com/acme/shop", Some("shop")),
            ("https://github.com/acme/shop.git/", Some("shop")),
            ("git@github.com:acme/shop.git", Some("shop")),
            ("git@github.com:shop", Some("shop")),
            ("ssh://git@host:22/acme/shop", Some("shop")),
            ("shop", None),
            ("/code/shop", None),
            (r"C:\code\shop", None),
            ("./a@b:c/d", None),
            ("downbeat://session/s1", None),
        ] {
            let name = Some(text).filter(|text| is_address(text)).and_then(folder_name);
            assert_eq!(name.as_deref(), expected, "{text}");
        }
        assert_eq!(folder_name("https://github.com/acme/.."), None);
        assert_eq!(folder_name(r"https://github.com/a\..\..\x"), None);
    }
}
