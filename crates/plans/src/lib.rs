//! Plans: tasks with what they need, as people and other tools write them, and which of them may start. Pure: no file,
//! no clock, no process. Where plans are kept and who works on them is decided by the engine.
//!
//! * `words`: names of one line, and nothing that acts on a terminal
//! * `file_names`: names of files
//! * `problem`: what can be wrong with a plan
//! * `plan`: what a plan is
//! * `check`: refuses what cannot be done
//! * `gathered`: stops at too many tasks
//! * `domain`: finds the domain of a task
//! * `goal`: what is asked for a goal alone
//! * `forms`: reads every form
//! * `template`: how each task is done
//! * `names`: names workers
//! * `share`: cuts a plan into the work of workers
//! * `worth`: whether several workers are worthwhile
//! * `schedule`: which workers may start
//! * `share_record`: how far a worker is
//! * `note`: what the person has to know of a plan
//! * `result_folder`: the folder in which result files count
//! * `record`: a plan that is kept
//! * `notes`: keeps what the person has to know
//! * `across`: a plan over several projects
//! * `landing`: where its work landed
//! * `merging`: what is merged of its work, and in which order
//! * `steps`: what happens to its workers
//! * `extend`: adds tasks to it
//! * `rewire`: changes what a task needs
//! * `results`: what programs elsewhere say of its tasks
//! * `told`: whose issues are to be told
//! * `text`: what its workers and people read
//! * `tick`: writes progress back into its file
#![forbid(unsafe_code)]

mod across;
mod check;
mod domain;
mod extend;
mod file_names;
mod forms;
mod gathered;
mod goal;
mod landing;
mod merging;
mod names;
mod note;
mod notes;
#[cfg(test)]
mod orchestrate_tests;
mod plan;
mod problem;
mod record;
mod result_folder;
mod results;
mod rewire;
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
    Blocker, Issues, MOST_BYTES, Meant, Part, file_in, is_closed_bead, read_answer, read_beads, read_file,
    read_goal, read_issues, read_planner,
};
pub use goal::{Place, Question, planning_prompt};
pub use merging::{MergeChoices, MergeStep, Merging, WorkerFacts};
pub use note::{About, Note};
pub use plan::{Form, Plan, Stands, Task};
pub use problem::Problem;
pub use record::{BEADS, PlanRecord, PlanState, Source};
pub use result_folder::ResultFolder;
pub use results::{MOST_RESULT, Told, read_result, result_names};
pub use schedule::{Caps, Held, Schedule, ShareState, schedule};
pub use share::{Share, Split, shares};
pub use share_record::{Cost, Landing, MOST_STARTS, ShareRecord};
pub use template::{TemplateInfo, Templates};
pub use text::{Elsewhere, length, prompt, prompt_for, report};
pub use tick::{Due, Edit, Left, Line, Missing, Ticking, lines, tick};
pub use words::{domain as domain_name, one_line, plain_lines};
pub use worth::{Verdict, lopsided, worth};
