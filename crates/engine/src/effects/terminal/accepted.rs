//! Detects that an agent without hooks and without a visible prompt took a message: its screen changes after
//! Enter. The check runs while the typing lock is held, so an engine that hands over waits for it; the next
//! engine could no longer tell. For other agents, see `typing`.

use crate::keepers::screen;
use crate::state::context::Engine;
use downbeat_agents::Manifest;
use downbeat_keeper::Link;
use downbeat_store::SessionRow;
use std::time::Duration;
use tokio::time::Instant;

/// How long the screen has to change.
const TIME_LIMIT: Duration = Duration::from_millis(500);

/// The interval between two looks at the screen.
const GLANCE: Duration = Duration::from_millis(20);

/// Whether the screen changes within [`TIME_LIMIT`]. `before` is the output position at Enter.
pub async fn screen_moved(
    engine: &Engine,
    row: &SessionRow,
    agent: &Manifest,
    link: &Link,
    before: u64,
) -> bool {
    if agent.has_hooks() {
        return false;
    }
    let until = Instant::now() + TIME_LIMIT;
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
