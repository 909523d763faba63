-- The last texts of a session are read in their order.
CREATE INDEX texts_in_order ON texts (session_id, id);
