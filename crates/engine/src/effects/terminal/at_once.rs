//! Whether an agent took a message that tells nothing by hooks and shows no prompt: its screen goes on after Enter.
//! Looked at while others still wait to type, so that an engine that hands over waits for it: the next one
//! could not tell any more. Agents that tell more are looked at in `typing`.

use crate::keepers::screen;
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_keeper::Link;
use downbeat_store::SessionRow;
use std::time::Duration;
use tokio::time::Instant;

/// How long it has.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Between two looks at its screen.
const GLANCE: Duration = Duration::from_millis(20);

/// Whether the screen goes on within an instant, `before` being the output until Enter.
pub async fn went_on(engine: &Engine, row: &SessionRow, agent: &Manifest, link: &Link, before: u64) -> bool {
    if agent.has_hooks() {
        return false;
    }
    let until = Instant::now() + AT_ONCE;
    while Instant::now() < until {
        match screen::look(engine, &row.id, link).await {
            Ok(shown) if downbeat_agents::prompt_text(agent, &shown.text).is_some() => return false,
            Ok(shown) if shown.seq > before => return true,
            Ok(_) => tokio::time::sleep(GLANCE).await,
            Err(_) => return false,
        }
    }
    false
}
