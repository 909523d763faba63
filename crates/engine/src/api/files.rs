//! Files that a person names in a prompt: finds those of a workspace by a few letters, and keeps those that are pasted
//! or dropped, so that agents can read them by their paths.

use crate::host::files::{own_folder, replace_here};
use crate::host::{blocking, paths::Paths};
use crate::session::row;
use crate::state::context::Engine;
use crate::state::{error, find};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use downbeat_wire::file::{Attach, Attached, FindFiles, FoundFiles};
use downbeat_wire::{ApiError, Caller};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The default number of files that are found.
const FOUND: usize = 20;

/// The maximum number of files that are found.
const MOST_FOUND: usize = 200;

/// The maximum number of letters of a query.
const MOST_LETTERS: usize = 200;

/// The maximum size of an attached file, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// How long an attached file is kept: longer than an agent takes to read it, or a person to send its message again.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// The maximum number of attached files that are kept; the oldest go first.
const MOST_KEPT: usize = 2_000;

/// The maximum number of characters of an attached file's name.
const MOST_NAME: usize = 80;

/// Finds files of a session's workspace or of a project's repository.
///
/// # Errors
/// Fails if neither or both are named, or if the folder cannot be read.
pub async fn find(engine: &Engine, caller: &Caller, request: &FindFiles) -> Result<FoundFiles, ApiError> {
    let (repo, folder) = match (&request.session, &request.project) {
        (Some(name), None) => {
            let session = engine.find(caller, name).await?;
            let project = engine.project(&session.project_id)?;
            (PathBuf::from(&project.path), row::path_of(&session)?)
        }
        (None, Some(name)) => {
            let project = find::project(&engine.ledger.state(), name)?;
            (PathBuf::from(&project.path), PathBuf::from(&project.path))
        }
        _ => {
            return Err(ApiError::invalid(
                "name a session or a project: `session`, `project`",
            ));
        }
    };
    let query = request.query.clone().unwrap_or_default();
    if query.chars().count() > MOST_LETTERS {
        let what = format!("query: it has more than {MOST_LETTERS} letters");
        return Err(ApiError::invalid(what));
    }
    let limit = request
        .limit
        .map_or(FOUND, |limit| (limit as usize).clamp(1, MOST_FOUND));
    let name = repo.display().to_string();
    let look = move || downbeat_git::files(&repo, &folder).map(|files| best(files, &query, limit));
    blocking::in_time(&name, look).await?.map_err(error::git)
}

/// Returns the files that match best. Without a query, these are the first by name, those at the top of the folder before
/// the others.
fn best(mut files: Vec<String>, query: &str, limit: usize) -> FoundFiles {
    if query.trim().is_empty() {
        files.sort_by_key(|path| (path.matches('/').count(), path.clone()));
    } else {
        // The matcher prefers the letters at the beginnings of words and folders, and shorter paths among equals.
        let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        files.sort_by_key(String::len);
        let matched = pattern.match_list(files, &mut matcher);
        files = matched.into_iter().map(|(path, _)| path).collect();
    }
    let has_more = files.len() > limit;
    files.truncate(limit);
    FoundFiles { files, has_more }
}

/// Keeps an attached file. The same content under the same name is kept once.
///
/// # Errors
/// Fails if the content is not base64, too long or empty, or cannot be written.
pub async fn attach(engine: &Engine, request: Attach) -> Result<Attached, ApiError> {
    let most = MOST_BYTES.div_ceil(3) * 4;
    if request.data.len() > most {
        let what = format!("data: the file is larger than {} MiB", MOST_BYTES >> 20);
        return Err(ApiError::invalid(what).hint("name its path in the prompt instead"));
    }
    let content = STANDARD
        .decode(&request.data)
        .map_err(|_| ApiError::invalid("data: it is not base64"))?;
    if content.is_empty() {
        return Err(ApiError::invalid("data: the file is empty"));
    }
    let folder = engine.paths.attachments();
    let path = folder.join(file_name(&request.name, &content));
    let (place, into) = (path.clone(), Paths::clone(&engine.paths));
    let written = blocking::blocking(move || {
        own_folder(&into.attachments())?;
        replace_here(&place, &content)?;
        clear(&into.attachments(), &place);
        Ok::<_, std::io::Error>(())
    });
    let failed = |error| ApiError::failed(&format!("{} was not kept", request.name), error);
    written.await?.map_err(failed)?;
    Ok(Attached {
        path: path.display().to_string(),
    })
}

/// Returns the file's name, with what identifies its content in front. Only letters, digits, dots, hyphens and underscores
/// are left: terminals and agents take these without quotes.
fn file_name(name: &str, content: &[u8]) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') => c,
            _ => '-',
        })
        .collect();
    // The end of a name says what kind of file it is.
    let skipped = plain.len().saturating_sub(MOST_NAME);
    let plain = plain[skipped..].trim_start_matches(['.', '-']);
    let digest = Sha256::digest(content);
    let mark: String = digest[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    match plain {
        "" => mark,
        plain => format!("{mark}-{plain}"),
    }
}

/// Deletes what is too old, and the oldest of what is too much. What cannot be deleted stays until the next time.
fn clear(folder: &Path, new: &Path) {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut kept: Vec<(SystemTime, PathBuf)> = entries
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, path)| path != new)
        .collect();
    kept.sort_by(|one, other| other.cmp(one));
    let now = SystemTime::now();
    for (number, (at, path)) in kept.into_iter().enumerate() {
        let is_old = now.duration_since(at).is_ok_and(|age| age > KEPT);
        if is_old || number + 1 >= MOST_KEPT {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
