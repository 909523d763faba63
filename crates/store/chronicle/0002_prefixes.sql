-- The beginning of a word is found as fast as a whole one: while somebody types, the last word is one.
DROP TABLE search;

CREATE VIRTUAL TABLE search USING fts5 (
    text, content = 'texts', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

INSERT INTO search (search) VALUES ('rebuild');
