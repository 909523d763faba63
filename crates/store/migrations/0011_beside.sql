-- The session that an extra shell was opened beside; a shell goes with it.
ALTER TABLE sessions ADD COLUMN beside TEXT REFERENCES sessions (id) ON DELETE CASCADE;
