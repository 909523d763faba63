//! Opens a session's files in the person's editor, which is a program with a window of its own: it is started, never waited
//! for, and outlives the engine. Which editor that is says `editor` in the person's configuration.

use crate::effects::process::environment;
use crate::host::blocking;
use crate::host::config::{Editor, EditorConfig};
use crate::session::row;
use crate::state::context::Engine;
use downbeat_agents::{NoProgram, find_program};
use downbeat_store::SessionRow;
use downbeat_wire::editor::{OpenInEditor, OpenedInEditor};
use downbeat_wire::{ApiError, Code};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

/// How long an editor is watched for a failure to start. Those that hand over to a running instance exit sooner.
const WATCHED: Duration = Duration::from_millis(1500);

/// The hint for a machine without an editor.
const WAY_OUT: &str = "install its command (Visual Studio Code: \"Shell Command: Install 'code' command in PATH\"), name another \
                       with `editor:` in downbeat.yaml, or use `downbeat edit --here` in a terminal, which runs $EDITOR";

/// Opens a session's workspace, or a file in it.
///
/// # Errors
/// Fails if there is no such file in the workspace, or if no editor can be started.
pub async fn open(
    engine: &Engine,
    row: &SessionRow,
    request: &OpenInEditor,
) -> Result<OpenedInEditor, ApiError> {
    if request.line == Some(0) {
        return Err(ApiError::invalid("line: lines are counted from 1"));
    }
    let folder = row::path_of(row)?;
    let path = request.path.clone();
    let name = folder.display().to_string();
    let (folder, file) = blocking::in_time(&name, move || find(&folder, path.as_deref())).await??;
    let (editor, mut argv) = installed(engine).await?;
    let line = request.line.unwrap_or(1);
    argv.extend(editor.arguments(&folder, file.as_deref().map(|file| (file, line))));
    start(engine, &folder, editor.name(), &argv).await?;
    Ok(OpenedInEditor {
        id: row.id.clone(),
        editor: editor.name().to_owned(),
        path: file.unwrap_or(folder).display().to_string(),
    })
}

/// Finds a file inside of a workspace; returns both without links.
fn find(folder: &Path, path: Option<&str>) -> Result<(PathBuf, Option<PathBuf>), ApiError> {
    let folder = dunce::canonicalize(folder).map_err(|_| {
        let what = format!("the directory {} is missing", folder.display());
        ApiError::new(Code::Conflict, what).hint("`downbeat resume --remake` recreates it")
    })?;
    let Some(path) = path else {
        return Ok((folder, None));
    };
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if path.is_empty() || !Path::new(path).components().all(is_below) {
        let what = format!("path: {path:?} is not a file below the workspace, such as `src/main.rs`");
        return Err(ApiError::invalid(what));
    }
    let file = dunce::canonicalize(folder.join(path)).map_err(|_| {
        let hint = format!("it may have been deleted; the workspace is {}", folder.display());
        ApiError::not_found("file", path).hint(hint)
    })?;
    if !file.starts_with(&folder) {
        let what = format!(
            "{path} is a link that leads out of the workspace, to {}",
            file.display()
        );
        return Err(ApiError::new(Code::Forbidden, what).hint("open that file yourself if you trust it"));
    }
    Ok((folder, Some(file)))
}

/// An editor, with the beginning of its command line.
type Installed = (EditorConfig, Vec<String>);

/// Returns the chosen editor, or the first one that is installed.
async fn installed(engine: &Engine) -> Result<Installed, ApiError> {
    let chosen = engine.config().editor;
    let all = match &chosen {
        Some(editor) => vec![editor.clone()],
        None => Editor::ALL.map(EditorConfig::Known).to_vec(),
    };
    if let Some(found) = first(engine, &all) {
        return Ok(found);
    }
    engine.search.again().await;
    first(engine, &all).ok_or_else(|| {
        let what = match chosen {
            Some(editor) => {
                let programs = editor.programs().join(" or ");
                format!("{} cannot be started: {programs} is not on PATH", editor.name())
            }
            None => "no editor was found on PATH".to_owned(),
        };
        ApiError::new(Code::Failed, what).hint(WAY_OUT)
    })
}

fn first(engine: &Engine, all: &[EditorConfig]) -> Option<Installed> {
    let path = engine.search.get();
    let head = |program: &str| match find_program(program, OsStr::new(&path)) {
        Ok(found) => {
            let program = found.path.to_string_lossy().into_owned();
            Some(std::iter::once(program).chain(found.arguments).collect())
        }
        // The standard library quotes the arguments of a batch file, and refuses those that it cannot quote.
        Err(NoProgram::Batch(path)) => Some(vec![path.to_string_lossy().into_owned()]),
        Err(NoProgram::Missing(_)) => None,
    };
    all.iter()
        .find_map(|editor| Some((editor.clone(), editor.programs().into_iter().find_map(head)?)))
}

/// Starts the editor, and leaves it alone if it runs or has handed over.
async fn start(engine: &Engine, folder: &Path, name: &str, argv: &[String]) -> Result<(), ApiError> {
    let (program, arguments) = argv
        .split_first()
        .ok_or_else(|| ApiError::invalid("editor: the command names no program"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(environment::of_person(engine))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Signals for the engine's terminal are not for the editor.
    #[cfg(unix)]
    command.process_group(0);
    let failed = |why: String| {
        let what = format!("{name} could not be started: {why}");
        ApiError::new(Code::Failed, what).hint(format!("try it in a terminal: {}", argv.join(" ")))
    };
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    match tokio::time::timeout(WATCHED, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(failed(format!("it ended with {status}"))),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => {
            // Collects its exit code once it is closed.
            tokio::spawn(async move { child.wait().await });
            Ok(())
        }
    }
}
