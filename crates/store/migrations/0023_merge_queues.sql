-- The merge queues: what waits to land on a branch of a project, in one document. Their steps are effects.
CREATE TABLE merge_queues (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    target     TEXT NOT NULL, -- the branch
    doc        TEXT NOT NULL, -- JSON: the model's `queue::Kept`
    PRIMARY KEY (project_id, target)
) STRICT;
