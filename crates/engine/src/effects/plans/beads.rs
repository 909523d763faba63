//! Reads the issues of beads, and closes those that are done, through the program of beads. It runs in the project's own checkout,
//! whose files say where the issues are: so only in a project that the person trusts, and only for the person. It runs no hook and
//! sends nothing anywhere ([`crate::decide::beads`]).

use crate::decide::beads as decide;
use crate::effects::plans::program::{self, Asked};
use crate::effects::plans::reading;
use crate::host::failpoint::point;
use crate::state::context::Engine;
use downbeat_model::CheckOutcome;
use downbeat_plans::{Issues, Left, Line, MOST_BYTES, is_closed_bead, read_beads};
use downbeat_store::ProjectRow;
use downbeat_wire::{ApiError, Code};
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(30);

/// The most bytes that it may print: what it says of an issue beside its text is longer than most texts.
const MOST: usize = 4 * MOST_BYTES;

/// Reads the open issues of a project, or those below one of them.
///
/// # Errors
/// Fails if the project is not trusted, if the program is not there or does not answer well, or if nothing is open.
pub async fn read(engine: &Engine, project: &ProjectRow, below: Option<String>) -> Result<Issues, ApiError> {
    if !project.trusted {
        let name = &project.name;
        let what = format!("{name} is not trusted, so bd does not run in it");
        return Err(
            ApiError::new(Code::Forbidden, what).hint(format!("`downbeat project edit {name} --trust yes`"))
        );
    }
    // A run leaves nothing, and ends when nobody waits for it any more.
    let left = CancellationToken::new();
    let _waits = left.clone().drop_guard();
    let (own, place) = (engine.arc()?, project.clone());
    let asked = tokio::spawn(async move { ask(&own, &place, decide::list(), &left).await });
    let said = asked
        .await
        .map_err(|error| ApiError::failed("the run of bd was lost", error))??;
    let said = said.map_err(|why| {
        ApiError::new(Code::Failed, why).hint("`bd list` in the project's folder shows more")
    })?;
    let read = reading::read(project, move || {
        let read = read_beads(&said, below.as_deref());
        read.map_err(|problem| decide::refused(&problem, below.as_deref()))
    });
    read.await?
}

/// Runs the program, and returns what it prints, or why it refuses.
///
/// # Errors
/// Fails if it is not there, or does not answer; then it will not answer the next question either.
async fn ask(
    engine: &Engine,
    project: &ProjectRow,
    arguments: Vec<String>,
    left: &CancellationToken,
) -> Result<Result<String, String>, ApiError> {
    let mut argv = program::find(engine, decide::PROGRAM)
        .await
        .ok_or_else(decide::missing)?;
    argv.extend(arguments);
    let asked = Asked {
        what: "program of beads",
        argv,
        input: Vec::new(),
        variables: decide::variables(),
        cwd: Some(Path::new(&project.path)),
        limit: LIMIT,
        most: MOST,
    };
    let answered = program::run(engine, asked, left).await?;
    if let Some(why) = decide::failed(answered.outcome, answered.code, &answered.errors) {
        return match answered.outcome {
            CheckOutcome::Failed => Ok(Err(why)),
            _ => Err(ApiError::new(Code::Failed, why)),
        };
    }
    if answered.output.len() > MOST {
        return Ok(Err(format!("bd printed more than {MOST} bytes, and was ended")));
    }
    Ok(String::from_utf8(answered.output).map_err(|_| "bd printed no text".to_owned()))
}

/// Closes the issues that are done. One that is closed already is left as it is, so a repeat changes nothing. Returns those that
/// could not be closed.
pub(crate) async fn close(engine: &Engine, project: &ProjectRow, title: &str, lines: &[Line]) -> Vec<Left> {
    let mut left = Vec::new();
    let mut stops = None;
    for (line, one) in lines.iter().enumerate() {
        let why = match &stops {
            Some(why) => Some(String::clone(why)),
            None => match close_one(engine, project, title, &one.id).await {
                Ok(closed) => closed.err(),
                Err(error) => {
                    stops = Some(error.message.clone());
                    Some(error.message)
                }
            },
        };
        left.extend(why.map(|why| Left {
            line,
            why,
            is_missing: false,
        }));
    }
    left
}

/// Closes an issue, unless it is closed; or says why it could not.
///
/// # Errors
/// Fails if the program does not answer.
async fn close_one(
    engine: &Engine,
    project: &ProjectRow,
    title: &str,
    id: &str,
) -> Result<Result<(), String>, ApiError> {
    let left = CancellationToken::new();
    let shown = match ask(engine, project, decide::show(id), &left).await? {
        Ok(shown) => shown,
        Err(why) => return Ok(Err(why)),
    };
    match is_closed_bead(&shown) {
        Some(true) => return Ok(Ok(())),
        Some(false) => {}
        None => return Ok(Err("bd does not say whether it is closed".to_owned())),
    }
    let reason = format!("Done by the plan “{title}” of Downbeat");
    let closed = ask(engine, project, decide::close(id, &reason), &left).await?;
    point("bead-closed");
    Ok(closed.map(|_| ()))
}
