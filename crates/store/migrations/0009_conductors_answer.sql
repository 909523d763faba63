-- Whether a project's conductors may answer the questions of their workers.
ALTER TABLE projects ADD COLUMN conductors_answer INTEGER NOT NULL DEFAULT 0;
