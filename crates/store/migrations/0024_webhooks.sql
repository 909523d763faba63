-- What makes webhooks of forges recognised when they come again. Neither their content nor any secret is stored.
CREATE TABLE webhooks (
    id    INTEGER PRIMARY KEY AUTOINCREMENT, -- order of arrival
    host  TEXT NOT NULL,                     -- the forge
    mark  TEXT NOT NULL,                     -- the forge's id for it, or the digest of its body
    event TEXT NOT NULL,
    at    TEXT NOT NULL,
    UNIQUE (host, mark)
) STRICT;
