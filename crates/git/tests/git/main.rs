//! The one integration binary: real git in temporary directories, with a clean environment.
//! Each area has its file; `fixture` builds repositories by named scripts.

mod backups;
mod copies;
mod crashes;
mod fixture;
mod inspecting;
mod measure;
mod removal;
mod worktrees;
