//! The data that Downbeat needs about an agent: how to start it, and what its title and its screen mean. The
//! form is the same for the agents that come with Downbeat and for those that a person declares. What cannot
//! be expressed as data (hooks, transcripts) is in an [adapter](crate::adapter::Adapter).

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
    /// The name that people read; default its id.
    #[serde(default)]
    pub name: String,
    /// Further ids by which it can be named. The id of another agent takes precedence.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Its program and arguments. No shell is involved.
    #[schemars(length(min = 1))]
    pub command: Vec<String>,
    /// How to install it; shown if it is missing.
    #[serde(default)]
    pub install: String,
    /// The versions that this manifest was tested with, separated by commas; absent if it is untested.
    #[serde(default)]
    pub tried: Option<String>,
    /// The code of Downbeat that starts it and understands its hooks.
    #[serde(default)]
    pub adapter: AdapterKind,
    /// How it gets its first prompt.
    #[serde(default)]
    pub prompt: PromptWay,
    /// The option before a first prompt that is an argument.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub prompt_option: Option<String>,
    /// Whether it may send its first request before its tool servers have answered. Its first prompt is
    /// then typed once it has listed Downbeat's tools, if it gets those. Default no.
    #[serde(default)]
    pub prompt_after_tools: bool,
    /// Arguments that choose a model, with `{model}`.
    #[serde(default)]
    pub model: Vec<String>,
    /// Arguments for each permission mode. Without them no mode can be enforced.
    #[serde(default)]
    pub permission: Option<Permissions>,
    /// Arguments that name a new conversation, with `{conversation}`, a UUID.
    #[serde(default)]
    pub conversation: Vec<String>,
    /// Arguments that pass the instructions for its role, with `{briefing}`.
    #[serde(default)]
    pub briefing: Vec<String>,
    /// Arguments that give it the orchestration tools, with `{tools}`: JSON with `mcpServers`.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Program and arguments that continue a conversation: with `{conversation}` the one with that id,
    /// otherwise the last one in the same directory.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub resume: Option<Vec<String>>,
    /// Program and arguments that begin a new conversation with a copy of the one with the id
    /// `{conversation}`, in the directory in which the program is started.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub fork: Option<Vec<String>>,
    /// Program and arguments that run the prompt `{prompt}` once and exit; the model and the other options
    /// follow. Agents with an adapter have their own.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub once: Option<Vec<String>>,
    /// Whether a one-shot, which cannot ask, only reads in the permission modes `plan` and `ask`. Agents
    /// with an adapter do. Default no.
    #[serde(default)]
    pub once_reads: bool,
    /// Variables for its environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Whether a conductor may spawn it although no permission mode can be enforced. Default no.
    #[serde(default)]
    pub spawnable: bool,
    /// How its title is read.
    #[serde(default)]
    pub title: TitleRules,
    /// What its screen shows about a turn, if its title shows nothing.
    #[serde(default)]
    pub screen: ScreenRules,
    /// Questions on its screen; tried in order.
    #[serde(default)]
    pub questions: Vec<QuestionRule>,
    /// How it reports that it hit a usage limit; tried in order.
    #[serde(default)]
    pub limits: Vec<LimitRule>,
    /// The words before the time after which it asks its model again, in a line right above its prompt;
    /// for an agent whose hooks do not report it.
    #[serde(default)]
    pub retries: Vec<String>,
    /// Where its screen shows the text in its prompt.
    #[serde(default)]
    pub prompt_box: Option<PromptBox>,
    /// Keys that interrupt a turn, one after another. Without them no turn is interrupted.
    #[serde(default)]
    pub interrupt: Vec<Key>,
    /// The key that empties its prompt; pressed only if the text there is Downbeat's own.
    #[serde(default)]
    pub clear: Option<Key>,
}

/// Where the prompt is on the screen: the lowest lines that begin as described here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromptBox {
    /// What its first line, or each of its lines, begins with.
    #[schemars(length(min = 1))]
    pub mark: String,
    /// What the line below it begins with; default a blank line.
    #[serde(default)]
    pub end: Option<String>,
    /// The character with which the line below it is drawn after `end`: the prompt is as wide as that line.
    /// Default: as wide as the screen.
    #[serde(default)]
    pub across: Option<String>,
    /// The number of lines with text at its bottom that are the agent's own.
    #[serde(default)]
    pub foot: usize,
    /// The texts that it shows while it is empty: their beginnings.
    #[serde(default)]
    pub empty: Vec<String>,
    /// The marks that it shows in place of a long pasted text: their beginnings.
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

/// The code that an agent needs in addition to its manifest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Adapter")]
pub enum AdapterKind {
    /// None: the manifest says everything.
    #[default]
    None,
    /// Claude Code's.
    Claude,
    /// Codex's.
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

/// How the beginning of a title is read. A title that begins with none of these says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TitleRules {
    /// A turn is under way. `⠁-⣿` means any character in that range.
    #[serde(default)]
    pub works: Vec<String>,
    /// It is idle, or it asks; `*` means any title that does not show a turn under way.
    #[serde(default)]
    pub rests: Vec<String>,
    /// Whether the text after the mark names what the agent works on.
    #[serde(default)]
    pub topic: bool,
    /// It is up and accepts keys, which says nothing about a turn.
    #[serde(default)]
    pub up: Vec<String>,
}

/// What the lowest lines of the screen show about a turn. A mark is found anywhere in a line, verbatim; after
/// a `^` the line has to begin with it, as in titles.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScreenRules {
    /// The number of lowest lines with text that are checked; default all.
    #[serde(default)]
    pub lines: Option<usize>,
    /// A turn is under way.
    #[serde(default)]
    pub works: Vec<String>,
    /// It is idle. Checked only if no mark shows that it works.
    #[serde(default)]
    pub rests: Vec<String>,
}

/// How a question looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionRule {
    /// The kind of answer it needs.
    pub kind: QuestionKind,
    /// All of these are on the screen, the last one in the question's own line.
    #[schemars(length(min = 1))]
    pub marks: Vec<String>,
    /// The number of lowest lines with text that are checked; default all.
    #[serde(default)]
    pub lines: Option<usize>,
    /// Whether it asks this outside a turn, after one of its own commands. Default no.
    #[serde(default)]
    pub at_rest: bool,
    /// The text that people read; default the line of the last mark.
    #[serde(default)]
    pub text: String,
    /// The line after the one that contains this says what the question is about.
    #[serde(default)]
    pub about: Option<String>,
    /// If the answers are side by side: the first of them.
    #[serde(default)]
    pub beside: Option<String>,
    /// The answers, if the screen does not list them line by line.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Keys that give an answer wherever the pointer is. If any are named, only those answers can be given
    /// from outside the terminal.
    #[serde(default)]
    pub keys: BTreeMap<String, AnswerKey>,
}

/// How the agent reports a usage limit in its own words: a failure in a hook, an error in its transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitRule {
    /// All of these are in the text, in this order, ignoring case.
    #[schemars(length(min = 1))]
    pub marks: Vec<String>,
    /// The words before the time at which it ends; the first of them that a time follows counts.
    #[serde(default)]
    pub resets: Vec<String>,
    /// Whether its screen is checked for it, too, once it is idle: right above the prompt, in a line that
    /// begins with the first mark. For an agent that does not report it in any other way.
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
