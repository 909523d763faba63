//! Whether something runs in a worktree that does not belong to the agent of its session: the person's terminal or editor, or a
//! server that was left running. Such a worktree is not removed unasked.

use crate::host::blocking;
use crate::state::context::Engine;
use downbeat_keeper::Working;
use downbeat_model::Workspace;
use downbeat_store::SessionRow;
use downbeat_wire::ApiError;
use std::path::PathBuf;

/// The number of processes that are named.
const NAMED: usize = 3;

/// Says what runs in the worktree of a session beside its agent; `None` if nothing does.
///
/// # Errors
/// Fails if the system does not say in time what runs.
pub async fn in_use(engine: &Engine, row: &SessionRow) -> Result<Option<String>, ApiError> {
    let of_worktree = row.workspace_path.as_ref();
    let of_worktree = of_worktree.filter(|_| row.workspace == Workspace::Worktree);
    let Some(folder) = of_worktree.map(PathBuf::from) else {
        return Ok(None);
    };
    let keeper = engine.runtimes.of(&row.id).link().map(|link| link.hello().pid);
    let working = move || downbeat_keeper::working_in(&folder, keeper);
    Ok(sentence(&blocking::blocking(working).await?))
}

fn sentence(working: &[Working]) -> Option<String> {
    let named = working.iter().take(NAMED);
    let named: Vec<String> = named
        .map(|one| format!("`{}` (process {})", one.name, one.pid))
        .collect();
    let rest = working.len().saturating_sub(NAMED);
    match working.len() {
        0 => None,
        1 => Some(format!("{} runs in it", named.join(""))),
        _ if rest > 0 => Some(format!("{} and {rest} more run in it", named.join(", "))),
        _ => Some(format!("{} run in it", named.join(" and "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_processes_are_named_and_the_rest_is_counted() {
        let working = |count: u32| -> Vec<Working> {
            let one = |pid| Working {
                pid,
                name: "node".into(),
            };
            (1..=count).map(one).collect()
        };
        for (count, expected) in [
            (0, None),
            (1, Some("`node` (process 1) runs in it")),
            (2, Some("`node` (process 1) and `node` (process 2) run in it")),
            (
                5,
                Some("`node` (process 1), `node` (process 2), `node` (process 3) and 2 more run in it"),
            ),
        ] {
            assert_eq!(sentence(&working(count)).as_deref(), expected, "{count}");
        }
    }
}
