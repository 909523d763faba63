-- Projects, sessions, events, notices, and which journal entries were stored.
-- Times are RFC 3339 text in UTC; words are those of the model crate; JSON is text.

CREATE TABLE projects (
    place           INTEGER PRIMARY KEY, -- order of adding
    id              TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL UNIQUE,
    path            TEXT NOT NULL UNIQUE,
    default_branch  TEXT NOT NULL,
    trusted         INTEGER NOT NULL,
    permission_mode TEXT NOT NULL,
    approved_setup  TEXT,                -- hash of the set-up that the person approved
    created_at      TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
    place            INTEGER PRIMARY KEY, -- order of asking
    id               TEXT NOT NULL UNIQUE,
    name             TEXT NOT NULL,
    title            TEXT NOT NULL,
    project_id       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    role             TEXT NOT NULL,
    parent           TEXT REFERENCES sessions (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    depth            INTEGER NOT NULL,
    agent            TEXT NOT NULL,
    model            TEXT,
    permission_mode  TEXT NOT NULL,
    task             TEXT NOT NULL,
    status           TEXT NOT NULL,
    observed         TEXT,                -- JSON
    status_evidence  TEXT NOT NULL,       -- JSON
    status_since     TEXT NOT NULL,
    error            TEXT,
    workspace        TEXT NOT NULL,
    workspace_path   TEXT,
    branch           TEXT,
    base             TEXT NOT NULL,       -- JSON
    port             INTEGER,
    steps            TEXT NOT NULL,       -- JSON
    created_at       TEXT NOT NULL,
    last_activity_at TEXT NOT NULL,
    exit_code        INTEGER,
    conversation     TEXT,
    token            TEXT NOT NULL,
    keeper           TEXT,
    copies           TEXT NOT NULL,       -- JSON
    setup            TEXT NOT NULL,       -- JSON
    has_backup       INTEGER NOT NULL,
    told             INTEGER NOT NULL,    -- newest worker event handed to this conductor
    request          TEXT NOT NULL,       -- JSON
    intent           TEXT,                -- what was asked for and is under way
    UNIQUE (project_id, name)
) STRICT;

CREATE INDEX sessions_by_parent ON sessions (parent);

-- Appended once, never changed. No foreign keys: an event outlives what it is about.
-- AUTOINCREMENT takes its number inside the transaction, so a rollback leaves no gap.
CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    project_id TEXT,
    session_id TEXT,
    parent_id  TEXT,                      -- the session's parent when the event was appended
    payload    TEXT NOT NULL              -- JSON
) STRICT;

CREATE INDEX events_by_parent ON events (parent_id, seq) WHERE parent_id IS NOT NULL;

CREATE TABLE notices (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         TEXT NOT NULL,
    read       INTEGER NOT NULL
) STRICT;

CREATE INDEX notices_by_session ON notices (session_id);
CREATE INDEX notices_by_project ON notices (project_id);

-- The newest journal entry stored of each keeper. Keepers hand entries over in order, so all
-- before it are stored too, and one row per keeper is enough.
CREATE TABLE journal (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    keeper     TEXT NOT NULL,             -- one life of a keeper: its pid and start
    seq        INTEGER NOT NULL,
    PRIMARY KEY (session_id, keeper)
) STRICT, WITHOUT ROWID;
