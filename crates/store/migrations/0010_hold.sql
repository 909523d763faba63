-- What a person said of going on after a usage limit, and why a session is held back.
ALTER TABLE sessions ADD COLUMN hold TEXT NOT NULL DEFAULT 'null'; -- JSON
