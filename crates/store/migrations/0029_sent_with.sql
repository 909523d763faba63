-- The message whose text a given-back message was sent with again; NULL for all others.
ALTER TABLE messages ADD COLUMN sent_with INTEGER;
UPDATE messages SET sent_with = CAST(substr(detail, length('was sent again before message ') + 1) AS INTEGER)
    WHERE state = 'delivered' AND detail LIKE 'was sent again before message %';
