-- An archived session with an open pull request is followed until that is merged or closed, so it is not at rest. A generated
-- column can only be replaced, with the indexes that name it. No text of a pull request can contain the searched words: its quotes
-- are escaped in the document.
DROP INDEX sessions_in_use;
DROP INDEX sessions_at_rest_by_name;
DROP INDEX sessions_at_rest_by_parent;
DROP INDEX sessions_at_rest_with_place;
DROP INDEX sessions_at_rest_warned;
ALTER TABLE sessions DROP COLUMN at_rest;
ALTER TABLE sessions ADD COLUMN at_rest INTEGER GENERATED ALWAYS AS (
    doc ->> '$.archivedAt' IS NOT NULL
    AND doc ->> '$.status' IN ('exited', 'killed', 'errored')
    AND doc ->> '$.intent' IS NULL
    AND doc ->> '$.hold.pause.budget' IS NULL
    AND instr(coalesce(doc ->> '$.pulls', ''), '"state":"open"') = 0
    AND beside IS NULL
) VIRTUAL;

-- Few: all of them are read at each start.
CREATE INDEX sessions_in_use ON sessions (place) WHERE NOT at_rest;

-- Of those at rest: by name, by parent, their worktrees that are left, and what the person was warned of.
CREATE INDEX sessions_at_rest_by_name ON sessions (name) WHERE at_rest;
CREATE INDEX sessions_at_rest_by_parent ON sessions (parent) WHERE at_rest AND parent IS NOT NULL;
CREATE INDEX sessions_at_rest_with_place ON sessions (project_id, doc ->> '$.workspacePath', doc ->> '$.branch')
    WHERE at_rest AND doc ->> '$.workspacePath' IS NOT NULL;
CREATE INDEX sessions_at_rest_warned ON sessions (id)
    WHERE at_rest AND json_array_length(doc, '$.hold.warned') > 0;
