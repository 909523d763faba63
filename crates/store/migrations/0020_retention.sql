-- Up to which event the old ones were thinned out.
CREATE TABLE retention (through INTEGER NOT NULL) STRICT;
INSERT INTO retention (through) VALUES (0);
