//! What a session has behind it: whether its agent ever showed itself and whether it ever took up a
//! task. Resume goes on where something was begun, and begins where nothing was.

use downbeat_git::CopyRecord;
use downbeat_model::{Activity, Status};
use downbeat_store::SessionRow;
use downbeat_wire::session::{Step, StepState};
use serde_json::{Value, json};

/// The files that set-up commands made or changed, before the agent was there.
const MADE: &str = "made";

/// The agent showed itself, in this run or in one before.
pub(crate) const SHOWN: &str = "shown";

/// A turn started, in this run or in one before.
pub(crate) const TURN: &str = "turn";

/// Something was said in the conversation that the session has now.
pub(crate) const SAID: &str = "said";

/// Whether the agent of a session ever showed itself.
pub fn was_up(row: &SessionRow) -> bool {
    let steps: Vec<Step> = serde_json::from_value(row.steps.clone()).unwrap_or_default();
    let started = |step: &Step| step.name == "start" && step.state == StepState::Done;
    flag(row, SHOWN) == Some(true) || steps.iter().any(started)
}

/// Whether the agent's own program was started in this run, and no set-up runs any more.
pub fn agent_started(row: &SessionRow) -> bool {
    let steps: Vec<Step> = serde_json::from_value(row.steps.clone()).unwrap_or_default();
    let runs = |name: &str| {
        steps
            .iter()
            .any(|step| step.name == name && step.state == StepState::Running)
    };
    let done = |step: &Step| step.name == "start" && step.state == StepState::Done;
    !runs("setup") && (runs("start") || steps.iter().any(done))
}

/// Whether a turn of it ever started; where nobody looked for one, it is taken to have.
pub fn had_turn(row: &SessionRow) -> bool {
    flag(row, TURN).unwrap_or_else(|| was_up(row))
}

/// What a new run is told of the ones before, beside its own `setup`.
pub fn carried(row: &SessionRow, mut setup: Value) -> Value {
    setup[SHOWN] = json!(was_up(row));
    setup[TURN] = json!(had_turn(row));
    if let Some(made) = row.setup.get(MADE) {
        setup[MADE] = made.clone();
    }
    if let Some(said) = flag(row, SAID) {
        setup[SAID] = json!(said);
    }
    setup
}

/// Whether it is known that nothing was said yet in the conversation that the session has now.
pub fn is_unspoken(row: &SessionRow) -> bool {
    flag(row, SAID) == Some(false)
}

/// Notes that a session has a conversation in which nothing was said yet.
pub fn unspoken(row: &mut SessionRow) {
    row.setup[SAID] = json!(false);
}

/// What set-up commands made.
pub fn made(row: &SessionRow) -> CopyRecord {
    let made = row.setup.get(MADE).cloned().unwrap_or_default();
    serde_json::from_value(made).unwrap_or_default()
}

/// Notes what set-up commands made.
pub fn note_made(row: &mut SessionRow, made: &CopyRecord) {
    row.setup[MADE] = json!(made);
}

/// Whether an agent that starts is up, and has not taken its first prompt yet.
pub fn is_up_at_start(row: &SessionRow) -> bool {
    let seen = row.observed.as_ref();
    row.status == Status::Spawning && seen.is_some_and(|seen| seen.activity == Activity::Ready)
}

fn flag(row: &SessionRow, name: &str) -> Option<bool> {
    row.setup.get(name).and_then(Value::as_bool)
}
