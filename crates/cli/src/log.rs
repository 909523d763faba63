//! The file that engines without a window write to. Reading it is `downbeat logs`.

use crate::failure::Failure;
use crate::home::Home;
use std::fs::{self, File, OpenOptions};

/// From this size on, a start puts the file aside; the one before that is let go.
const LONG: u64 = 8 << 20;

/// Opens it for the next engine.
pub(crate) fn open(home: &Home) -> Result<File, Failure> {
    let path = home.log();
    if let Some(folder) = path.parent() {
        downbeat_keeper::private_dir(folder).map_err(|error| Failure::new(error.to_string()))?;
    }
    if fs::metadata(&path).is_ok_and(|file| file.len() > LONG) {
        // Where it cannot be put aside (Windows, while another engine writes), it grows.
        let _ = fs::rename(&path, path.with_extension("log.1"));
    }
    Ok(OpenOptions::new().create(true).append(true).open(&path)?)
}
