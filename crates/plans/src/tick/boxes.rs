//! Ticks the boxes of a Markdown file: in each, one byte changes.

use super::index::{Found, Index};
use super::lines::Line;
use super::ticking::{Edit, Ticking};
use crate::forms::{box_of, is_box, marks_of, own_id};

/// Says which boxes are ticked for lines of a plan.
pub(super) fn tick(text: &str, lines: &[Line]) -> Ticking {
    let (signs, all) = boxes(text);
    let mut index = Index::of(all);
    let mut ticking = Ticking::default();
    for (at, line) in lines.iter().enumerate() {
        match index.take(line) {
            Ok((place, true)) => {
                let sign = signs.get(place).copied().unwrap_or_default();
                ticking.edits.push(Edit {
                    at: sign..sign + 1,
                    text: "x",
                });
            }
            Ok((_, false)) => {}
            Err(why) => ticking.missing.push((at, why)),
        }
    }
    ticking.edits.sort_by_key(|edit| edit.at.start);
    ticking
}

/// Returns all boxes that stand outside of code, and where their signs are.
fn boxes(text: &str) -> (Vec<usize>, Vec<Found>) {
    let (mut signs, mut all) = (Vec::new(), Vec::new());
    let (mut start, mut in_code, mut above) = (0, false, Above::default());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\r', '\n']);
        let is_box = is_box(bare, &mut in_code);
        let is_task = above.begins_task(bare, is_box, in_code);
        if let Some(own) = box_of(bare).filter(|_| is_box) {
            let (whole, _) = marks_of(own.text);
            let (mut ids, mut titles) = (vec![whole.id], vec![whole.title]);
            // Which form the file has, and so whether it has such ids, may have changed.
            if let Some((_, id, rest)) = own_id(own.text) {
                ids.push(id.to_owned());
                titles.push(marks_of(rest).0.title);
            }
            ids.retain(|id| !id.is_empty());
            signs.push(start + own.sign);
            all.push(Found {
                ids,
                titles,
                is_task,
                is_open: !own.ticked,
            });
        }
        start += line.len();
    }
    (signs, all)
}

/// The last task above a line. What is indented below it is its text, also a box: the form reads it so.
#[derive(Default)]
struct Above {
    indent: usize,
    is_open: bool,
}

impl Above {
    /// Reads a line, and returns whether it is the first one of a task.
    fn begins_task(&mut self, line: &str, is_box: bool, in_code: bool) -> bool {
        if line.starts_with('#') && !in_code {
            self.is_open = false;
            return false;
        }
        let indent = line.len() - line.trim_start().len();
        let is_below = self.is_open && indent > self.indent;
        let begins = is_box && !is_below;
        if begins {
            (self.indent, self.is_open) = (indent, true);
        } else {
            self.is_open &= is_below || line.trim().is_empty();
        }
        begins
    }
}
