//! The log file of engines without a window. `downbeat logs` reads it.

use crate::failure::Failure;
use crate::home::Home;
use std::fs::{self, File, OpenOptions};

/// The size in bytes from which a start moves the file aside; the file moved before is deleted.
const LONG: u64 = 8 << 20;

/// Opens the file for the next engine.
pub(crate) fn open(home: &Home) -> Result<File, Failure> {
    let path = home.log();
    if let Some(folder) = path.parent() {
        downbeat_keeper::private_dir(folder).map_err(|error| Failure::new(error.to_string()))?;
    }
    if fs::metadata(&path).is_ok_and(|file| file.len() > LONG) {
        // If it cannot be moved aside (Windows, while another engine writes), it grows.
        let _ = fs::rename(&path, path.with_extension("log.1"));
    }
    Ok(OpenOptions::new().create(true).append(true).open(&path)?)
}
