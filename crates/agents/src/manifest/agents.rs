//! The list of agents: those that come with Downbeat, and those of a person, which take precedence. Whether
//! they are installed is looked up in `program`.

use crate::manifest::form::{Key, Manifest, PromptWay};
use downbeat_yaml::{Error, Problem};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The id of the plain shell.
pub const SHELL: &str = "shell";

/// The manifests that come with Downbeat, by id, in the order in which people see them.
const OURS: [(&str, &str); 11] = [
    ("claude", include_str!("../../manifests/claude.yaml")),
    ("codex", include_str!("../../manifests/codex.yaml")),
    ("opencode", include_str!("../../manifests/opencode.yaml")),
    ("aider", include_str!("../../manifests/aider.yaml")),
    ("amp", include_str!("../../manifests/amp.yaml")),
    ("copilot", include_str!("../../manifests/copilot.yaml")),
    ("cursor", include_str!("../../manifests/cursor.yaml")),
    ("gemini", include_str!("../../manifests/gemini.yaml")),
    ("goose", include_str!("../../manifests/goose.yaml")),
    ("kimi", include_str!("../../manifests/kimi.yaml")),
    ("qwen", include_str!("../../manifests/qwen.yaml")),
];

/// The built-in manifests, read once; a test checks that all of them are valid.
static READ: LazyLock<Vec<Arc<Manifest>>> = LazyLock::new(|| {
    let read = OURS
        .iter()
        .filter_map(|(id, text)| ours(id, text).ok().map(Arc::new));
    read.collect()
});

fn ours(id: &str, text: &str) -> Result<Manifest, Error> {
    read_manifest(id, Path::new(id), text)
}

/// Reads the manifest of the agent `id` from the text of the file at `path`.
pub fn read_manifest(id: &str, path: &Path, text: &str) -> Result<Manifest, Error> {
    let manifest: Option<Manifest> = downbeat_yaml::parse(path, text)?;
    let manifest = manifest.ok_or_else(|| {
        Error::Wrong(vec![Problem {
            file: path.to_owned(),
            line: 1,
            column: 1,
            message: "the file is empty; it needs at least `command`".into(),
            nearest: None,
        }])
    })?;
    Ok(named(id, manifest))
}

fn named(id: &str, manifest: Manifest) -> Manifest {
    let name = match manifest.name.trim() {
        "" => id.to_owned(),
        name => name.to_owned(),
    };
    Manifest {
        id: id.to_owned(),
        name,
        ..manifest
    }
}

/// All agents, each id once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agents(Vec<Arc<Manifest>>);

impl Agents {
    /// Collects our agents, the person's shell `shell`, and `own`, which replace agents of the same id.
    #[must_use]
    pub fn new(shell: &str, own: impl IntoIterator<Item = (String, Manifest)>) -> Self {
        let mut all = READ.clone();
        all.push(Arc::new(Manifest {
            id: SHELL.into(),
            name: "Shell".into(),
            command: vec![shell.to_owned()],
            install: "Every system has one; set SHELL to the one you want".into(),
            prompt: PromptWay::None,
            interrupt: vec![Key::CtrlC],
            ..Manifest::default()
        }));
        for (id, manifest) in own {
            let manifest = Arc::new(named(&id, manifest));
            match all.iter_mut().find(|known| known.id == id) {
                Some(known) => *known = manifest,
                None => all.push(manifest),
            }
        }
        Self(all)
    }

    /// Returns the agent with this id, or with this alias if none has the id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<Manifest>> {
        let has_alias = |manifest: &&Arc<Manifest>| manifest.aliases.iter().any(|alias| alias == id);
        let mut all = self.0.iter();
        all.find(|manifest| manifest.id == id)
            .or_else(|| self.0.iter().find(has_alias))
    }

    /// Iterates over all agents, in the order in which people see them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Manifest>> {
        self.0.iter()
    }
}

/// Returns a built-in manifest, for tests.
#[cfg(test)]
pub(crate) fn built_in(id: &str) -> Arc<Manifest> {
    Arc::clone(Agents::new("/bin/sh", []).get(id).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_manifest_is_valid() {
        for (id, text) in OURS {
            let manifest = ours(id, text).unwrap_or_else(|error| panic!("{error}"));
            assert!(!manifest.install.is_empty() && manifest.name != id, "{id}");
        }
        assert_eq!(READ.len(), OURS.len());
    }

    #[test]
    fn an_agent_of_a_person_replaces_ours_of_the_same_id() {
        let boxed = Manifest {
            command: vec!["boxed-claude".into()],
            ..Manifest::default()
        };
        let agents = Agents::new(
            "/bin/zsh",
            [("claude".into(), boxed.clone()), ("mine".into(), boxed)],
        );
        assert_eq!(agents.get("claude").unwrap().name, "claude");
        assert_eq!(agents.get("mine").unwrap().program(), "boxed-claude");
        assert_eq!(agents.get("shell").unwrap().program(), "/bin/zsh");
        assert_eq!(agents.iter().filter(|agent| agent.id == "claude").count(), 1);
    }

    #[test]
    fn an_agent_is_found_by_its_aliases_unless_another_has_that_id() {
        let agents = Agents::new("/bin/sh", []);
        for (named, id) in [
            ("claude-code", "claude"),
            ("claude", "claude"),
            ("codex", "codex"),
            ("aider", "aider"),
            ("cursor", "cursor"),
            ("opencode", "opencode"),
            ("kimicode", "kimi"),
        ] {
            assert_eq!(agents.get(named).unwrap().id, id, "{named}");
        }
        assert!(agents.get("claude-").is_none());
        let own = Manifest {
            command: vec!["mine".into()],
            ..Manifest::default()
        };
        let agents = Agents::new("/bin/sh", [("claude-code".into(), own)]);
        assert_eq!(agents.get("claude-code").unwrap().program(), "mine");
    }

    #[test]
    fn mistakes_in_a_manifest_are_reported_with_their_line() {
        let text = "comand: [x]\nprompt: typed\ntools: [--mcp]\n";
        let error = read_manifest("mine", Path::new("mine.yaml"), text)
            .unwrap_err()
            .to_string();
        assert!(error.contains("mine.yaml:1:1"), "{error}");
        assert!(error.contains("did you mean `command`?"), "{error}");
        let error = read_manifest("mine", Path::new("m.yaml"), "command: [x]\ntools: [--mcp]").unwrap_err();
        assert!(
            error
                .to_string()
                .contains("none of the arguments contains `{tools}`"),
            "{error}"
        );
        let text = "command: [x]\nresume: [x, '{conversatoin}']\nmodel: ['-c={\"a\":1}{model}']";
        let error = read_manifest("mine", Path::new("m.yaml"), text)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`{conversatoin}` is not a placeholder here"),
            "{error}"
        );
        assert!(!error.contains("model"), "{error}");
        let error = read_manifest("mine", Path::new("m.yaml"), "# nothing\n").unwrap_err();
        assert!(error.to_string().contains("at least `command`"), "{error}");
    }
}
