-- Messages to sessions: the queue, and what became of those that left it.
-- AUTOINCREMENT: the number of a message that was deleted is never given to another one.
CREATE TABLE messages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,          -- order in the queue of its session
    text       TEXT NOT NULL,
    sender     TEXT NOT NULL,             -- person, downbeat, or a session's id
    mode       TEXT NOT NULL,             -- when-ready or now
    state      TEXT NOT NULL,
    is_task    INTEGER NOT NULL,          -- the first prompt of its session
    detail     TEXT NOT NULL,             -- why it waits, how we know what became of it
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) STRICT;

CREATE INDEX messages_by_session ON messages (session_id, place);

-- First prompts that were still to be typed, or on their way, were kept in the session's set-up.
INSERT INTO messages (session_id, place, text, sender, mode, state, is_task, detail, created_at, changed_at)
SELECT id, 0, coalesce(json_extract(setup, '$.paste'), task), 'person', 'when-ready',
       CASE WHEN json_extract(setup, '$.typing') THEN 'typing' ELSE 'queued' END, 1, '', created_at, created_at
FROM sessions
WHERE json_type(setup, '$.paste') = 'text' OR json_extract(setup, '$.typing') = 1;
