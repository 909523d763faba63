-- Notices have a priority, and one that a script raised need not be about a session.
CREATE TABLE notices_new (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    priority   TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         TEXT NOT NULL,
    read       INTEGER NOT NULL
) STRICT;

INSERT INTO notices_new (id, kind, priority, session_id, project_id, title, text, at, read)
SELECT id, kind,
    CASE kind WHEN 'needsInput' THEN 'urgent' WHEN 'failed' THEN 'action' WHEN 'exited' THEN 'action'
        WHEN 'needsLook' THEN 'warning' ELSE 'info' END,
    session_id, project_id, title, text, at, read
FROM notices;

-- Numbers are never used twice, not even those of notices that were deleted.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'notices')
WHERE name = 'notices_new' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notices');
INSERT INTO sqlite_sequence (name, seq)
SELECT 'notices_new', seq FROM sqlite_sequence WHERE name = 'notices'
    AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notices_new');

DROP TABLE notices;
ALTER TABLE notices_new RENAME TO notices;
CREATE INDEX notices_by_session ON notices (session_id);
CREATE INDEX notices_by_project ON notices (project_id);
