//! The environment of a session's agent, of a project's checks, and of the commands of its rules; and of programs of the person's
//! own.

use crate::effects::fleet::results;
use crate::host::environment;
use crate::host::environment::STRIPPED;
use crate::state::context::Engine;
use downbeat_model::SessionId;
use downbeat_store::SessionRow;
use std::path::PathBuf;

/// Builds the complete environment of a session's processes.
pub(crate) fn environment(engine: &Engine, shell: &SessionRow) -> Vec<(String, String)> {
    // An extra shell gets the environment of its session, except for what identifies its own keeper.
    let around = shell
        .side_shell_of
        .as_ref()
        .and_then(|id| engine.ledger.session(id));
    let row = around.as_deref().unwrap_or(shell);
    let mut env = common(engine);
    let mut set = |name: &str, value: String| put(&mut env, name, value);
    set("DOWNBEAT_SESSION", shell.id.to_string());
    set(
        "DOWNBEAT_KEEPER",
        environment::path(engine.paths.keeper(&shell.id)),
    );
    set("DOWNBEAT_ENGINE", environment::path(engine.paths.manifest()));
    set(
        "DOWNBEAT_TRANSCRIPT",
        environment::path(engine.paths.transcript(&shell.id)),
    );
    set("DOWNBEAT_TOKEN", row.token.clone());
    set("DOWNBEAT_CLI", environment::path(engine.cli.clone()));
    if let Ok(project) = engine.project(&row.project_id) {
        set("DOWNBEAT_PROJECT", project.name.clone());
    }
    if let Some(issue) = &row.issue {
        let number = || issue.number.to_string();
        set("DOWNBEAT_ISSUE", issue.key.clone().unwrap_or_else(number));
    }
    if let Some(port) = row.port {
        set("PORT", port.to_string());
        set("DOWNBEAT_PORT", port.to_string());
    }
    if let Some(results) = results::folder_of(engine, row) {
        set("DOWNBEAT_RESULTS", environment::path(results));
    }
    if let Some(tools) = tools(row) {
        set("DOWNBEAT_TOOLS", tools.to_owned());
    }
    set("ORCH_DEPTH", row.depth.to_string());
    set("ORCH_MAX_DEPTH", engine.limits().max_depth.to_string());
    set("ORCH_WORKER_NAME", row.name.clone());
    env
}

/// Builds the environment of a project's checks: without the token of a session, so that code that an agent wrote
/// cannot act for its session. `CI` is set, as checks are not interactive.
pub(crate) fn of_checks(engine: &Engine, run: &SessionId, keeper: PathBuf) -> Vec<(String, String)> {
    let mut env = unattended(engine, run, keeper);
    put(&mut env, "CI", "true".into());
    env
}

/// Builds the environment of a program that the person asked for, such as their editor.
pub(crate) fn of_person(engine: &Engine) -> Vec<(String, String)> {
    common(engine)
}

/// Builds the environment of the command of a rule, or of the planner: without the token of a session, and with these variables, which say
/// what it is about.
pub(crate) fn of_command(
    engine: &Engine,
    run: &SessionId,
    keeper: PathBuf,
    variables: Vec<(String, String)>,
) -> Vec<(String, String)> {
    let mut env = unattended(engine, run, keeper);
    for (name, value) in variables {
        put(&mut env, &name, value);
    }
    env
}

/// Builds the environment of a command that nobody watches.
fn unattended(engine: &Engine, run: &SessionId, keeper: PathBuf) -> Vec<(String, String)> {
    let mut env = common(engine);
    // Nobody is there to press a key.
    put(&mut env, "PAGER", "cat".into());
    put(&mut env, "GIT_PAGER", "cat".into());
    put(&mut env, "GIT_EDITOR", "true".into());
    put(&mut env, "GIT_TERMINAL_PROMPT", "0".into());
    put(&mut env, "DOWNBEAT_SESSION", run.to_string());
    put(&mut env, "DOWNBEAT_KEEPER", environment::path(keeper));
    env
}

/// Returns the part of the environment that all processes below Downbeat share.
fn common(engine: &Engine) -> Vec<(String, String)> {
    let kept = engine.env.iter().filter(|(name, _)| {
        !STRIPPED.contains(&name.as_str()) && !name.starts_with("DOWNBEAT_") && !name.starts_with("ORCH_")
    });
    let mut env: Vec<(String, String)> = kept.cloned().collect();
    if let Some((_, search)) = env.iter_mut().find(|(name, _)| name == "PATH") {
        *search = environment::with_ours(engine.search.get(), &engine.cli);
    }
    put(&mut env, "TERM", "xterm-256color".into());
    put(&mut env, "COLORTERM", "truecolor".into());
    put(&mut env, "TERM_PROGRAM", "downbeat".into());
    env
}

/// Sets a variable, or replaces it.
fn put(env: &mut Vec<(String, String)>, name: &str, value: String) {
    env.retain(|(other, _)| other != name);
    env.push((name.to_owned(), value));
}

/// Returns the tool sets that the session's bridge offers; the engine decides what each tool may do.
fn tools(row: &SessionRow) -> Option<&'static str> {
    match (row.conducts, row.parent.is_some()) {
        (true, true) => Some("conductor,worker"),
        (true, false) => Some("conductor"),
        (false, true) => Some("worker"),
        (false, false) => None,
    }
}
