//! Determines whether a shell waits at its prompt, from the foreground process group of its terminal. Checked
//! when output settles and after a key, never on a timer of its own, so that a redraw for a window that opens
//! does not count as work. Applies only to the agent `shell`, since other programs have prompts of their own.
//! If the system does not report the group (Windows), only output and silence are left.

use crate::facts::evidence;
use crate::host::config::GlobalConfig;
use crate::state::context::Engine;
use downbeat_agents::SHELL;
use downbeat_keeper::Link;
use downbeat_model::{Activity, EvidenceSource, FactKind, Observed, SessionId, Status};

/// The source of this evidence, in words.
const BY: &str = "foreground process group";

/// The maximum length of a program's name that is shown.
const NAME: usize = 40;

/// Whether the foreground of the terminal shows what `agent` does. That is not so for a command that the
/// person declared under the shell's id.
pub fn is_shell(engine: &Engine, agent: &str) -> bool {
    cfg!(unix) && agent == SHELL && is_ours(&engine.config())
}

/// Whether the id of the shell refers to Downbeat's own agent.
fn is_ours(config: &GlobalConfig) -> bool {
    !config.agents.contains_key(SHELL)
}

/// The result of a look at the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The foreground program is known and recorded.
    Known,
    /// The system or the keeper does not report it.
    Untold,
}

/// Looks up the foreground program of a shell, and records a change.
pub async fn look(engine: &Engine, id: &SessionId, link: &Link) -> Seen {
    let row = engine.ledger.session(id);
    let Some(row) = row.filter(|row| is_shell(engine, &row.agent)) else {
        return Seen::Untold;
    };
    // During set-up, other programs run in that terminal.
    if !matches!(row.status, Status::Running | Status::Idle | Status::Unknown) {
        return Seen::Known;
    }
    // A late answer is ignored: the next output leads to the next look.
    let Ok(text) = link.text(1).await else {
        return Seen::Known;
    };
    let Some(foreground) = text.foreground else {
        return Seen::Untold;
    };
    let (activity, kind, detail) = if foreground.is_own {
        (
            Activity::Idle,
            FactKind::TurnEnded,
            format!("at its prompt ({BY})"),
        )
    } else {
        let name = downbeat_model::name::title(&foreground.name);
        let name: String = name.chars().take(NAME).collect();
        let what = if name.is_empty() { "a program" } else { &name };
        let detail = format!("runs {what} ({BY})");
        (Activity::Active, FactKind::Runs(what.to_owned()), detail)
    };
    let program = match &kind {
        FactKind::Runs(program) => Some(program.as_str()),
        _ => None,
    };
    let is_known = |known: &Observed| {
        known.activity == activity && known.evidence.detail == detail && known.program.as_deref() == program
    };
    if !row.observed.as_ref().is_some_and(is_known) {
        evidence::note(engine, id, EvidenceSource::Process, &detail, kind).await;
    }
    Seen::Known
}

#[cfg(test)]
mod tests {
    use super::is_ours;
    use crate::host::config::GlobalConfig;
    use downbeat_agents::SHELL;

    #[test]
    fn an_agent_declared_under_the_shells_id_is_not_a_shell() {
        let mut config = GlobalConfig::default();
        assert!(is_ours(&config));
        config.shell = Some("/usr/bin/fish".into());
        assert!(is_ours(&config), "it is the shell, by another program");
        let declared = serde_json::json!({ "command": ["menu"] });
        let declared = serde_json::from_value(declared).unwrap();
        config.agents.insert(SHELL.into(), declared);
        assert!(!is_ours(&config));
    }
}
