-- What a session's worktree was when it was removed, so that it can be made again: where it stood,
-- its branch, its commit, and the work that was saved.
ALTER TABLE sessions ADD COLUMN removed TEXT NOT NULL DEFAULT 'null'; -- JSON
