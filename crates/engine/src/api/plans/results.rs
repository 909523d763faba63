//! The folder in which result files of a plan count: the person chooses it.

use crate::api::plans::shown::found;
use crate::decide::plan_results;
use crate::effects::plans::results;
use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_wire::plan::ChangePlan;
use downbeat_wire::{ApiError, Caller, Code};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the whole path of the folder that a request names, and the versions of the result files that are in it.
///
/// # Errors
/// Fails for an agent, which could count tasks as done that way; and if there is no such folder, or a session works in it.
pub(crate) async fn folder(
    engine: &Engine,
    caller: &Caller,
    request: &ChangePlan,
) -> Result<(String, BTreeMap<String, String>), ApiError> {
    if *caller != Caller::Owner {
        let what = "only the person says where result files count";
        return Err(
            ApiError::new(Code::Forbidden, what).hint("ask the person to run `downbeat plan prompts`")
        );
    }
    let plan = found(engine, caller, &request.id)?;
    let Some(named) = request.folder.clone().filter(|named| !named.trim().is_empty()) else {
        return Err(ApiError::invalid("folder: name the folder of the result files"));
    };
    let path = PathBuf::from(&named);
    if !path.is_absolute() {
        return Err(ApiError::invalid(format!("folder: {named} is not a whole path")));
    }
    let look = move || {
        let whole = dunce::canonicalize(&path)?;
        match whole.is_dir() {
            true => Ok((results::versions(&whole, &plan), whole)),
            false => Err(std::io::Error::other("it is no folder")),
        }
    };
    let looked = blocking::in_time(&format!("the folder {named}"), look).await?;
    let (there, whole) =
        looked.map_err(|error| ApiError::invalid(format!("folder: {named} cannot be used: {error}")))?;
    if let Some(why) = plan_results::refused(&engine.ledger.state(), engine.paths.root(), &whole) {
        let what = format!("folder: result files cannot count in {named}: {why}");
        return Err(ApiError::invalid(what).hint("name a folder outside of all worktrees"));
    }
    let Some(text) = whole.to_str() else {
        return Err(ApiError::invalid(format!(
            "folder: the path of {named} is no text"
        )));
    };
    Ok((text.to_owned(), there))
}
