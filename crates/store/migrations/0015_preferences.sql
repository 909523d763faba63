-- What a page of the interface keeps for its next start. It alone knows what the values mean.
CREATE TABLE preferences (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
