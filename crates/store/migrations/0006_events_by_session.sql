-- The last facts of one session, for the explanation of its status.
CREATE INDEX events_by_session ON events (session_id, seq) WHERE session_id IS NOT NULL;
