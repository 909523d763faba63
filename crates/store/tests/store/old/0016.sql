-- A database as Downbeat of schema 16 left it: sessions that ran, one with saved work, one paused, one put away, and
-- three with what was under way.
BEGIN TRANSACTION;
CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
INSERT INTO "_sqlx_migrations" VALUES(1,'beginning','2026-11-22 20:38:40',1,X'61DCFA5B3B436B3BA696C7AD1A45FC38886184E344C2E93CE20D303F5DA80D6A7931DC6241D85976DD3DECFB7D645672',15487288);
INSERT INTO "_sqlx_migrations" VALUES(2,'removed','2026-11-22 20:38:40',1,X'15CA5E0E6048C4480426C1FB56925E24F45C693C99F48100F432464E4758DB4DEE6BCEC9F830D27D028DF7DAFF937AC2',3901894);
INSERT INTO "_sqlx_migrations" VALUES(3,'messages','2026-11-22 20:38:40',1,X'633BFEE920B06F2BF942E4E2FE22E84E807C64E0470748788E943BBC77422F71BCF573DC1E7F53DF6AD8CE254F55DF47',2704539);
INSERT INTO "_sqlx_migrations" VALUES(5,'lineage','2026-11-22 20:38:40',1,X'1997D10B94CFA05109C05283A186BB92DD1188252A830CF8F8ADB07E46D1F02C520C40176DD640F8E10F2E287830CDBB',43903892);
INSERT INTO "_sqlx_migrations" VALUES(6,'events by session','2026-11-22 20:38:40',1,X'F07E851CA9253CDC28E753175C2D1E6A580349C3490FFFD97D2E856898DC2B6FF53CF3B46EA2E82134778FAE90589323',8188118);
INSERT INTO "_sqlx_migrations" VALUES(8,'result','2026-11-22 20:38:40',1,X'148E83964F3D61D5B98129A975E43CB67AA4CAA2F75C21059666DAA6E01F1C66370537156606E3EFF74BF461D4CD2C82',1100211);
INSERT INTO "_sqlx_migrations" VALUES(9,'conductors answer','2026-11-22 20:38:40',1,X'7106AA5DD504555ACF07B84440FECAA91A83A9FDDB6E28931CA73257C3A3D856BF4AD1F3E2DD505B5387C9CD5216C41C',744754);
INSERT INTO "_sqlx_migrations" VALUES(10,'hold','2026-11-22 20:38:40',1,X'C2BD7FD9E1F62DEBB8F73712CDB8863A23F4687AF86F0CFC2890FD55E2CAA451E55B66451EE169B095CF1B6E2AD9D7A5',780857);
INSERT INTO "_sqlx_migrations" VALUES(11,'beside','2026-11-22 20:38:40',1,X'F4820DFF8E388DFA09A067BA9F399EC72125CFA6309271FB1629BEC569AB0E49381BBE33E0774A15A65AE9A5523D1CC1',855529);
INSERT INTO "_sqlx_migrations" VALUES(13,'requests','2026-11-22 20:38:40',1,X'1341D2873B3426F1D374B7EF4E028D70C84F6681F1A0953C0CA443EE2B2D1D74D365FEA82A611FEA7DFCDBAD9C0AA12C',632577);
INSERT INTO "_sqlx_migrations" VALUES(14,'vouched','2026-11-22 20:38:40',1,X'B507A4098DE832FE3643B47EFD554CF6F5990FBCE4324034645B0B6D36FB8B951C4AB63C347A63A8C91E0B16BA708DE3',752135);
INSERT INTO "_sqlx_migrations" VALUES(15,'preferences','2026-11-22 20:38:40',1,X'68996F5FB171F98D280F54C42656DC9563424812A8218D974A858A6E9F80C6302C967E39513A6B23D48D839956E6A4BD',527422);
INSERT INTO "_sqlx_migrations" VALUES(16,'last prompt','2026-11-22 20:38:40',1,X'B300AF747477B67FA8B2CF56932697E2A048EC3C55FFF4C238938D74E01FF97D6CBB9254307125F2FFC5C01A924D7E28',866895);
CREATE TABLE events (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    at         TEXT NOT NULL,
    kind       TEXT NOT NULL,
    project_id TEXT,
    session_id TEXT,
    parent_id  TEXT,                      -- the session's parent when the event was appended
    payload    TEXT NOT NULL              -- JSON
) STRICT;
CREATE TABLE journal (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    keeper     TEXT NOT NULL,             -- one life of a keeper: its pid and start
    seq        INTEGER NOT NULL,
    PRIMARY KEY (session_id, keeper)
) STRICT, WITHOUT ROWID;
INSERT INTO "journal" VALUES('s8xqs6261s4p2','17267-1795379920935479',5);
INSERT INTO "journal" VALUES('sa2qb18drtgzk','17240-1795379920817090',5);
INSERT INTO "journal" VALUES('sn39hacfax0kc','17310-1795379921020646',5);
INSERT INTO "journal" VALUES('stce22fggakhc','17300-1795379921013041',5);
CREATE TABLE messages (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL,          -- order in the queue of its session
    text       TEXT NOT NULL,
    sender     TEXT NOT NULL,             -- person, downbeat, or a session's id
    mode       TEXT NOT NULL,             -- when-ready or now
    state      TEXT NOT NULL,
    is_task    INTEGER NOT NULL,          -- the first prompt of its session
    detail     TEXT NOT NULL,             -- why it waits, how we know what became of it
    created_at TEXT NOT NULL,
    changed_at TEXT NOT NULL
) STRICT;
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title      TEXT NOT NULL,
    text       TEXT NOT NULL,
    at         TEXT NOT NULL,
    read       INTEGER NOT NULL
) STRICT;
CREATE TABLE preferences (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE projects (
    place           INTEGER PRIMARY KEY, -- order of adding
    id              TEXT NOT NULL UNIQUE,
    name            TEXT NOT NULL UNIQUE,
    path            TEXT NOT NULL UNIQUE,
    default_branch  TEXT NOT NULL,
    trusted         INTEGER NOT NULL,
    permission_mode TEXT NOT NULL,
    approved_setup  TEXT,                -- hash of the set-up that the person approved
    created_at      TEXT NOT NULL
, conductors_answer INTEGER NOT NULL DEFAULT 0, vouched TEXT) STRICT;
INSERT INTO "projects" VALUES(1,'pcjwv8cqwqdx6','r','/srv/r','master',0,'ask','01fb579443abab2d97bff88dccb4123d1462be7d1c8074ae37837b4507ece155','2026-11-22T20:38:40.637210006Z',0,'b7bb22f5f7c78a11649a60e65ebefcdc79016949');
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
CREATE TABLE sessions (
    place            INTEGER PRIMARY KEY, -- order of asking
    id               TEXT NOT NULL UNIQUE,
    name             TEXT NOT NULL,
    title            TEXT NOT NULL,
    project_id       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    role             TEXT NOT NULL,
    parent           TEXT REFERENCES sessions (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    depth            INTEGER NOT NULL,
    agent            TEXT NOT NULL,
    model            TEXT,
    permission_mode  TEXT NOT NULL,
    task             TEXT NOT NULL,
    status           TEXT NOT NULL,
    observed         TEXT,                -- JSON
    status_evidence  TEXT NOT NULL,       -- JSON
    status_since     TEXT NOT NULL,
    error            TEXT,
    workspace        TEXT NOT NULL,
    workspace_path   TEXT,
    branch           TEXT,
    base             TEXT NOT NULL,       -- JSON
    port             INTEGER,
    steps            TEXT NOT NULL,       -- JSON
    created_at       TEXT NOT NULL,
    last_activity_at TEXT NOT NULL,
    exit_code        INTEGER,
    conversation     TEXT,
    token            TEXT NOT NULL,
    keeper           TEXT,
    copies           TEXT NOT NULL,       -- JSON
    setup            TEXT NOT NULL,       -- JSON
    has_backup       INTEGER NOT NULL,
    told             INTEGER NOT NULL,    -- newest worker event handed to this conductor
    request          TEXT NOT NULL,       -- JSON
    intent           TEXT, removed TEXT NOT NULL DEFAULT 'null', lineage TEXT NOT NULL DEFAULT 'null', archived_at TEXT, result TEXT NOT NULL DEFAULT 'null', hold TEXT NOT NULL DEFAULT 'null', beside TEXT REFERENCES sessions (id) ON DELETE CASCADE, last_prompt TEXT,                -- what was asked for and is under way
    UNIQUE (project_id, name)
) STRICT;
INSERT INTO "sessions" VALUES(1,'sa2qb18drtgzk','one','one','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','exited','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.535210627Z"},"since":"2026-11-22T20:38:41.535210627Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.535210627Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"stopped on request","at":"2026-11-22T20:39:32.040567104Z"}','2026-11-22T20:39:32.040567104Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/one','feature/one','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3100,'[{"detail":"master at b7bb22f5","milliseconds":30,"name":"checkout","startedAt":"2026-11-22T20:38:40.736458449Z","state":"done"},{"detail":"nothing to copy","milliseconds":36,"name":"copy","startedAt":"2026-11-22T20:38:40.768056759Z","state":"skipped"},{"detail":"true","milliseconds":42,"name":"setup","startedAt":"2026-11-22T20:38:40.834917412Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:40.877038611Z","state":"done"}]','2026-11-22T20:38:40.73148732Z','2026-11-22T20:39:32.040567104Z',NULL,NULL,'token-9197bf','17240-1795379920817090','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',0,0,'{"agent":"shell","base":null,"branch":null,"conductor":null,"model":null,"name":null,"once":null,"parent":null,"permissionMode":null,"projectId":"r","prompt":null,"title":"one","workspace":null}',NULL,'null','null',NULL,'null','null',NULL,NULL);
INSERT INTO "sessions" VALUES(2,'s8xqs6261s4p2','two','two','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','killed','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.683298544Z"},"since":"2026-11-22T20:38:41.683298544Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.683298544Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"killed on request","at":"2026-11-22T20:39:03.862659236Z"}','2026-11-22T20:39:03.862659236Z',NULL,'worktree',NULL,'feature/two','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3101,'[{"detail":"master at b7bb22f5","milliseconds":61,"name":"checkout","startedAt":"2026-11-22T20:38:40.783790453Z","state":"done"},{"detail":"nothing to copy","milliseconds":43,"name":"copy","startedAt":"2026-11-22T20:38:40.849613968Z","state":"skipped"},{"detail":"true","milliseconds":21,"name":"setup","startedAt":"2026-11-22T20:38:41.001209479Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:41.022004324Z","state":"done"}]','2026-11-22T20:38:40.781085343Z','2026-11-22T20:39:03.862659236Z',NULL,NULL,'token-f03a49','17267-1795379920935479','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',1,0,'{"agent":"shell","base":null,"branch":null,"conductor":null,"model":null,"name":null,"once":null,"parent":null,"permissionMode":null,"projectId":"r","prompt":null,"title":"two","workspace":null}',NULL,'{"backup":"refs/downbeat/backup/s8xqs6261s4p2/1","backupCommit":"1f8d62f1cefac1ce322b5eabd294920d7947ac33","branch":"feature/two","clean":false,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","path":"/srv/h/worktrees/pcjwv8cqwqdx6/two"}','null',NULL,'null','null',NULL,NULL);
INSERT INTO "sessions" VALUES(3,'stce22fggakhc','three','three','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','exited','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.737438735Z"},"since":"2026-11-22T20:38:41.737438735Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.737438735Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"stopped on request","at":"2026-11-22T20:39:32.04287171Z"}','2026-11-22T20:39:32.04287171Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/three','feature/three','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3102,'[{"detail":"master at b7bb22f5","milliseconds":65,"name":"checkout","startedAt":"2026-11-22T20:38:40.880849761Z","state":"done"},{"detail":"nothing to copy","milliseconds":14,"name":"copy","startedAt":"2026-11-22T20:38:40.963138363Z","state":"skipped"},{"detail":"true","milliseconds":19,"name":"setup","startedAt":"2026-11-22T20:38:41.026268906Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:41.04552455Z","state":"done"}]','2026-11-22T20:38:40.852899088Z','2026-11-22T20:39:32.04287171Z',NULL,NULL,'token-511fe6','17300-1795379921013041','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',0,0,'{"agent":"shell","base":null,"branch":null,"conductor":null,"model":null,"name":null,"once":null,"parent":null,"permissionMode":null,"projectId":"r","prompt":null,"title":"three","workspace":null}',NULL,'null','null',NULL,'null','{"goOn":null,"past":[],"pause":{"at":"2026-11-22T20:39:04.345677579Z","budget":null,"interrupts":false,"why":"paused by you"},"warned":[]}',NULL,NULL);
INSERT INTO "sessions" VALUES(4,'sn39hacfax0kc','four','four','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','killed','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.748005859Z"},"since":"2026-11-22T20:38:41.748005859Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.748005859Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"killed on request","at":"2026-11-22T20:39:04.381582003Z"}','2026-11-22T20:39:04.381582003Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/four','feature/four','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3103,'[{"detail":"master at b7bb22f5","milliseconds":32,"name":"checkout","startedAt":"2026-11-22T20:38:40.94344494Z","state":"done"},{"detail":"nothing to copy","milliseconds":24,"name":"copy","startedAt":"2026-11-22T20:38:40.978882391Z","state":"skipped"},{"detail":"true","milliseconds":37,"name":"setup","startedAt":"2026-11-22T20:38:41.035525668Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:41.073004786Z","state":"done"}]','2026-11-22T20:38:40.937438727Z','2026-11-22T20:39:04.381582003Z',NULL,NULL,'token-bc1e9d','17310-1795379921020646','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',0,0,'{"agent":"shell","base":null,"branch":null,"conductor":null,"model":null,"name":null,"once":null,"parent":null,"permissionMode":null,"projectId":"r","prompt":null,"title":"four","workspace":null}',NULL,'null','null','2026-11-22T20:39:04.431550715Z','null','null',NULL,NULL);
INSERT INTO "sessions" VALUES(5,'s000000000005','five','five','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','killed','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.535210627Z"},"since":"2026-11-22T20:38:41.535210627Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.535210627Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"stopped on request","at":"2026-11-22T20:39:32.040567104Z"}','2026-11-22T20:39:32.040567104Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/one','feature/one','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3100,'[{"detail":"master at b7bb22f5","milliseconds":30,"name":"checkout","startedAt":"2026-11-22T20:38:40.736458449Z","state":"done"},{"detail":"nothing to copy","milliseconds":36,"name":"copy","startedAt":"2026-11-22T20:38:40.768056759Z","state":"skipped"},{"detail":"true","milliseconds":42,"name":"setup","startedAt":"2026-11-22T20:38:40.834917412Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:40.877038611Z","state":"done"}]','2026-11-22T20:38:40.73148732Z','2026-11-22T20:39:32.040567104Z',NULL,NULL,'tfive','17240-1795379920817090','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',0,0,'{"agent":"shell","base":null,"branch":null,"conductor":null,"model":null,"name":null,"once":null,"parent":null,"permissionMode":null,"projectId":"r","prompt":null,"title":"one","workspace":null}','restore:refs/downbeat/backup/s000000000005/1:1f8d62f1cefac1ce322b5eabd294920d7947ac33','null','{"forked": {"id": "sa2qb18drtgzk", "name": "one", "conversation": null, "backup": null}, "earlier": [{"agent": "codex", "model": null, "conversation": "c1", "until": "2026-11-22T20:00:00Z"}], "first": "go on", "then": {"what": "resume", "model": "opus", "permission": "ask"}, "forgotten": ["s000000000009"], "by_agent": false, "byAgent": true}',NULL,'null','null',NULL,NULL);
INSERT INTO "sessions" VALUES(6,'s000000000006','six','six','pcjwv8cqwqdx6','worker','sa2qb18drtgzk',1,'shell',NULL,'ask','Do six','exited',NULL,'{"source":"engine","detail":"stopped on request","at":"2026-11-22T20:39:32.040567104Z"}','2026-11-22T20:39:32.040567104Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/one','feature/one','null',3100,'[{"detail":"master at b7bb22f5","milliseconds":30,"name":"checkout","startedAt":"2026-11-22T20:38:40.736458449Z","state":"done"},{"detail":"nothing to copy","milliseconds":36,"name":"copy","startedAt":"2026-11-22T20:38:40.768056759Z","state":"skipped"},{"detail":"true","milliseconds":42,"name":"setup","startedAt":"2026-11-22T20:38:40.834917412Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:40.877038611Z","state":"done"}]','2026-11-22T20:38:40.73148732Z','2026-11-22T20:39:32.040567104Z',0,NULL,'tsix','17240-1795379920817090','null','null',0,7,'{"agent": "shell", "base": null, "branch": null, "conductor": true, "model": null, "name": null, "once": true, "parent": null, "permissionMode": null, "projectId": "r", "prompt": null, "title": "one", "workspace": null}','remove:[true,false,true]','null','null',NULL,'{"status": "done", "summary": "it works", "files": ["a"], "at": "2026-11-22T20:00:00Z", "fresh": true}','null',NULL,NULL);
INSERT INTO "sessions" VALUES(7,'s000000000007','one/shell-1','Shell 1','pcjwv8cqwqdx6','session',NULL,0,'shell',NULL,'ask','','killed','{"activity":"idle","evidence":{"source":"process","detail":"at its prompt (foreground process group)","at":"2026-11-22T20:38:41.535210627Z"},"since":"2026-11-22T20:38:41.535210627Z","open":[],"left":null,"hasHooks":false,"tasks":{"list":[],"topic":null},"subAgents":{"working":[],"turnOver":true},"ownAt":"2026-11-22T20:38:41.535210627Z","stuck":null,"limit":null,"refusals":0,"tools":null,"blocked":null,"retry":null,"answer":null,"program":null}','{"source":"engine","detail":"stopped on request","at":"2026-11-22T20:39:32.040567104Z"}','2026-11-22T20:39:32.040567104Z',NULL,'worktree','/srv/h/worktrees/pcjwv8cqwqdx6/one','feature/one','{"behind":0,"commit":"b7bb22f5f7c78a11649a60e65ebefcdc79016949","name":"master"}',3100,'[{"detail":"master at b7bb22f5","milliseconds":30,"name":"checkout","startedAt":"2026-11-22T20:38:40.736458449Z","state":"done"},{"detail":"nothing to copy","milliseconds":36,"name":"copy","startedAt":"2026-11-22T20:38:40.768056759Z","state":"skipped"},{"detail":"true","milliseconds":42,"name":"setup","startedAt":"2026-11-22T20:38:40.834917412Z","state":"done"},{"detail":"","milliseconds":0,"name":"start","startedAt":"2026-11-22T20:38:40.877038611Z","state":"done"}]','2026-11-22T20:38:40.73148732Z','2026-11-22T20:39:32.040567104Z',NULL,NULL,'tone/shell-1','17240-1795379920817090','{"directories":[],"files":{},"links":[],"trees":[]}','{"argv":[["true"]],"commands":1,"made":{"directories":[],"files":{},"links":[],"trees":[]},"said":false,"shown":true,"turn":true}',0,0,'null','stop','null','null',NULL,'null','null','sa2qb18drtgzk',NULL);
CREATE INDEX sessions_by_parent ON sessions (parent);
CREATE INDEX events_by_parent ON events (parent_id, seq) WHERE parent_id IS NOT NULL;
CREATE INDEX notices_by_session ON notices (session_id);
CREATE INDEX notices_by_project ON notices (project_id);
CREATE INDEX messages_by_session ON messages (session_id, place);
CREATE INDEX events_by_session ON events (session_id, seq) WHERE session_id IS NOT NULL;
CREATE INDEX requests_by_age ON requests (at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('messages',0);
INSERT INTO "sqlite_sequence" VALUES('events',76);
INSERT INTO "sqlite_sequence" VALUES('requests',21);
COMMIT;
