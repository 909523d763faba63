-- The session that was done last when all sessions of a project without a conductor were done; NULL while one of them is not.
ALTER TABLE projects ADD COLUMN completed_by TEXT;
