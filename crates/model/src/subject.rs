//! Subjects: what a fact, an event, an effect or a run of a reactor is about, and the word by which a subject is stored
//! and sent. Not what is known of a subject: that is folded from its facts (see `fold.rs`).

use crate::id::{PlanId, ProjectId, SessionId};
use serde::{Deserialize, Serialize};

/// The longest name that a forge or a repository may give to something, in bytes.
const MAX_NAME: usize = 1024;

/// A subject. Every text is the word of exactly one subject, so that a subject that this build does not know survives
/// being read and written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Subject {
    /// A session, or a side shell: `session:s3k7b…`.
    Session(SessionId),
    /// A project: `project:p3k7b…`.
    Project(ProjectId),
    /// A pull request: `pull:github.com/PR_kwDOA`.
    Pull(PullId),
    /// A branch of a project's repository: `branch:p3k7b…/feature/cart`.
    Branch(Branch),
    /// A plan: `plan:pl3k7b…`.
    Plan(PlanId),
    /// A notifier, by its name in the configuration: `notifier:slack`.
    Notifier(NotifierName),
    /// The engine, for what concerns everything or nothing in particular: `engine`.
    Engine,
    /// A subject that this build does not know, or a malformed word.
    Unknown(UnknownSubject),
}

/// A pull request, by the id that its forge gave it. The id survives renames of the repository and the branch,
/// transfers, and pushes. The commit that a fact is about is part of the fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PullId {
    forge: String,
    id: String,
}

/// A branch, by its project and its name. A renamed branch is another subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Branch {
    project: ProjectId,
    name: String,
}

/// The name of a notifier. A renamed notifier is another subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NotifierName(String);

/// The word of a subject that this build does not know. Only [`Subject::of_word`] creates it, so it is never the word
/// of a known subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnknownSubject(String);

impl Subject {
    /// Returns the subject as one word.
    #[must_use]
    pub fn word(&self) -> String {
        match self {
            Self::Session(id) => format!("session:{id}"),
            Self::Project(id) => format!("project:{id}"),
            Self::Pull(pull) => format!("pull:{}/{}", pull.forge, pull.id),
            Self::Branch(branch) => format!("branch:{}/{}", branch.project, branch.name),
            Self::Plan(id) => format!("plan:{id}"),
            Self::Notifier(NotifierName(name)) => format!("notifier:{name}"),
            Self::Engine => "engine".to_owned(),
            Self::Unknown(UnknownSubject(word)) => word.clone(),
        }
    }

    /// Returns the subject of a word, whose own word is `word` again.
    #[must_use]
    pub fn of_word(word: &str) -> Self {
        Self::known(word).unwrap_or_else(|| Self::Unknown(UnknownSubject(word.to_owned())))
    }

    fn known(word: &str) -> Option<Self> {
        if word == "engine" {
            return Some(Self::Engine);
        }
        let (kind, id) = word.split_once(':')?;
        match kind {
            "session" => SessionId::parse(id).map(Self::Session),
            "project" => ProjectId::parse(id).map(Self::Project),
            "pull" => {
                let (forge, own) = id.split_once('/')?;
                // Another spelling of the same forge would be the same subject, and another word.
                PullId::new(forge, own)
                    .filter(|pull| pull.forge == forge)
                    .map(Self::Pull)
            }
            "branch" => {
                let (project, name) = id.split_once('/')?;
                Branch::new(ProjectId::parse(project)?, name).map(Self::Branch)
            }
            "plan" => PlanId::parse(id).map(Self::Plan),
            "notifier" => NotifierName::new(id).map(Self::Notifier),
            _ => None,
        }
    }

    /// Returns the id, if the subject is a session.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Session(id) => Some(id),
            _ => None,
        }
    }
}

impl From<String> for Subject {
    fn from(word: String) -> Self {
        Self::of_word(&word)
    }
}

impl From<Subject> for String {
    fn from(subject: Subject) -> Self {
        subject.word()
    }
}

impl PullId {
    /// Returns the pull request with this id at the forge of this host; `None` if the host or the id is malformed.
    #[must_use]
    pub fn new(forge: &str, id: &str) -> Option<Self> {
        let is_host = is_name(forge) && !forge.contains('/');
        (is_host && is_name(id)).then(|| Self {
            forge: forge.to_ascii_lowercase(),
            id: id.to_owned(),
        })
    }

    /// Returns the host of the forge.
    #[must_use]
    pub fn forge(&self) -> &str {
        &self.forge
    }

    /// Returns the id that the forge gave to it.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl NotifierName {
    /// Returns the name of a notifier: letters, digits, `-` and `_`; `None` for any other text.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let is_name = !name.is_empty() && name.len() <= 64 && name.bytes().all(fits);
        is_name.then(|| Self(name.to_owned()))
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Branch {
    /// Returns the branch of this name in a project's repository; `None` if no branch can have that name.
    #[must_use]
    pub fn new(project: ProjectId, name: &str) -> Option<Self> {
        let name = is_name(name).then(|| name.to_owned())?;
        Some(Self { project, name })
    }
}

/// Returns whether a text from outside can be a name in a word.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control();
    !text.is_empty() && text.len() <= MAX_NAME && text.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::{Branch, MAX_NAME, NotifierName, PullId, Subject};
    use crate::id::{PlanId, ProjectId, SessionId};
    use proptest::prelude::*;

    fn project() -> ProjectId {
        ProjectId::parse("p000000000001").unwrap()
    }

    #[test]
    fn each_subject_is_a_word_and_back() {
        let pull = |forge, id| Subject::Pull(PullId::new(forge, id).unwrap());
        for (subject, word) in [
            (
                Subject::Session(SessionId::parse("s000000000001").unwrap()),
                "session:s000000000001",
            ),
            (Subject::Project(project()), "project:p000000000001"),
            (pull("GitHub.com", "PR_kwDOA"), "pull:github.com/PR_kwDOA"),
            (
                pull("git.example:8443", "gid://gitlab/MergeRequest/12"),
                "pull:git.example:8443/gid://gitlab/MergeRequest/12",
            ),
            (
                Subject::Branch(Branch::new(project(), "fix/café:1").unwrap()),
                "branch:p000000000001/fix/café:1",
            ),
            (
                Subject::Plan(PlanId::parse("pl000000000001").unwrap()),
                "plan:pl000000000001",
            ),
            (
                Subject::Notifier(NotifierName::new("team_Slack-2").unwrap()),
                "notifier:team_Slack-2",
            ),
            (Subject::Engine, "engine"),
        ] {
            assert_eq!(subject.word(), word);
            assert_eq!(Subject::of_word(word), subject);
            let stored = serde_json::to_value(&subject).unwrap();
            assert_eq!(stored, word);
            assert_eq!(serde_json::from_value::<Subject>(stored).unwrap(), subject);
        }
    }

    #[test]
    fn what_is_not_known_is_kept_and_taken_for_nothing_else() {
        for word in [
            "",
            "session",
            "engine:",
            "Engine",
            "release:v2",
            "session:../x",
            "session:p000000000001",
            "project:p0000000000011",
            "pull:github.com",
            "pull:/PR_1",
            "pull:github.com/",
            "pull:GitHub.com/PR_1",
            "pull:github.com/PR 1",
            "branch:shop/main",
            "branch:p000000000001/",
            "branch:p000000000001/a\nb",
            "notifier:",
            "notifier:a b",
            "notifier:../x",
        ] {
            let subject = Subject::of_word(word);
            assert!(matches!(subject, Subject::Unknown(_)), "{word}: {subject:?}");
            assert_eq!(subject.word(), word);
        }
    }

    #[test]
    fn what_has_no_word_is_refused() {
        for (forge, id) in [("", "1"), ("a/b", "1"), ("a b", "1"), ("a", ""), ("a", "\u{7}")] {
            assert_eq!(PullId::new(forge, id), None, "{forge} {id}");
        }
        assert!(Branch::new(project(), &"x".repeat(MAX_NAME)).is_some());
        for name in [String::new(), "a b".into(), "x".repeat(MAX_NAME + 1)] {
            assert_eq!(Branch::new(project(), &name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_word_is_lost(word in "((session|project|pull|branch|plan|notifier|x):)?[sp]?[0-9a-zA-Z/:. ]{0,14}") {
            prop_assert_eq!(Subject::of_word(&word).word(), word);
        }

        #[test]
        fn no_two_subjects_share_a_word(forge in "[a-z:./ ]{1,4}", id in "[a-zA-Z:/]{1,4}", name in "[a-z:/]{1,6}") {
            let pull = PullId::new(&forge, &id).map(Subject::Pull);
            let branch = Branch::new(project(), &name).map(Subject::Branch);
            for subject in pull.into_iter().chain(branch) {
                prop_assert_eq!(Subject::of_word(&subject.word()), subject);
            }
        }
    }
}
