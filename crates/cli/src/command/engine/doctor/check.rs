//! The single checks of `downbeat doctor`.

use super::environment;
use super::finding::Finding;
use super::webhooks;
use crate::client::Client;
use crate::command::look::notifiers::state;
use crate::home::Home;
use crate::paint::plain;
use downbeat_engine::instance;
use downbeat_model::SessionId;
use downbeat_wire::Client as _;
use downbeat_wire::project::Project;
use downbeat_wire::request::Nothing;
use downbeat_wire::session::{SessionFilter, SessionSummary};
use downbeat_wire::usage::GetUsage;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs all checks, in the order in which a person would fix the findings.
pub(super) async fn all(home: &Home) -> Vec<Finding> {
    let mut out = vec![git()];
    out.extend(data_folder(home));
    out.push(config(home));
    let client = Client::running(home).await.ok().flatten();
    if !home.is_held() {
        out.extend(database(home).await);
    }
    out.push(engine(home, client.as_ref()).await);
    out.push(agents(client.as_ref()).await);
    out.extend(projects(client.as_ref()).await);
    out.push(keepers(home, client.as_ref()).await);
    out.extend(orphans(client.as_ref()).await);
    out.extend(budgets(client.as_ref()).await);
    out.extend(environment::variables(|name| {
        std::env::var_os(name).is_some_and(|value| !value.is_empty())
    }));
    out.extend(notifiers(client.as_ref()).await);
    out.extend(webhooks::all(client.as_ref()).await);
    out.extend(desktop());
    out
}

fn git() -> Finding {
    const WHAT: &str = "git";
    const NEED: (u32, u32) = (2, 34);
    let asked = Command::new("git")
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let Ok(answer) = asked else {
        return Finding::fail(WHAT, "not found", "install git 2.34 or newer");
    };
    let text = String::from_utf8_lossy(&answer.stdout).trim().to_owned();
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) >= NEED => Finding::ok(WHAT, text),
        _ => Finding::fail(WHAT, format!("{text:?} is too old"), "install git 2.34 or newer"),
    }
}

fn data_folder(home: &Home) -> Vec<Finding> {
    const WHAT: &str = "data directory";
    let root = home.root();
    let shown = root.display();
    if !root.exists() {
        return vec![Finding::ok(WHAT, format!("{shown} (made when first needed)"))];
    }
    let probe = root.join(format!(".doctor-{}", std::process::id()));
    let writable = std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe));
    let mut out = vec![match writable {
        Ok(()) => Finding::ok(WHAT, shown.to_string()),
        Err(error) => Finding::fail(
            WHAT,
            format!("{shown}: {error}"),
            "make it writable, or set DOWNBEAT_HOME",
        ),
    }];
    let open: Vec<PathBuf> = [root.to_owned(), home.manifest_path(), home.keepers()]
        .into_iter()
        .filter(|path| others_may_read(path))
        .collect();
    out.push(match open.is_empty() {
        true => Finding::ok("file modes", "only you can read it"),
        false if open.iter().all(|path| close(path)) => Finding::ok(
            "file modes",
            format!("others could read {}; only you can now", shown_of(&open)),
        ),
        false => Finding::fail(
            "file modes",
            "others may read it",
            format!("chmod go-rwx {}", shown_of(&open)),
        ),
    });
    out.extend(sockets(home));
    out
}

/// Reports where the keepers' sockets are, if the path of the data directory is too long for them.
fn sockets(home: &Home) -> Option<Finding> {
    const WHAT: &str = "sockets";
    match downbeat_keeper::sockets_elsewhere(&home.keepers()) {
        Ok(None) => None,
        Ok(Some(folder)) => {
            let folder = folder.display();
            Some(Finding::ok(
                WHAT,
                format!("in {folder}: the path of the data directory is too long for them"),
            ))
        }
        Err(error) => Some(Finding::fail(
            WHAT,
            format!("the path of the data directory is too long for sockets, and {error}"),
            "set DOWNBEAT_HOME to a shorter path",
        )),
    }
}

fn shown_of(paths: &[PathBuf]) -> String {
    let shown = paths.iter().map(|path| path.display().to_string());
    shown.collect::<Vec<_>>().join(" ")
}

/// Removes the rights of others to a path, as the engine does when it opens the folder.
#[cfg(unix)]
fn close(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let Ok(found) = std::fs::metadata(path) else {
        return false;
    };
    let mut rights = found.permissions();
    rights.set_mode(rights.mode() & 0o700);
    std::fs::set_permissions(path, rights).is_ok()
}

#[cfg(not(unix))]
fn close(_path: &Path) -> bool {
    false
}

#[cfg(unix)]
fn others_may_read(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// On Windows, inheritance protects a person's folders from others.
#[cfg(not(unix))]
fn others_may_read(_path: &Path) -> bool {
    false
}

fn config(home: &Home) -> Finding {
    match crate::command::engine::config::problems(home) {
        problems if problems.is_empty() => Finding::ok("config", home.config().display().to_string()),
        problems => Finding::fail("config", problems.join("; "), "downbeat config validate"),
    }
}

/// Reports a damaged database, or one of a newer Downbeat; an engine that has it open has looked itself.
async fn database(home: &Home) -> Option<Finding> {
    let problem = home.database_problem().await?;
    Some(Finding::fail("database", problem, "then `downbeat start`"))
}

async fn engine(home: &Home, client: Option<&Client>) -> Finding {
    const WHAT: &str = "engine";
    let Some(client) = client else {
        return match instance::live(&home.manifest_path()) {
            Ok(None) => Finding::ok(WHAT, "not running; the next command starts it"),
            Ok(Some(manifest)) => Finding::fail(
                WHAT,
                format!(
                    "process {} holds the data directory but does not answer",
                    manifest.pid
                ),
                "end that process; sessions keep running",
            ),
            Err(error) => Finding::fail(
                WHAT,
                error.to_string(),
                "end Downbeat and remove that file; sessions keep running",
            ),
        };
    };
    if client.is_session() {
        let detail = format!("it answers on port {}; a session is told no more", client.port());
        return Finding::ok(WHAT, detail);
    }
    let Ok(info) = client.get_engine(Nothing {}).await else {
        return Finding::fail(WHAT, "it does not answer as expected", "downbeat logs");
    };
    let window = if info.headless {
        "without a window"
    } else {
        "in the window"
    };
    let detail = format!(
        "{} {window}, process {}, port {}, {} live",
        info.version,
        info.pid,
        client.port(),
        info.live
    );
    match info.version == env!("CARGO_PKG_VERSION") {
        true => Finding::ok(WHAT, detail),
        false => Finding::warn(
            WHAT,
            format!("{detail}; this command is {}", env!("CARGO_PKG_VERSION")),
            "restart Downbeat; sessions keep running",
        ),
    }
}

async fn agents(client: Option<&Client>) -> Finding {
    const WHAT: &str = "agents";
    const FIX: &str = "npm install -g @anthropic-ai/claude-code";
    let Some(client) = client else {
        return match on_path("claude") {
            Some(path) => Finding::ok(WHAT, format!("claude ({})", path.display())),
            None => Finding::warn(WHAT, "Claude Code is not on PATH", FIX),
        };
    };
    let Ok(agents) = crate::command::agents::list(client).await else {
        return Finding::warn(WHAT, "the engine did not say", "downbeat logs");
    };
    if let Some(problem) = agents.iter().find_map(|agent| agent.problem.clone()) {
        return Finding::warn(WHAT, problem, "downbeat agents check");
    }
    let has_coder = agents.iter().any(|agent| agent.installed && agent.id != "shell");
    let installed = agents.iter().filter(|agent| agent.installed);
    let named: Vec<String> = installed
        .map(|agent| match &agent.version {
            Some(version) => format!("{} ({version})", agent.id),
            None => agent.id.clone(),
        })
        .collect();
    match has_coder {
        true => Finding::ok(WHAT, named.join(", ")),
        false => {
            let hint = agents.iter().find_map(|agent| agent.install_hint.clone());
            Finding::warn(
                WHAT,
                "only the shell was found",
                hint.unwrap_or_else(|| FIX.to_owned()),
            )
        }
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // npm's batch file counts as well: the engine finds the program behind it.
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    std::env::split_paths(&path)
        .flat_map(|folder| {
            endings
                .iter()
                .map(move |ending| folder.join(format!("{program}{ending}")))
        })
        .find(|file| file.is_file())
}

async fn keepers(home: &Home, client: Option<&Client>) -> Finding {
    const WHAT: &str = "keepers";
    let entries = std::fs::read_dir(home.keepers()).into_iter().flatten().flatten();
    let ids: Vec<SessionId> = entries
        .filter_map(|entry| entry.file_name().to_str().and_then(SessionId::parse))
        .collect();
    let Some(client) = client else {
        return Finding::ok(WHAT, format!("{} folders; no engine to compare with", ids.len()));
    };
    if client.is_session() {
        return Finding::ok(
            WHAT,
            format!("{} folders; a session sees only its own", ids.len()),
        );
    }
    let Ok(sessions) = client.list_sessions(SessionFilter::default()).await else {
        return Finding::warn(WHAT, "the engine did not list its sessions", "downbeat logs");
    };
    let stale: Vec<String> = ids
        .iter()
        .filter(|id| !sessions.iter().any(|session| owns(session, id)))
        .map(|id| home.keepers().join(id.as_str()).display().to_string())
        .collect();
    match stale.is_empty() {
        true => Finding::ok(WHAT, format!("{} sessions, none forgotten", ids.len())),
        false => Finding::warn(
            WHAT,
            format!("no session knows {}", stale.join(", ")),
            "remove them if no process runs there",
        ),
    }
}

/// Returns whether a keeper belongs to a session, or to one of its shells.
fn owns(session: &SessionSummary, id: &SessionId) -> bool {
    session.id == *id || session.shells.iter().any(|shell| shell.id == *id)
}

/// Reports projects that cannot be used, if an engine is there to ask.
async fn projects(client: Option<&Client>) -> Vec<Finding> {
    const WHAT: &str = "projects";
    let Some(client) = client.filter(|client| !client.is_session()) else {
        return Vec::new();
    };
    let asked = client.list_projects(Nothing {}).await;
    let wrong = |project: Project| {
        let problem = project.problem?;
        let fix = match Path::new(&project.path).is_dir() {
            true => "fix it".to_owned(),
            false => format!(
                "or remove it from the list: `downbeat project remove {} --force`",
                project.name
            ),
        };
        Some(Finding::warn(WHAT, format!("{}: {problem}", project.name), fix))
    };
    asked.unwrap_or_default().into_iter().filter_map(wrong).collect()
}

/// Reports processes that still run although their session is over, if an engine is there to ask.
async fn orphans(client: Option<&Client>) -> Option<Finding> {
    const WHAT: &str = "orphans";
    let client = client.filter(|client| !client.is_session())?;
    let orphans = client.list_orphans(Nothing {}).await.ok()?;
    let named: Vec<String> = orphans
        .iter()
        .map(|orphan| format!("{} ({})", orphan.name, orphan.pid))
        .collect();
    Some(match named.is_empty() {
        true => Finding::ok(WHAT, "no process runs without its session"),
        false => Finding::warn(WHAT, named.join(", "), "downbeat orphans --end"),
    })
}

/// Reports whether budgets in dollars miss some usage, if an engine is there to ask.
async fn budgets(client: Option<&Client>) -> Option<Finding> {
    const WHAT: &str = "budgets";
    let client = client.filter(|client| !client.is_session())?;
    let report = client.get_usage(GetUsage::default()).await.ok()?;
    let in_dollars = report.budgets.iter().filter(|line| line.budget.usd.is_some());
    let mut models: Vec<&str> = in_dollars
        .flat_map(|line| &line.used.unpriced)
        .map(String::as_str)
        .collect();
    models.sort_unstable();
    models.dedup();
    if models.is_empty() {
        return None;
    }
    Some(Finding::warn(
        WHAT,
        format!(
            "dollar budgets do not count {}: no price is known",
            models.join(", ")
        ),
        "add a price to prices.yaml, next to downbeat.yaml, or set a token budget",
    ))
}

/// Reports the notifiers that are configured, and those that do not work, if an engine is there to ask.
async fn notifiers(client: Option<&Client>) -> Option<Finding> {
    const WHAT: &str = "notifiers";
    let client = client.filter(|client| !client.is_session())?;
    let all = client.list_notifiers(Nothing {}).await.ok()?;
    let others: Vec<_> = all.iter().filter(|one| one.kind != "desktop").collect();
    let wrong: Vec<String> = (others.iter())
        .filter(|one| one.problem.is_some() || one.error.is_some())
        .map(|one| format!("{}: {}", plain(&one.name), state(one, jiff::Timestamp::now())))
        .collect();
    match (others.first(), wrong.first()) {
        (None, _) => None,
        (Some(_), None) => {
            let names: Vec<String> = others.iter().map(|one| plain(&one.name)).collect();
            Some(Finding::ok(WHAT, names.join(", ")))
        }
        (Some(first), Some(_)) => {
            let broken = others
                .iter()
                .find(|one| one.problem.is_some() || one.error.is_some());
            let name = plain(&broken.unwrap_or(first).name);
            Some(Finding::warn(
                WHAT,
                wrong.join("; "),
                format!("downbeat notifiers test {name}"),
            ))
        }
    }
}

#[cfg(target_os = "linux")]
fn desktop() -> Vec<Finding> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut out = Vec::new();
    out.push(match downbeat_notices::problem() {
        None => Finding::ok("notifications", "this session bus shows them"),
        Some((problem, fix)) => Finding::warn("notifications", problem, fix),
    });
    out.push(match downbeat_engine::power::probe() {
        Ok(how) => Finding::ok("staying awake", how),
        Err(problem) => Finding::warn(
            "staying awake",
            format!("idle sleep cannot be prevented: {problem}"),
            "run systemd-logind (or elogind) and its system bus, or a desktop that answers on the session bus",
        ),
    });
    if set("XDG_CURRENT_DESKTOP")
        && std::env::var("XDG_CURRENT_DESKTOP").is_ok_and(|name| name.contains("GNOME"))
    {
        out.push(Finding::warn(
            "tray",
            "GNOME has no tray by default",
            "install the AppIndicator extension; without it, closing the window asks what to do",
        ));
    }
    out
}

#[cfg(not(target_os = "linux"))]
fn desktop() -> Vec<Finding> {
    Vec::new()
}
