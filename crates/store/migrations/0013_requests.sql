-- What was done under idempotency keys: a repeat of the request, also to the next engine, gets the
-- answer of the first. `effect` is written in the transaction of what was done.
CREATE TABLE requests (
    id        INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    caller    TEXT NOT NULL,             -- owner, or a session's id
    key       TEXT NOT NULL,
    operation TEXT NOT NULL,
    request   TEXT NOT NULL,             -- hash of its arguments
    effect    TEXT NOT NULL,             -- JSON: what it made
    answer    TEXT,                      -- JSON; NULL where the engine ended before it answered
    at        TEXT NOT NULL,
    UNIQUE (caller, key)
) STRICT;

CREATE INDEX requests_by_age ON requests (at);
