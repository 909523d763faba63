//! What an import says: what becomes of each key.

use super::target::{BESIDE, Target};
use crate::paint::plain;
use downbeat_engine::config::Put;
use downbeat_engine::config::orchestrator::translate::{How, Translation};

/// Formats what becomes of a file; empty if it is the person's own and nothing is for it.
pub(super) fn target(target: &Target) -> String {
    if target.settings.is_empty() && !target.title.starts_with("project ") {
        return String::new();
    }
    let mut text = format!("{}\n", target.title);
    for (setting, put) in target.settings.iter().zip(&target.outcome) {
        let (key, from) = (plain(&setting.key), plain(&setting.from));
        let value = plain(&setting.value.to_string());
        let note = match setting.note.as_str() {
            "" => String::new(),
            note => format!("; {note}"),
        };
        text.push_str(&match put {
            Put::Added(_) => format!("  + {key}: {value} (from {from}{note})\n"),
            Put::Unfit => format!("  + {key}: {value} (from {from}; into {BESIDE}{note})\n"),
            Put::Same => format!("  = {key}: {value}\n"),
            Put::Kept(there) => format!("  = {key} stays {}, as you wrote it\n", plain(&there.to_string())),
        });
    }
    text + "\n"
}

/// Formats the keys that become no setting.
pub(super) fn told(translation: &Translation) -> String {
    let groups = [
        (How::Same, "as it is without a setting"),
        (How::Nothing, "without a key here"),
        (How::Unknown, "unknown"),
        (How::Refused, "not taken"),
    ];
    let mut text = String::new();
    for (how, title) in groups {
        let rows = translation.told.iter().filter(|told| told.how == how);
        let rows: String = rows
            .map(|told| format!("  {}: {}\n", plain(&told.from), plain(&told.text)))
            .collect();
        if !rows.is_empty() {
            text.push_str(&format!("{title}\n{rows}\n"));
        }
    }
    text
}
