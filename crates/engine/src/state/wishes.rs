//! Wishes are intents that can be taken back when nothing can be written: to remove a worktree, to restore
//! one, to restart an agent. The wish itself is in the session's row, for the next engine to finish; it is
//! valid only while there is a file with the session's id in this folder. Deleting a file needs no room, so a
//! request that was refused on a full disk leaves no wish behind.

use crate::host::files;
use crate::state::known::State;
use downbeat_model::SessionId;
use downbeat_model::session::Intent;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::io;
use std::path::PathBuf;

/// The folder of the files that mark valid wishes.
#[derive(Debug)]
pub struct Wishes(pub(crate) PathBuf);

impl Wishes {
    /// Opens the folder. If there is none, every wish in `state` was written by a version of Downbeat without
    /// the folder, and is valid.
    pub fn open(folder: PathBuf, state: &State) -> Self {
        let wishes = Self(folder);
        if wishes.0.is_dir() {
            return wishes;
        }
        if let Err(error) = files::own_folder(&wishes.0) {
            tracing::warn!("{}: {error}", wishes.0.display());
        }
        for row in state.sessions.values().filter(|row| is_wished(state, row)) {
            if let Err(error) = wishes.stand(&row.id) {
                tracing::warn!(session = %row.id, "{error}");
            }
        }
        wishes
    }

    pub(crate) fn file(&self, id: &SessionId) -> PathBuf {
        self.0.join(id.as_str())
    }

    /// Marks the wish as valid that is about to be written for a session.
    ///
    /// # Errors
    /// Fails if there is no room even for an empty file.
    pub fn stand(&self, id: &SessionId) -> Result<(), ApiError> {
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
                "the wish could not be noted",
                format!("{}: {error}", self.0.display()),
            )
            .hint(hint)
        })
    }

    /// Reports whether the wish of a session is valid.
    pub fn stands(&self, id: &SessionId) -> bool {
        self.file(id).exists()
    }

    /// Removes the mark of a session's wish, which is done or was never written.
    pub fn done(&self, id: &SessionId) {
        match std::fs::remove_file(self.file(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(session = %id, "its wish stands on: {error}");
            }
            _ => {}
        }
    }
}

pub(crate) fn is_wished(state: &State, row: &SessionRow) -> bool {
    row.intent.as_ref().is_some_and(Intent::is_of_worktree) || state.goes_on(&row.id).is_some()
}

#[cfg(test)]
mod tests {
    use super::Wishes;
    use crate::state::known::State;
    use downbeat_model::SessionId;

    #[test]
    fn a_wish_is_valid_from_its_mark_until_it_is_done() {
        let dir = tempfile::tempdir().unwrap();
        let id = SessionId::parse("s000000000001").unwrap();
        let wishes = Wishes::open(dir.path().join("wishes"), &State::default());
        assert!(!wishes.stands(&id));
        wishes.stand(&id).unwrap();
        wishes.stand(&id).unwrap();
        assert!(Wishes::open(dir.path().join("wishes"), &State::default()).stands(&id));
        wishes.done(&id);
        wishes.done(&id);
        assert!(!wishes.stands(&id));
    }

    #[test]
    fn a_deleted_folder_is_created_again_and_a_file_in_its_place_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let id = SessionId::parse("s000000000001").unwrap();
        let folder = dir.path().join("wishes");
        let wishes = Wishes::open(folder.clone(), &State::default());
        std::fs::remove_dir_all(&folder).unwrap();
        wishes.stand(&id).unwrap();
        assert!(wishes.stands(&id));
        std::fs::remove_dir_all(&folder).unwrap();
        std::fs::write(&folder, "").unwrap();
        let refused = wishes.stand(&id).unwrap_err();
        assert!(
            refused
                .hint
                .is_some_and(|hint| hint.contains("a writable folder"))
        );
    }
}
