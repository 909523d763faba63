//! The tools of conductors for runs of `fix`: their descriptions for the agent, and their requests to the engine.

use super::answer::{Answer, inside};
use super::bridge::Bridge;
use super::tool::{Outcome, act, look, read, tool};
use downbeat_wire::Client as _;
use downbeat_wire::fix::{FixRef, FixRun, GetFixes, StartFix};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The tool takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Start {}

/// The arguments of `show_fixes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// The id of the run; default all that you started.
    run: Option<String>,
}

/// The arguments of `cancel_fixes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancel {
    /// The id of the run.
    run: String,
}

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool::<Start>(
            "find_red_checks",
            "Runs the project's checks on its default branch and groups what fails, so that you can spawn a worker for each \
             group. Starts no workers and lands nothing. Returns immediately; look with show_fixes.",
        )
        .with_annotations(act()),
        tool::<Which>(
            "show_fixes",
            "Shows what find_red_checks found: what is red, in groups.",
        )
        .with_annotations(look()),
        tool::<Cancel>("cancel_fixes", "Cancels a run of find_red_checks that is under way, with its checks.")
            .with_annotations(act()),
    ]
}

pub(super) async fn start(bridge: &Bridge, arguments: Value) -> Outcome {
    let Start {} = read(arguments)?;
    let request = StartFix {
        dry_run: Some(true),
        ..StartFix::default()
    };
    let run = bridge.start_fix(request).await?;
    Ok(Answer::new(text(&run)))
}

pub(super) async fn status(bridge: &Bridge, arguments: Value) -> Outcome {
    let Which { run } = read(arguments)?;
    let request = GetFixes {
        id: run,
        project: None,
    };
    let all = bridge.fix_status(request).await?;
    match all.is_empty() {
        true => Ok(Answer::new("You started no run.")),
        false => Ok(Answer::new(all.iter().map(text).collect::<String>())),
    }
}

pub(super) async fn cancel(bridge: &Bridge, arguments: Value) -> Outcome {
    let Cancel { run } = read(arguments)?;
    let run = bridge.cancel_fix(FixRef { id: run }).await?;
    Ok(Answer::new(text(&run)))
}

/// Describes a run. What checks printed is not repeated here.
fn text(run: &FixRun) -> String {
    let mut text = format!("{}: {}\n", run.id, inside(&run.says));
    for group in &run.groups {
        text.push_str(&format!("- {}: {}\n", inside(&group.title), inside(&group.why)));
    }
    text
}
