//! Queries what an agent can do and which limits it respects, as its adapter and its manifest say. How it is
//! done is up to the adapter.

use crate::adapter::Ability;
use crate::adapters::adapter;
use crate::manifest::Manifest;
use downbeat_model::PermissionMode;

impl Manifest {
    /// Returns whether the agent has this ability according to its adapter.
    #[must_use]
    pub fn can(&self, ability: Ability) -> bool {
        adapter(self.adapter).can(self, ability)
    }

    /// Returns whether hooks report the agent's status. Without hooks there are only the title, the screen,
    /// the output and the exit.
    #[must_use]
    pub fn has_hooks(&self) -> bool {
        self.can(Ability::TellStatus)
    }

    /// Returns whether a hook reports that the agent is up before it is given anything to do. Otherwise its
    /// title shows it.
    #[must_use]
    pub fn tells_start(&self) -> bool {
        self.can(Ability::TellStart)
    }

    /// Returns whether hooks report the answer to every question. Otherwise keys and the screen show it.
    #[must_use]
    pub fn tells_answers(&self) -> bool {
        self.can(Ability::TellAnswers)
    }

    /// Returns whether the manifest was tried with this version, or lists no versions.
    #[must_use]
    pub fn was_tried(&self, version: &str) -> bool {
        let tried = self.tried.as_deref();
        tried.is_none_or(|tried| tried.split(',').any(|one| one.trim() == version))
    }

    /// Returns whether the agent can be given the orchestration tools.
    #[must_use]
    pub fn can_conduct(&self) -> bool {
        self.can(Ability::Conduct)
    }

    /// Returns whether the agent can resume a conversation that ended.
    #[must_use]
    pub fn can_resume(&self) -> bool {
        self.can(Ability::Resume)
    }

    /// Returns whether a new session can start with a copy of one of the agent's conversations.
    #[must_use]
    pub fn can_fork(&self) -> bool {
        self.can(Ability::Fork)
    }

    /// Returns whether the agent can run one prompt and exit.
    #[must_use]
    pub fn can_run_once(&self) -> bool {
        self.can(Ability::RunOnce)
    }

    /// Returns whether a run of one prompt is read-only in the modes that would ask first.
    #[must_use]
    pub fn only_reads_once(&self) -> bool {
        self.can(Ability::OnlyReadOnce)
    }

    /// Returns whether a run of one prompt, in which nobody can be asked, respects a permission mode.
    #[must_use]
    pub fn holds_once(&self, mode: PermissionMode) -> bool {
        mode == PermissionMode::Bypass || self.only_reads_once() || self.can(Ability::KeepPermissions)
    }

    /// Returns whether the title or the screen shows both when a turn is running and when it is not.
    #[must_use]
    pub fn tells_turns(&self) -> bool {
        let (title, screen) = (&self.title, &self.screen);
        let any = |one: &[String], other: &[String]| !one.is_empty() || !other.is_empty();
        any(&title.works, &screen.works) && any(&title.rests, &screen.rests)
    }

    /// Returns whether the manifest has rules for the title or the screen.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        let (title, screen) = (&self.title, &self.screen);
        let all = [&title.works, &title.rests, &screen.works, &screen.rests];
        !self.questions.is_empty()
            || all.iter().any(|marks| !marks.is_empty())
            || self.limits.iter().any(|rule| rule.screen)
    }

    /// Returns whether Downbeat can learn of the agent's questions.
    #[must_use]
    pub fn tells_questions(&self) -> bool {
        self.has_hooks() || !self.questions.is_empty()
    }

    /// Returns whether a conductor may spawn the agent.
    #[must_use]
    pub fn can_be_spawned(&self) -> bool {
        self.can(Ability::KeepPermissions) || self.spawnable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::{Agents, built_in, read_manifest};
    use std::path::Path;

    fn abilities(agent: &Manifest) -> Vec<Ability> {
        let all = Ability::ALL.into_iter();
        all.filter(|ability| agent.can(*ability)).collect()
    }

    /// An ability comes from its own field, never from the other fields of a manifest that are filled in.
    #[test]
    fn an_agent_that_is_only_declared_claims_no_ability() {
        let text = "command: [x]\nname: X\ninstall: anyhow\ntitle: { works: ['⠁-⣿'], rests: ['='], topic: true }\n\
            questions: [{ kind: permission, marks: ['May I '] }]\nlimits: [{ marks: [limit], screen: true }]\n\
            promptBox: { mark: '>' }\ninterrupt: [escape]\nmodel: ['--model={model}']\n";
        let declared = read_manifest("x", Path::new("x.yaml"), text).unwrap();
        assert_eq!(abilities(&declared), []);
        assert!(!declared.can_be_spawned() && !declared.has_hooks());
        let agents = Agents::new("/bin/sh", []);
        assert_eq!(abilities(agents.get("shell").unwrap()), []);
    }

    #[test]
    fn each_ability_of_a_manifest_comes_from_its_own_field() {
        for (field, wanted) in [
            ("tools: ['--mcp={tools}']", Ability::Conduct),
            ("resume: [x, --again]", Ability::Resume),
            ("fork: [x, '--fork={conversation}']", Ability::Fork),
            ("once: [x, '{prompt}']", Ability::RunOnce),
            ("onceReads: true", Ability::OnlyReadOnce),
            (
                "permission: { plan: [], ask: [], acceptEdits: [], bypass: [] }",
                Ability::KeepPermissions,
            ),
        ] {
            let text = format!("command: [x]\n{field}\n");
            let agent = read_manifest("x", Path::new("x.yaml"), &text).unwrap();
            assert_eq!(abilities(&agent), [wanted], "{field}");
        }
    }

    /// The guide and the interface show what each adapter says here.
    #[test]
    fn the_agents_with_code_have_the_documented_abilities() {
        use Ability::{TellAnswers, TellStart, VouchForHooks};
        for (id, without) in [
            ("claude", vec![TellAnswers, VouchForHooks]),
            ("codex", vec![TellStart, TellAnswers]),
            ("opencode", vec![TellStart, VouchForHooks]),
        ] {
            let all = Ability::ALL.into_iter();
            let missing: Vec<_> = all.filter(|ability| !built_in(id).can(*ability)).collect();
            let sorted = |list: Vec<Ability>| Ability::ALL.into_iter().filter(move |one| list.contains(one));
            assert!(missing.into_iter().eq(sorted(without)), "{id}");
        }
    }
}
