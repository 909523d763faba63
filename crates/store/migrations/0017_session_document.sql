-- One JSON document for each session (the model's `Session`), in place of a column for each of its parts. Columns stay
-- where other tables, or what is asked of many sessions, need them.
ALTER TABLE sessions ADD COLUMN doc TEXT NOT NULL DEFAULT '{}';

UPDATE sessions SET doc = json_object(
    'id', id,
    'name', name,
    'title', title,
    'projectId', project_id,
    'role', role,
    'depth', depth,
    'agent', agent,
    'model', model,
    'permissionMode', permission_mode,
    'conducts', json(iif(request ->> '$.conductor' = 1, 'true', 'false')),
    'oneShot', json(iif(request ->> '$.once' = 1, 'true', 'false')),
    'status', status,
    'observed', json(observed),
    'statusEvidence', json(status_evidence),
    'statusSince', status_since,
    'error', error,
    'workspace', workspace,
    'workspacePath', workspace_path,
    'branch', branch,
    'base', json(base),
    'port', port,
    'steps', json(steps),
    'createdAt', created_at,
    'lastActivityAt', last_activity_at,
    'exitCode', exit_code,
    'conversation', conversation,
    'token', token,
    'keeper', keeper,
    'copies', json(copies),
    'run', json_object(
        'wasShown', json(iif(setup ->> '$.shown' = 1, 'true', 'false')),
        'hadTurn', json(CASE setup ->> '$.turn' WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END),
        'said', json(CASE setup ->> '$.said' WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END),
        'made', json(coalesce(setup -> '$.made', 'null')),
        'commands', json(coalesce(setup -> '$.argv', 'null')),
        'failed', setup ->> '$.failed'
    ),
    'hasBackup', json(iif(has_backup, 'true', 'false')),
    'told', told,
    'intent', json(CASE
        WHEN intent IN ('stop', 'kill', 'resume') THEN json_object('what', intent)
        WHEN intent LIKE 'remove:%' THEN json_object(
            'what', 'remove',
            'deleteBranch', json(iif(substr(intent, 8) ->> '$[0]' = 1, 'true', 'false')),
            'forget', json(iif(substr(intent, 8) ->> '$[1]' = 1, 'true', 'false')),
            'force', json(iif(substr(intent, 8) ->> '$[2]' = 1, 'true', 'false')))
        -- "restore:", the backup's name, a colon and its commit; neither has a colon.
        WHEN intent LIKE 'restore:%' THEN json_object(
            'what', 'restore',
            'backup', json(CASE
                WHEN intent = 'restore:' THEN 'null'
                WHEN instr(substr(intent, 9), ':') > 0 THEN json_object(
                    'name', substr(intent, 9, instr(substr(intent, 9), ':') - 1),
                    'commit', substr(intent, 9 + instr(substr(intent, 9), ':')))
                ELSE json_object('name', substr(intent, 9), 'commit', NULL) END))
        ELSE 'null' END),
    'removed', json(removed),
    'result', json(result),
    'lineage', json(iif(json(lineage) = 'null', '{}', lineage)),
    'hold', json(iif(json(hold) = 'null', '{}', hold)),
    'archivedAt', archived_at,
    'lastPrompt', last_prompt,
    'beside', beside
);

ALTER TABLE sessions DROP COLUMN title;
ALTER TABLE sessions DROP COLUMN role;
ALTER TABLE sessions DROP COLUMN depth;
ALTER TABLE sessions DROP COLUMN agent;
ALTER TABLE sessions DROP COLUMN model;
ALTER TABLE sessions DROP COLUMN permission_mode;
ALTER TABLE sessions DROP COLUMN status;
ALTER TABLE sessions DROP COLUMN observed;
ALTER TABLE sessions DROP COLUMN status_evidence;
ALTER TABLE sessions DROP COLUMN status_since;
ALTER TABLE sessions DROP COLUMN error;
ALTER TABLE sessions DROP COLUMN workspace;
ALTER TABLE sessions DROP COLUMN workspace_path;
ALTER TABLE sessions DROP COLUMN branch;
ALTER TABLE sessions DROP COLUMN base;
ALTER TABLE sessions DROP COLUMN port;
ALTER TABLE sessions DROP COLUMN steps;
ALTER TABLE sessions DROP COLUMN created_at;
ALTER TABLE sessions DROP COLUMN last_activity_at;
ALTER TABLE sessions DROP COLUMN exit_code;
ALTER TABLE sessions DROP COLUMN conversation;
ALTER TABLE sessions DROP COLUMN token;
ALTER TABLE sessions DROP COLUMN keeper;
ALTER TABLE sessions DROP COLUMN copies;
ALTER TABLE sessions DROP COLUMN setup;
ALTER TABLE sessions DROP COLUMN has_backup;
ALTER TABLE sessions DROP COLUMN told;
ALTER TABLE sessions DROP COLUMN request;
ALTER TABLE sessions DROP COLUMN intent;
ALTER TABLE sessions DROP COLUMN removed;
ALTER TABLE sessions DROP COLUMN result;
ALTER TABLE sessions DROP COLUMN lineage;
ALTER TABLE sessions DROP COLUMN hold;
ALTER TABLE sessions DROP COLUMN archived_at;
ALTER TABLE sessions DROP COLUMN last_prompt;

ALTER TABLE sessions ADD COLUMN status TEXT GENERATED ALWAYS AS (doc ->> '$.status') VIRTUAL;
ALTER TABLE sessions ADD COLUMN intent TEXT GENERATED ALWAYS AS (doc ->> '$.intent') VIRTUAL;
ALTER TABLE sessions ADD COLUMN archived_at TEXT GENERATED ALWAYS AS (doc ->> '$.archivedAt') VIRTUAL;
