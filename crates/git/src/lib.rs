//! Repositories, worktrees, set-up copies, backups.
