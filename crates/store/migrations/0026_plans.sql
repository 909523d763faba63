-- The plans: tasks with what they need, and how far each is, in one document. Their workers are sessions.
CREATE TABLE plans (
    id         TEXT NOT NULL PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    doc        TEXT NOT NULL -- JSON: `PlanRecord` of the crate `plans`
) STRICT;
