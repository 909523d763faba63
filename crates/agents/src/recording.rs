//! Reads recorded posts of real agents, for the tests of their meaning.

use crate::agent::post::read_post;
use downbeat_model::{Fact, FactKind, Fold as _, Observed};
use jiff::Timestamp;

/// Formats one line for each post of `agent`: its event and the facts that it gives.
pub(crate) fn meanings(agent: &str, posts: &str) -> String {
    let lines = posts.lines().enumerate().map(|(n, post)| {
        let event: serde_json::Value = serde_json::from_str(post).unwrap();
        let event = event["hook_event_name"].as_str().unwrap().to_owned();
        let facts = read(agent, n, post);
        let kinds: Vec<String> = facts
            .iter()
            // The words of an answer come from the model and do not matter for the meaning of a post.
            .filter(|f| !matches!(f.kind, FactKind::Answered(_)))
            .map(|f| format!("{:?} ({})", f.kind, f.detail))
            .collect();
        format!("{event}: {}", kinds.join(", "))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn read(agent: &str, second: usize, post: &str) -> Vec<Fact> {
    let at = Timestamp::from_second(second as i64).unwrap();
    read_post(&crate::manifest::agents::built_in(agent), post, at)
        .facts
        .unwrap()
}

/// Returns what is known after the first `count` of `posts`.
pub(crate) fn observed(agent: &str, posts: &str, count: usize) -> Observed {
    let start = Observed::started(Timestamp::from_second(0).unwrap());
    let facts = posts.lines().take(count).enumerate();
    let facts = facts.flat_map(|(n, post)| read(agent, n, post));
    facts.fold(start, |seen, fact| seen.after(&fact))
}
