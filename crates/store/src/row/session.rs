//! Sessions: everything that is kept of one between engines.

use crate::Error;
use crate::codec::{Columns, json, word};
use downbeat_model::{Evidence, Observed, PermissionMode, ProjectId, Role, SessionId, Status, Workspace};
use jiff::Timestamp;
use serde_json::Value;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its identifier. Fixed.
    pub id: SessionId,
    /// Its readable name, unique in its project.
    pub name: String,
    /// What people see.
    pub title: String,
    /// Its project. Fixed.
    pub project_id: ProjectId,
    /// Conductor, worker or neither.
    pub role: Role,
    /// The session that spawned it. Fixed; becomes `None` when that one is deleted.
    pub parent: Option<SessionId>,
    /// Levels above it. Fixed.
    pub depth: u32,
    /// The agent's id.
    pub agent: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// How freely the agent may act.
    pub permission_mode: PermissionMode,
    /// What it was asked to do; empty for none.
    pub task: String,
    /// The one word.
    pub status: Status,
    /// What is known of it while it lives.
    pub observed: Option<Observed>,
    /// Why the status is what it is.
    pub status_evidence: Evidence,
    /// Since when.
    pub status_since: Timestamp,
    /// What went wrong.
    pub error: Option<String>,
    /// Where it runs.
    pub workspace: Workspace,
    /// The directory, while it is there.
    pub workspace_path: Option<String>,
    /// Its branch.
    pub branch: Option<String>,
    /// What the branch started from: the wire's `Base`; `null` for nothing.
    pub base: Value,
    /// The dev-server port reserved for it.
    pub port: Option<u16>,
    /// The steps of its spawn: the wire's `Step`s.
    pub steps: Value,
    /// When it was asked for. Fixed.
    pub created_at: Timestamp,
    /// When it last did anything.
    pub last_activity_at: Timestamp,
    /// How its process ended.
    pub exit_code: Option<i32>,
    /// The agent's own id of the conversation.
    pub conversation: Option<String>,
    /// The token that its tools call with.
    pub token: String,
    /// The life of the keeper that holds it now.
    pub keeper: Option<String>,
    /// What was copied into its worktree, with hashes.
    pub copies: Value,
    /// The set-up commands it got.
    pub setup: Value,
    /// Whether saved work waits to be restored.
    pub has_backup: bool,
    /// The newest worker event that was handed to it.
    pub told: i64,
    /// The request that asked for it.
    pub request: Value,
    /// What someone asked for that is still under way, so that the next engine finishes it.
    pub intent: Option<String>,
    /// What its worktree was when it was removed; `null` where none was.
    pub removed: Value,
    /// What it said came of its task; `null` for nothing yet.
    pub result: Value,
    /// What it was forked from, which agents had it before, what it is stopped for; `null` for none.
    pub lineage: Value,
    /// Whether it goes on after a usage limit, and why it is held back; `null` for nothing said.
    pub hold: Value,
    /// Since when it is put away.
    pub archived_at: Option<Timestamp>,
    /// The prompt that its agent took last, as its hook told: the beginning by which it is known again.
    pub last_prompt: Option<String>,
    /// The session that it is an extra shell beside; `None` for a session. Fixed.
    pub beside: Option<SessionId>,
}

pub(crate) const INSERT: &str = "INSERT INTO sessions \
    (name, title, role, agent, model, permission_mode, task, status, observed, status_evidence, \
    status_since, error, workspace, workspace_path, branch, base, port, steps, last_activity_at, \
    exit_code, conversation, token, keeper, copies, setup, has_backup, told, request, intent, removed, result, \
    lineage, archived_at, hold, last_prompt, id, project_id, parent, depth, created_at, beside) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
    ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41)";

pub(crate) const UPDATE: &str = "UPDATE sessions SET \
    name = ?1, title = ?2, role = ?3, agent = ?4, model = ?5, permission_mode = ?6, task = ?7, \
    status = ?8, observed = ?9, status_evidence = ?10, status_since = ?11, error = ?12, \
    workspace = ?13, workspace_path = ?14, branch = ?15, base = ?16, port = ?17, steps = ?18, \
    last_activity_at = ?19, exit_code = ?20, conversation = ?21, token = ?22, keeper = ?23, \
    copies = ?24, setup = ?25, has_backup = ?26, told = ?27, request = ?28, intent = ?29, \
    removed = ?30, result = ?31, lineage = ?32, archived_at = ?33, hold = ?34, last_prompt = ?35 \
    WHERE id = ?36";

impl SessionRow {
    /// A query of [`INSERT`] or [`UPDATE`] with this row's values.
    pub(crate) fn bind(&self, sql: &'static str) -> Query<'_, Sqlite, SqliteArguments> {
        let query = sqlx::query(sql)
            .bind(&self.name)
            .bind(&self.title)
            .bind(word(&self.role))
            .bind(&self.agent)
            .bind(self.model.as_deref())
            .bind(word(&self.permission_mode))
            .bind(&self.task)
            .bind(self.status.as_str())
            .bind(self.observed.as_ref().map(json))
            .bind(json(&self.status_evidence))
            .bind(word(&self.status_since))
            .bind(self.error.as_deref())
            .bind(word(&self.workspace))
            .bind(self.workspace_path.as_deref())
            .bind(self.branch.as_deref())
            .bind(json(&self.base))
            .bind(self.port)
            .bind(json(&self.steps))
            .bind(word(&self.last_activity_at))
            .bind(self.exit_code)
            .bind(self.conversation.as_deref())
            .bind(&self.token)
            .bind(self.keeper.as_deref())
            .bind(json(&self.copies))
            .bind(json(&self.setup))
            .bind(self.has_backup)
            .bind(self.told)
            .bind(json(&self.request))
            .bind(self.intent.as_deref())
            .bind(json(&self.removed))
            .bind(json(&self.result))
            .bind(json(&self.lineage))
            .bind(self.archived_at.as_ref().map(word))
            .bind(json(&self.hold))
            .bind(self.last_prompt.as_deref())
            .bind(self.id.as_str());
        if sql == INSERT {
            return query
                .bind(self.project_id.as_str())
                .bind(self.parent.as_ref().map(SessionId::as_str))
                .bind(self.depth)
                .bind(word(&self.created_at))
                .bind(self.beside.as_ref().map(SessionId::as_str));
        }
        query
    }

    pub(crate) fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns {
            row,
            table: "sessions",
        };
        Ok(Self {
            id: columns.word("id")?,
            name: columns.plain("name")?,
            title: columns.plain("title")?,
            project_id: columns.word("project_id")?,
            role: columns.word("role")?,
            parent: columns.word_or_none("parent")?,
            depth: columns.plain("depth")?,
            agent: columns.plain("agent")?,
            model: columns.plain("model")?,
            permission_mode: columns.word("permission_mode")?,
            task: columns.plain("task")?,
            status: columns.word("status")?,
            observed: columns.json_or_none("observed")?,
            status_evidence: columns.json("status_evidence")?,
            status_since: columns.word("status_since")?,
            error: columns.plain("error")?,
            workspace: columns.word("workspace")?,
            workspace_path: columns.plain("workspace_path")?,
            branch: columns.plain("branch")?,
            base: columns.json("base")?,
            port: columns.plain("port")?,
            steps: columns.json("steps")?,
            created_at: columns.word("created_at")?,
            last_activity_at: columns.word("last_activity_at")?,
            exit_code: columns.plain("exit_code")?,
            conversation: columns.plain("conversation")?,
            token: columns.plain("token")?,
            keeper: columns.plain("keeper")?,
            copies: columns.json("copies")?,
            setup: columns.json("setup")?,
            has_backup: columns.plain("has_backup")?,
            told: columns.plain("told")?,
            request: columns.json("request")?,
            intent: columns.plain("intent")?,
            removed: columns.json("removed")?,
            result: columns.json("result")?,
            lineage: columns.json("lineage")?,
            hold: columns.json("hold")?,
            archived_at: columns.word_or_none("archived_at")?,
            last_prompt: columns.plain("last_prompt")?,
            beside: columns.word_or_none("beside")?,
        })
    }
}
