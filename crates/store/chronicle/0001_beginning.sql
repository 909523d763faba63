-- What was read from agents' transcripts. All of it but `usage` can be read again.
-- Times are RFC 3339 text in UTC; days are the person's own, `2026-11-21`.

CREATE TABLE transcripts (
    id         INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL,
    path       TEXT NOT NULL,
    sub_agent  INTEGER NOT NULL,
    place      TEXT NOT NULL,             -- JSON: how far it was read
    UNIQUE (session_id, path)
) STRICT;

-- The last answer of each session's agent.
CREATE TABLE answers (
    session_id TEXT PRIMARY KEY,
    message    TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         TEXT
) STRICT, WITHOUT ROWID;

-- One row for each answer of a model, once in all, however many transcripts repeat it.
CREATE TABLE usage (
    key        TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    day        TEXT NOT NULL,
    model      TEXT NOT NULL,
    input      INTEGER NOT NULL,
    cached     INTEGER NOT NULL,
    written    INTEGER NOT NULL,
    output     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_session ON usage (session_id);
CREATE INDEX usage_by_day ON usage (day);

-- What can be found: messages, answers, calls, screens.
CREATE TABLE texts (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    project_id TEXT NOT NULL,
    transcript INTEGER REFERENCES transcripts (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    at         TEXT,
    text       TEXT NOT NULL
) STRICT;

CREATE INDEX texts_by_session ON texts (session_id, kind);
CREATE INDEX texts_by_transcript ON texts (transcript) WHERE transcript IS NOT NULL;

CREATE VIRTUAL TABLE search USING fts5 (
    text, content = 'texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

CREATE TRIGGER texts_added AFTER INSERT ON texts BEGIN
    INSERT INTO search (rowid, text) VALUES (new.id, new.text);
END;

CREATE TRIGGER texts_removed AFTER DELETE ON texts BEGIN
    INSERT INTO search (search, rowid, text) VALUES ('delete', old.id, old.text);
END;
