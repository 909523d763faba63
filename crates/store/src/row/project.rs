//! Projects: repositories that the person added.

use crate::Error;
use crate::codec::{Columns, word};
use downbeat_model::{PermissionMode, ProjectId, SessionId};
use jiff::Timestamp;
use sqlx::query::Query;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};

/// A project as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    /// The identifier.
    pub id: ProjectId,
    /// The name, unique.
    pub name: String,
    /// The path of the primary checkout, unique.
    pub path: String,
    /// The branch from which sessions start by default.
    pub default_branch: String,
    /// The answer to the trust question.
    pub trusted: bool,
    /// The default permission mode of its sessions.
    pub permission_mode: PermissionMode,
    /// The hash of the set-up that the person approved.
    pub approved_setup: Option<String>,
    /// Whether its conductors may answer the questions of their workers.
    pub conductors_answer: bool,
    /// The commits from which programs may run without a question, separated by spaces.
    pub allowed_commits: Option<String>,
    /// The repositories at forges that its remotes named when the person trusted it, separated by spaces:
    /// `github.com/acme/shop`. `None` if nobody looked then.
    pub repositories: Option<String>,
    /// The session that was done last when all of its sessions were done; `None` while one is not. Only without a conductor.
    pub completed_by: Option<SessionId>,
    /// The time when it was added.
    pub created_at: Timestamp,
}

pub(crate) const INSERT: &str = "INSERT INTO projects \
    (name, path, default_branch, trusted, permission_mode, approved_setup, conductors_answer, vouched, \
    repositories, completed_by, id, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

pub(crate) const UPDATE: &str = "UPDATE projects SET \
    name = ?1, path = ?2, default_branch = ?3, trusted = ?4, permission_mode = ?5, \
    approved_setup = ?6, conductors_answer = ?7, vouched = ?8, repositories = ?9, completed_by = ?10 WHERE id = ?11";

impl ProjectRow {
    /// Returns a query of [`INSERT`] or [`UPDATE`] with this row's values.
    pub(crate) fn bind(&self, sql: &'static str) -> Query<'_, Sqlite, SqliteArguments> {
        let query = sqlx::query(sql)
            .bind(&self.name)
            .bind(&self.path)
            .bind(&self.default_branch)
            .bind(self.trusted)
            .bind(word(&self.permission_mode))
            .bind(self.approved_setup.as_deref())
            .bind(self.conductors_answer)
            .bind(self.allowed_commits.as_deref())
            .bind(self.repositories.as_deref())
            .bind(self.completed_by.as_ref().map(SessionId::as_str))
            .bind(self.id.as_str());
        if sql == INSERT {
            return query.bind(word(&self.created_at));
        }
        query
    }

    /// Returns whether a repository at a forge is the project's own: the person trusted the project with it.
    #[must_use]
    pub fn owns(&self, host: &str, repository: &str) -> bool {
        let wanted = format!("{host}/{repository}");
        let mut all = self.repositories.iter().flat_map(|all| all.split(' '));
        all.any(|one| one.eq_ignore_ascii_case(&wanted))
    }

    pub(crate) fn from_row(row: &SqliteRow) -> Result<Self, Error> {
        let columns = Columns {
            row,
            table: "projects",
        };
        Ok(Self {
            id: columns.word("id")?,
            name: columns.plain("name")?,
            path: columns.plain("path")?,
            default_branch: columns.plain("default_branch")?,
            trusted: columns.plain("trusted")?,
            permission_mode: columns.word("permission_mode")?,
            approved_setup: columns.plain("approved_setup")?,
            conductors_answer: columns.plain("conductors_answer")?,
            allowed_commits: columns.plain("vouched")?,
            repositories: columns.plain("repositories")?,
            completed_by: (columns.plain::<Option<String>>("completed_by")?)
                .and_then(|id| SessionId::parse(&id)),
            created_at: columns.word("created_at")?,
        })
    }
}
