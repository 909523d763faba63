//! The data that Downbeat needs about an agent: how to start it, and what its title and its screen mean. The
//! form is the same for the agents that come with Downbeat and for those that a person declares. What cannot
//! be said as data (hooks, transcripts) is in an [adapter](crate::adapter::Adapter).

use downbeat_model::{PermissionMode, QuestionKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Its id: the name of its file, or its key under `agents`.
    #[serde(skip)]
    pub id: String,
    /// What people read; default its id.
    #[serde(default)]
    pub name: String,
    /// Its program and arguments. No shell sees them.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// How to get it, where it is missing.
    #[serde(default)]
    pub install: String,
    /// The versions that this was tried with, separated by commas; absent where nobody tried it.
    #[serde(default)]
    pub tried: Option<String>,
    /// Which code of Downbeat's starts it and understands its hooks.
    #[serde(default)]
    pub adapter: AdapterKind,
    /// How it gets its first prompt.
    #[serde(default)]
    pub prompt: PromptWay,
    /// The option before a first prompt that is an argument.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub prompt_option: Option<String>,
    /// Whether its first request may leave before the tool servers that it was given answer. Its first
    /// prompt is then typed once it listed Downbeat's tools, where it gets those. Default no.
    #[serde(default)]
    pub prompt_after_tools: bool,
    /// Arguments that choose a model, with `{model}`.
    #[serde(default)]
    pub model: Vec<String>,
    /// Arguments for each permission mode. Without them it cannot be held to one.
    #[serde(default)]
    pub permission: Option<Permissions>,
    /// Arguments that name a new conversation, with `{conversation}`, a UUID.
    #[serde(default)]
    pub conversation: Vec<String>,
    /// Arguments for what it is told about its part, with `{briefing}`.
    #[serde(default)]
    pub briefing: Vec<String>,
    /// Arguments that give it the orchestration tools, with `{tools}`: JSON with `mcpServers`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Program and arguments that go on with a conversation: with `{conversation}` the one of that
    /// id, else the last one in the same directory.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub resume: Option<Vec<String>>,
    /// Program and arguments that begin a new conversation with a copy of the one of the id
    /// `{conversation}`, in the directory it is started in.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub fork: Option<Vec<String>>,
    /// Program and arguments that run the one prompt `{prompt}` and end; what it is told beside that
    /// follows. Agents with an adapter have theirs.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub once: Option<Vec<String>>,
    /// Whether that form, which asks nobody, only reads where the permission mode is `plan` or `ask`.
    /// Agents with an adapter do. Default no.
    #[serde(default)]
    pub once_reads: bool,
    /// Variables for its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether a conductor may spawn it although it cannot be held to a permission mode. Default no.
    #[serde(default)]
    pub spawnable: bool,
    /// What its title says.
    #[serde(default)]
    pub title: TitleRules,
    /// What its screen says of a turn, where its title does not.
    #[serde(default)]
    pub screen: ScreenRules,
    /// Questions on its screen, tried in order.
    #[serde(default)]
    pub questions: Vec<QuestionRule>,
    /// How it tells that it hit a usage limit, tried in order.
    #[serde(default)]
    pub limits: Vec<LimitRule>,
    /// What stands before the time after which it asks its model again, in a line right above its
    /// prompt; for an agent whose hooks do not tell it.
    #[serde(default)]
    pub retries: Vec<String>,
    /// Where its screen shows what stands in its prompt.
    #[serde(default)]
    pub prompt_box: Option<PromptBox>,
    /// Keys that interrupt a turn, one after another. Without them none is interrupted.
    #[serde(default)]
    pub interrupt: Vec<Key>,
    /// Key that empties its prompt; pressed only where text of Downbeat's own stands there.
    #[serde(default)]
    pub clear: Option<Key>,
}

/// Where the prompt stands on the screen: the lowest lines that begin so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromptBox {
    /// What its first line, or each of its lines, begins with.
    #[schemars(length(min = 1))]
    pub mark: String,
    /// What the line below it begins with; default a blank line.
    #[serde(default)]
    pub end: Option<String>,
    /// What the line below it is drawn with behind `end`: the prompt is as wide as that. Default as wide
    /// as the screen.
    #[serde(default)]
    pub across: Option<String>,
    /// Lines with text at its bottom that are the agent's own.
    #[serde(default)]
    pub foot: usize,
    /// What stands there while it is empty: the beginnings of such texts.
    #[serde(default)]
    pub empty: Vec<String>,
    /// How it shows a long text that was pasted: the beginnings.
    #[serde(default)]
    pub pasted: Vec<String>,
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// Escape.
    Escape,
    /// Ctrl and C.
    CtrlC,
    /// Ctrl and U.
    CtrlU,
}

impl Key {
    /// Returns the bytes that a terminal sends for the key.
    #[must_use]
    pub fn bytes(self) -> &'static str {
        match self {
            Self::Escape => "\x1b",
            Self::CtrlC => "\x03",
            Self::CtrlU => "\x15",
        }
    }
}

/// The code that an agent needs beside its manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Adapter")]
pub enum AdapterKind {
    /// None: the manifest says all.
    #[default]
    None,
    /// Claude Code's.
    Claude,
    /// Codex'.
    Codex,
    /// OpenCode's.
    Opencode,
}

impl AdapterKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 4] = [Self::None, Self::Claude, Self::Codex, Self::Opencode];
}

/// How an agent gets its first prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PromptWay {
    /// As its last argument.
    Argument,
    /// Typed into its terminal once it is up.
    #[default]
    Type,
    /// Not at all.
    None,
}

/// Arguments for each permission mode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Permissions {
    /// It may look and plan.
    pub plan: Vec<String>,
    /// It asks before it acts.
    pub ask: Vec<String>,
    /// It may edit files.
    pub accept_edits: Vec<String>,
    /// It may do anything.
    pub bypass: Vec<String>,
}

impl Permissions {
    /// Returns the arguments for `mode`.
    #[must_use]
    pub fn of(&self, mode: PermissionMode) -> &[String] {
        match mode {
            PermissionMode::Plan => &self.plan,
            PermissionMode::Ask => &self.ask,
            PermissionMode::AcceptEdits => &self.accept_edits,
            PermissionMode::Bypass => &self.bypass,
        }
    }
}

/// How the beginning of a title is to be read. One that begins with none of these says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TitleRules {
    /// A turn goes on. `⠁-⣿` stands for every sign in between.
    #[serde(default)]
    pub works: Vec<String>,
    /// It rests, or it asks; `*` for every title that does not say that a turn goes on.
    #[serde(default)]
    pub rests: Vec<String>,
    /// Whether what follows the sign is what it is about.
    #[serde(default)]
    pub topic: bool,
    /// It is up and takes keys, which says nothing of a turn.
    #[serde(default)]
    pub up: Vec<String>,
}

/// What the lowest lines of the screen say of a turn. A mark stands anywhere in a line, letter for
/// letter; after a `^` it is what the line begins with, as in titles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScreenRules {
    /// How many of the lowest lines with text are looked at; default all.
    #[serde(default)]
    pub lines: Option<usize>,
    /// A turn goes on.
    #[serde(default)]
    pub works: Vec<String>,
    /// It rests. Looked for where no mark says that it works.
    #[serde(default)]
    pub rests: Vec<String>,
}

/// How a question looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionRule {
    /// What kind of answer it wants.
    pub kind: QuestionKind,
    /// All of these are on the screen, the last one in the question's own line.
    #[schemars(length(min = 1))]
    pub marks: Vec<String>,
    /// How many of the lowest lines with text are looked at; default all.
    #[serde(default)]
    pub lines: Option<usize>,
    /// Whether it asks this outside a turn, at a command of its own. Default no.
    #[serde(default)]
    pub at_rest: bool,
    /// What people read; default the line of the last mark.
    #[serde(default)]
    pub text: String,
    /// The line after the one with this tells what it is about.
    #[serde(default)]
    pub about: Option<String>,
    /// Where the answers stand side by side: the first of them.
    #[serde(default)]
    pub beside: Option<String>,
    /// The answers, where the screen does not list them line by line.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Keys that give an answer wherever the pointer stands. Where some are named, only those
    /// answers can be given from outside the terminal.
    #[serde(default)]
    pub keys: BTreeMap<String, AnswerKey>,
}

/// How a usage limit is told, in what the agent says of itself: a hook's failure, an error in its
/// transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitRule {
    /// All of these are in the text, in this order, in small or capital letters.
    #[schemars(length(min = 1))]
    pub marks: Vec<String>,
    /// What stands before the time at which it ends: the first that a time follows counts.
    #[serde(default)]
    pub resets: Vec<String>,
    /// Whether its screen is read for it too, once it rests: right above the prompt, in a line that
    /// begins with the first mark. For an agent that nothing else is told of.
    #[serde(default)]
    pub screen: bool,
}

/// A key that gives an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerKey {
    /// Enter.
    Enter,
    /// Escape.
    Escape,
    /// The letter y, then Enter.
    YEnter,
    /// The letter n, then Enter.
    NEnter,
}

impl AnswerKey {
    /// Returns the bytes that a terminal sends for the key.
    #[must_use]
    pub fn bytes(self) -> &'static str {
        match self {
            Self::Enter => "\r",
            Self::Escape => "\x1b",
            Self::YEnter => "y\r",
            Self::NEnter => "n\r",
        }
    }
}

impl Manifest {
    /// Returns the program to look for on `PATH`, or its absolute path.
    #[must_use]
    pub fn program(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    /// Returns how to install the agent if it is missing.
    #[must_use]
    pub fn install_hint(&self) -> String {
        if !self.install.is_empty() {
            return self.install.clone();
        }
        let (program, id) = (self.program(), &self.id);
        format!("Put `{program}` on PATH, or correct the command of agent `{id}`")
    }
}
