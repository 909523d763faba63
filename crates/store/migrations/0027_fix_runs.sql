-- Runs of `fix`: each one document. Their steps are effects.
CREATE TABLE fix_runs (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    doc        TEXT NOT NULL -- JSON: the model's `fix::Fix`
) STRICT;
CREATE INDEX fix_runs_by_project ON fix_runs (project_id);
