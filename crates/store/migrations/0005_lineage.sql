-- Where a session's conversation comes from and what is to become of it (a fork, earlier agents, a
-- restart under way), and since when it is put away.
ALTER TABLE sessions ADD COLUMN lineage TEXT NOT NULL DEFAULT 'null'; -- JSON
ALTER TABLE sessions ADD COLUMN archived_at TEXT;
