-- The prompt that a session's agent took last, as its hook told: the beginning by which it is known
-- again. NULL where none was told.
ALTER TABLE sessions ADD COLUMN last_prompt TEXT;
