-- What each event is about, as a word (the model's `Subject`: session:ID, project:ID, pull:FORGE/ID, branch:PROJECT/NAME,
-- plan:ID, engine), in place of a session's id. Each row has one; an event about nothing in particular is about the engine.
DROP INDEX events_by_session;
ALTER TABLE events RENAME COLUMN session_id TO subject;
UPDATE events SET subject = coalesce('session:' || subject, 'project:' || project_id, 'engine');

CREATE INDEX events_by_subject ON events (subject, seq);
-- Old facts about other subjects than sessions go with their project.
CREATE INDEX events_by_project ON events (project_id, seq) WHERE kind = 'fact';
