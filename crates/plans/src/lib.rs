//! Plans: tasks with what they need, as people and other tools write them, and which of them may start. Pure: no file,
//! no clock, no process. Where plans are kept and who works on them is decided by the engine.
//!
//! Map: `plan` is what a plan is, `problem` what can be wrong with one, `domain` finds the domain of a text, `forms`
//! reads every form, `goal` is what is asked for a goal alone, `check` refuses what cannot be done, `gathered` stops at too many tasks, `words` are names of one line, `file_names` those of files, `share` cuts a plan into the work of workers, `names` names them, `schedule`
//! says which may start, `record` is a plan that is kept, `note` and `notes` what the person has to know of it, `across` how it is worked on in several projects, `share_record` one of its shares, `steps` what happens to it, `result_folder` and `results` what programs elsewhere say of its tasks, `told` whose issues are to be told, `extend` adds tasks to it, `text` what is said of it, `template` says how each task is done, `tick` writes progress back into a plan's file, `worth` says whether a plan is worthwhile.
#![forbid(unsafe_code)]

mod across;
mod check;
mod domain;
mod extend;
mod file_names;
mod forms;
mod gathered;
mod goal;
mod names;
mod note;
mod notes;
mod plan;
mod problem;
mod record;
mod result_folder;
mod results;
mod schedule;
mod share;
mod share_record;
mod steps;
mod template;
mod text;
mod tick;
mod told;
#[cfg(test)]
mod week_tests;
mod words;
mod worth;

pub use check::{MOST_NEEDS, MOST_TASKS, check};
pub use domain::{Domains, GENERAL};
pub use extend::More;
pub use file_names::file_names;
pub use forms::{
    Blocker, Issues, MOST_BYTES, Meant, Part, is_closed_bead, read_answer, read_beads, read_file, read_goal,
    read_issues, read_planner,
};
pub use goal::{Place, Question, planning_prompt};
pub use note::{About, Note};
pub use plan::{Form, Plan, Stands, Task};
pub use problem::Problem;
pub use record::{BEADS, PlanRecord, PlanState, Source};
pub use result_folder::ResultFolder;
pub use results::{MOST_RESULT, Told, read_result, result_names};
pub use schedule::{Caps, Held, Schedule, ShareState, schedule};
pub use share::{Share, Split, shares};
pub use share_record::{Cost, MOST_STARTS, ShareRecord};
pub use template::{TemplateInfo, Templates};
pub use text::{Elsewhere, prompt, prompt_for, report};
pub use tick::{Due, Edit, Left, Line, Missing, Ticking, lines, tick};
pub use words::{one_line, plain_lines};
pub use worth::{Verdict, lopsided, worth};
