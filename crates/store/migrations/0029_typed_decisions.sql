-- The message whose text a given-back message was sent with again; NULL for all others.
ALTER TABLE messages ADD COLUMN sent_with INTEGER;
UPDATE messages SET sent_with = CAST(substr(detail, length('was sent again before message ') + 1) AS INTEGER)
    WHERE state = 'delivered' AND detail LIKE 'was sent again before message %';
-- A step of set-up that waits for the approval of its commit says so by a field, no more by its words.
UPDATE sessions SET doc = json_set(doc, '$.steps[2].waitsFor', 'commit')
    WHERE doc ->> '$.steps[2].name' = 'setup' AND doc ->> '$.steps[2].detail' = 'waits for your approval of its commit';
-- So does a question that a worker asked with a tool.
UPDATE sessions SET doc = json_set(doc, '$.statusEvidence.source', 'tool')
    WHERE doc ->> '$.statusEvidence.detail' = 'ask_conductor tool';
