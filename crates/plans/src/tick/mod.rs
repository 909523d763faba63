//! Writes progress back into a plan's file: boxes of checklists, statuses of Taskmaster. Nothing else changes, not a byte.
//!
//! Map: `lines` is what the file has of a plan, `due` what is to be ticked and what came of it, `index` finds a line in what is
//! there now, `boxes` and `statuses` read the two kinds of files, `places` says where the values of a JSON text stand,
//! `ticking` is what changes in a text.

use crate::plan::Form;
use crate::problem::Problem;

mod boxes;
mod due;
mod index;
mod lines;
mod places;
mod statuses;
mod ticking;

pub use due::{Due, Left};
pub use lines::{Line, lines};
pub use ticking::{Edit, Missing, Ticking};

/// Says how lines are ticked in the text of a plan's file. `tag` names one of several lists of Taskmaster.
///
/// # Errors
/// Fails if the file has another form by now.
pub fn tick(text: &str, (form, tag): (Form, Option<&str>), lines: &[Line]) -> Result<Ticking, Problem> {
    match form {
        Form::Planner | Form::Epic | Form::Beads => Ok(Ticking::default()),
        Form::Taskmaster => statuses::tick(text, tag, lines),
        Form::List | Form::Checklist | Form::SpecKit | Form::OpenSpec => Ok(boxes::tick(text, lines)),
    }
}

#[cfg(test)]
mod tests;
