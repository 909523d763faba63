//! Installs the programs that keepers, bridges and hooks run: copies of the CLI and of the program for hooks, in
//! a place that outlives an unmounted AppImage and an upgrade. Where that place is, is defined in `paths.rs`.
//!
//! A copy's folder is named after the content of both programs. Reading them takes up to a second at every start,
//! so `known.json` records which files were read: their path, size, times and inode. The same files are not read
//! again.

use super::files::{self, about, private};
use super::paths::Paths;
use downbeat_agents::HOOK_PROGRAM;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// The file name of the CLI's binary.
const CLI: &str = if cfg!(windows) { "downbeat.exe" } else { "downbeat" };

/// The number of characters of the content hash in the name of a copy; enough to tell any two builds apart.
const HASH: usize = 12;

/// The file that records which programs were read, next to the copies.
const KNOWN: &str = "known.json";

/// The number of programs that are remembered: the person's own, a copy, and a few earlier versions.
const REMEMBERED: usize = 8;

/// A file that changed this recently can change again without a new time, so it is not remembered.
const SETTLED: Duration = Duration::from_secs(2);

/// Copies the CLI's binary, and the program for hooks if it is next to it, once per content of both. Returns
/// the path of the CLI's copy. Earlier copies stay, since processes that were started from them continue to run.
pub fn install_cli(paths: &Paths, source: &Path) -> io::Result<PathBuf> {
    let hook = source.with_file_name(HOOK_PROGRAM);
    let hook = hook.is_file().then_some(hook);
    let sources: Vec<&Path> = [Some(source), hook.as_deref()].into_iter().flatten().collect();
    let folder = paths.bin().join(folder_name(&paths.bin(), &sources)?);
    private::folder(&folder).map_err(|error| about(&folder, &error))?;
    if let Some(hook) = &hook {
        install(hook, &folder.join(HOOK_PROGRAM))?;
    }
    let target = folder.join(CLI);
    install(source, &target)?;
    Ok(target)
}

/// Returns the name of the folder for the content of these programs.
fn folder_name(bin: &Path, sources: &[&Path]) -> io::Result<String> {
    let stamps: Option<Vec<Stamp>> = sources.iter().map(|path| Stamp::of(path)).collect();
    let known = Known::read(bin);
    if let Some(folder) = stamps.as_ref().and_then(|stamps| known.folder(stamps)) {
        return Ok(folder.to_owned());
    }
    let mut hasher = Sha256::new();
    for path in sources {
        hash(path, &mut hasher).map_err(|error| about(path, &error))?;
    }
    let digest = hasher.finalize();
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = format!("{}-{}", env!("CARGO_PKG_VERSION"), &hash[..HASH]);
    if let Some(stamps) = stamps {
        known.with(stamps, &folder).write(bin);
    }
    Ok(folder)
}

/// What tells a program's file from every other, and from its other contents, without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    path: PathBuf,
    size: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    /// The inode and the time at which it changed, in nanoseconds since 1970. `None` on Windows.
    inode: Option<(u64, i128)>,
}

impl Stamp {
    /// `None` if the file has no such stamp, or changed too recently to rely on it.
    fn of(path: &Path) -> Option<Self> {
        let path = dunce::canonicalize(path).ok()?;
        let data = fs::metadata(&path).ok()?;
        let modified = data.modified().ok()?;
        if SystemTime::now().duration_since(modified).ok()? < SETTLED {
            return None;
        }
        Some(Self {
            path,
            size: data.len(),
            modified: modified.duration_since(UNIX_EPOCH).ok()?.as_nanos(),
            inode: inode(&data),
        })
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "Windows has no inode")]
fn inode(data: &Metadata) -> Option<(u64, i128)> {
    use std::os::unix::fs::MetadataExt;
    let changed = i128::from(data.ctime()) * 1_000_000_000 + i128::from(data.ctime_nsec());
    Some((data.ino(), changed))
}

#[cfg(windows)]
fn inode(_: &Metadata) -> Option<(u64, i128)> {
    None
}

/// The programs that were read, the newest first, each with the name of its folder.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known(Vec<(Vec<Stamp>, String)>);

impl Known {
    /// What cannot be read is unknown: then the programs are read again.
    fn read(bin: &Path) -> Self {
        let text = fs::read(bin.join(KNOWN)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn folder(&self, stamps: &[Stamp]) -> Option<&str> {
        let (_, folder) = self.0.iter().find(|(known, _)| known == stamps)?;
        Some(folder)
    }

    fn with(self, stamps: Vec<Stamp>, folder: &str) -> Self {
        let newest = [(stamps, folder.to_owned())];
        Self(newest.into_iter().chain(self.0).take(REMEMBERED).collect())
    }

    /// Without it the next start only takes longer, so a failure is not told.
    fn write(&self, bin: &Path) {
        let written = serde_json::to_vec(self).map_err(io::Error::from);
        if let Err(error) = written.and_then(|text| files::replace(&bin.join(KNOWN), &text)) {
            tracing::debug!("{KNOWN} is not written: {error}");
        }
    }
}

/// Copies a program unless its copy exists.
fn install(source: &Path, target: &Path) -> io::Result<()> {
    let size = |path: &Path| fs::metadata(path).map(|data| data.len()).ok();
    if size(target).is_some_and(|there| Some(there) == size(source)) {
        return Ok(());
    }
    let draft = files::draft_of(target);
    let copied = fs::copy(source, &draft)
        .and_then(|_| private::executable(&draft))
        // Opened for writing, because Windows flushes nothing else.
        .and_then(|()| OpenOptions::new().write(true).open(&draft)?.sync_all())
        .and_then(|()| fs::rename(&draft, target));
    if let Err(error) = copied {
        let _ = fs::remove_file(&draft);
        return Err(about(target, &error));
    }
    Ok(())
}

fn hash(path: &Path, hasher: &mut Sha256) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        hasher.update(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cli_is_copied_once_per_content() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"));
        paths.create().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, "one").unwrap();
        let first = install_cli(&paths, &source).unwrap();
        let made = fs::metadata(&first).unwrap().modified().unwrap();
        assert_eq!(install_cli(&paths, &source).unwrap(), first);
        assert_eq!(install_cli(&paths, &first).unwrap(), first);
        assert_eq!(fs::metadata(&first).unwrap().modified().unwrap(), made);
        fs::write(&source, "two").unwrap();
        let second = install_cli(&paths, &source).unwrap();
        assert_ne!(first, second);
        assert_eq!(
            (fs::read(&first).unwrap(), fs::read(&second).unwrap()),
            (b"one".to_vec(), b"two".to_vec())
        );
        fs::write(&second, "cut").unwrap();
        fs::write(&second, "x").unwrap();
        assert_eq!(fs::read(install_cli(&paths, &source).unwrap()).unwrap(), b"two");
        assert!(install_cli(&paths, &folder.path().join("none")).is_err());
    }

    /// A new version of either program leads to a new copy of both; running processes keep an earlier copy.
    #[test]
    fn the_program_for_hooks_is_copied_next_to_the_cli() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"));
        paths.create().unwrap();
        let source = folder.path().join(CLI);
        let hook = |cli: &Path| fs::read(cli.with_file_name(HOOK_PROGRAM)).ok();
        fs::write(&source, "cli").unwrap();
        let alone = install_cli(&paths, &source).unwrap();
        assert_eq!(hook(&alone), None);
        fs::write(folder.path().join(HOOK_PROGRAM), "one").unwrap();
        let first = install_cli(&paths, &source).unwrap();
        assert_ne!(first, alone);
        assert_eq!(hook(&first).unwrap(), b"one");
        assert_eq!(install_cli(&paths, &first).unwrap(), first);
        fs::write(folder.path().join(HOOK_PROGRAM), "two").unwrap();
        let second = install_cli(&paths, &source).unwrap();
        assert_eq!(hook(&first).unwrap(), b"one");
        assert_eq!(hook(&second).unwrap(), b"two");
        // A copy that was cut off is made once more.
        fs::write(second.with_file_name(HOOK_PROGRAM), "").unwrap();
        assert_eq!(install_cli(&paths, &source).unwrap(), second);
        assert_eq!(hook(&second).unwrap(), b"two");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_person_may_run_a_copy() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"));
        paths.create().unwrap();
        let source = folder.path().join("cli");
        fs::write(&source, "x").unwrap();
        let copy = install_cli(&paths, &source).unwrap();
        assert_eq!(fs::metadata(copy).unwrap().permissions().mode() & 0o777, 0o700);
    }

    /// Writes a program that was last changed an hour ago.
    fn settled(path: &Path, content: &str) {
        fs::write(path, content).unwrap();
        let hour = SystemTime::now() - Duration::from_secs(3600);
        File::options()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(hour)
            .unwrap();
    }

    #[test]
    fn a_program_that_did_not_change_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"));
        paths.create().unwrap();
        let (source, hook) = (folder.path().join(CLI), folder.path().join(HOOK_PROGRAM));
        settled(&source, "one");
        settled(&hook, "one");
        let first = install_cli(&paths, &source).unwrap();
        assert_eq!(Known::read(&paths.bin()).0.len(), 1);
        assert_eq!(install_cli(&paths, &source).unwrap(), first);
        // What the record says is what counts, so nothing was read.
        let text = fs::read_to_string(paths.bin().join(KNOWN)).unwrap();
        let name = first.parent().unwrap().file_name().unwrap().to_str().unwrap();
        fs::write(paths.bin().join(KNOWN), text.replace(name, "elsewhere")).unwrap();
        assert_eq!(
            install_cli(&paths, &source).unwrap(),
            paths.bin().join("elsewhere").join(CLI)
        );
        // Either program with another content, and a lost or broken record, are read.
        settled(&hook, "other");
        assert_ne!(install_cli(&paths, &source).unwrap(), first);
        settled(&hook, "one");
        fs::write(paths.bin().join(KNOWN), "[").unwrap();
        assert_eq!(install_cli(&paths, &source).unwrap(), first);
    }

    #[test]
    fn a_program_of_the_same_size_and_time_elsewhere_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::new(folder.path().join("data"));
        paths.create().unwrap();
        let at = |name: &str| folder.path().join(name);
        settled(&at("a"), "one");
        settled(&at("b"), "two");
        let time = fs::metadata(at("a")).unwrap().modified().unwrap();
        File::options()
            .write(true)
            .open(at("b"))
            .unwrap()
            .set_modified(time)
            .unwrap();
        let first = install_cli(&paths, &at("a")).unwrap();
        let second = install_cli(&paths, &at("b")).unwrap();
        assert_eq!(
            (fs::read(first).unwrap(), fs::read(second).unwrap()),
            (b"one".to_vec(), b"two".to_vec())
        );
        // Many programs: the record keeps the newest.
        for number in 0..20 {
            let path = at(&format!("p{number}"));
            settled(&path, &format!("content {number}"));
            install_cli(&paths, &path).unwrap();
        }
        assert_eq!(Known::read(&paths.bin()).0.len(), REMEMBERED);
    }
}
