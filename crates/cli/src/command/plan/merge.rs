//! `downbeat plan merge`: merges the work of a plan, each worker's after what it needs.

use crate::client::Client;
use crate::failure::Failure;
use crate::outcome::{DONE, Outcome, print};
use crate::paint::plain;
use downbeat_model::session::MergeStrategy;
use downbeat_wire::Client as _;
use downbeat_wire::plan_merge::{MergePlan, WorkerMergeResult};

/// Merges the work of all workers that are done, and prints what was done for each.
pub(super) async fn run(
    client: &Client,
    plan: String,
    (strategy, by_hand_is_merged): (Option<MergeStrategy>, bool),
) -> Outcome {
    let request = MergePlan {
        id: plan,
        strategy,
        by_hand_merged: by_hand_is_merged.then_some(true),
    };
    let made = client.merge_plan(request).await?;
    let (mut text, mut left) = (String::new(), Vec::new());
    for one in made.workers {
        let mut line = format!("{}: {}", plain(&one.worker), plain(&one.said));
        if let Some(hint) = &one.hint {
            line.push_str(&format!("; {}", plain(hint)));
        }
        match one.result {
            WorkerMergeResult::Requested | WorkerMergeResult::Nothing => text.push_str(&format!("{line}\n")),
            WorkerMergeResult::Left => left.push(line),
        }
    }
    print(&text)?;
    match left.is_empty() {
        true => DONE,
        false => {
            Err(Failure::new(format!("not merged:\n{}", left.join("\n")))
                .hint("repeat this once that is done"))
        }
    }
}
