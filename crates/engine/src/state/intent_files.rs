//! Marks the intents that can be withdrawn while nothing can be written: to remove a worktree, to restore
//! one, to restart an agent. The intent itself is in the session's row, for the next engine to finish; it is
//! valid only while there is a file with the session's id in this folder. Deleting a file needs no room, so a
//! request that was refused on a full disk leaves no intent behind.

use crate::host::files;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_model::session::Intent;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::io;
use std::path::PathBuf;

/// The folder of the files that mark valid intents.
#[derive(Debug)]
pub struct IntentFiles(pub(crate) PathBuf);

impl IntentFiles {
    /// Opens the folder. If there is none, every intent in `state` was written by a version of Downbeat without
    /// the folder, and is valid.
    pub fn open(folder: PathBuf, state: &State) -> Self {
        let intent_files = Self(folder);
        if intent_files.0.is_dir() {
            return intent_files;
        }
        if let Err(error) = files::own_folder(&intent_files.0) {
            tracing::warn!("{}: {error}", intent_files.0.display());
        }
        for row in state.sessions.values().filter(|row| has_intent(state, row)) {
            if let Err(error) = intent_files.confirm(&row.id) {
                tracing::warn!(session = %row.id, "{error}");
            }
        }
        intent_files
    }

    pub(crate) fn file(&self, id: &SessionId) -> PathBuf {
        self.0.join(id.as_str())
    }

    /// Marks the intent as valid that is about to be written for a session.
    ///
    /// # Errors
    /// Fails if there is no room even for an empty file.
    pub fn confirm(&self, id: &SessionId) -> Result<(), ApiError> {
        let noted = match downbeat_files::append(&self.file(id)) {
            // Somebody tidied up in the data directory.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                files::own_folder(&self.0).and_then(|()| downbeat_files::append(&self.file(id)))
            }
            noted => noted,
        };
        noted.map(drop).map_err(|error| {
            let hint = match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    "make room on the disk of the data directory, and try again; nothing was changed"
                }
                _ => "it has to be a writable folder: move away what is there, and try again; nothing was changed",
            };
            ApiError::failed(
                "the request could not be recorded",
                format!("{}: {error}", self.0.display()),
            )
            .hint(hint)
        })
    }

    /// Reports whether the intent of a session is valid.
    pub fn is_confirmed(&self, id: &SessionId) -> bool {
        self.file(id).exists()
    }

    /// Removes the mark of a session's intent, which is done or was never written.
    pub fn clear(&self, id: &SessionId) {
        match std::fs::remove_file(self.file(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(session = %id, "its intent could not be cleared: {error}");
            }
            _ => {}
        }
    }
}

pub(crate) fn has_intent(state: &State, row: &SessionRow) -> bool {
    row.intent.as_ref().is_some_and(Intent::is_of_worktree) || state.goes_on(&row.id).is_some()
}

#[cfg(test)]
mod tests {
    use super::IntentFiles;
    use crate::state::known::State;
    use downbeat_model::SessionId;

    #[test]
    fn a_wish_is_valid_from_its_mark_until_it_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let id = SessionId::parse("s000000000001").unwrap();
        let intent_files = IntentFiles::open(dir.path().join("wishes"), &State::default());
        assert!(!intent_files.is_confirmed(&id));
        intent_files.confirm(&id).unwrap();
        intent_files.confirm(&id).unwrap();
        assert!(IntentFiles::open(dir.path().join("wishes"), &State::default()).is_confirmed(&id));
        intent_files.clear(&id);
        intent_files.clear(&id);
        assert!(!intent_files.is_confirmed(&id));
    }

    #[test]
    fn a_deleted_folder_is_created_again_and_a_file_in_its_place_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let id = SessionId::parse("s000000000001").unwrap();
        let folder = dir.path().join("wishes");
        let intent_files = IntentFiles::open(folder.clone(), &State::default());
        std::fs::remove_dir_all(&folder).unwrap();
        intent_files.confirm(&id).unwrap();
        assert!(intent_files.is_confirmed(&id));
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "").unwrap();
        let refused = intent_files.confirm(&id).unwrap_err();
        assert!(
            refused
                .hint
                .is_some_and(|hint| hint.contains("a writable folder"))
        );
    }
}
