//! What is carried out, each so that it can be done again after a crash. Decides nothing. In order:
//!
//! * `fleet`: what goes to conductors and their folders
//! * `process`: processes of sessions: started, ended, cleared away
//! * `worktree`: worktrees: planned, made, set up, removed, brought back
//! * `terminal`: what is typed into terminals: messages, answers, keys
//! * `session`: whole sessions: started, resumed, paused, restarted, forked, archived, ended

pub mod fleet;
pub mod process;
pub mod session;
pub mod terminal;
pub mod worktree;
