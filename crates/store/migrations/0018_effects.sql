-- What is to be carried out because of something that was written down, in the transaction of that. First what sessions
-- were ended for, which stood in their documents.
CREATE TABLE effects (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- order of what they follow from
    kind       TEXT NOT NULL,                     -- the model's `Work`
    subject    TEXT NOT NULL,                     -- session:ID, project:ID
    payload    TEXT NOT NULL,                     -- JSON: what the kind needs
    key        TEXT NOT NULL UNIQUE,              -- no two effects, also of those that are over, have the same
    state      TEXT NOT NULL,                     -- waiting, done, dropped
    attempts   INTEGER NOT NULL,                  -- tries that failed
    not_before TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE INDEX effects_waiting ON effects (id) WHERE state = 'waiting';

INSERT INTO effects (kind, subject, payload, key, state, attempts, not_before, created_at)
SELECT 'go_on', 'session:' || id, doc -> '$.lineage.then', 'go_on:' || id || ':0', 'waiting', 0,
       doc ->> '$.statusSince', doc ->> '$.statusSince'
FROM sessions WHERE doc ->> '$.lineage.then' IS NOT NULL ORDER BY place;

UPDATE sessions SET doc = json_remove(doc, '$.lineage.then');
