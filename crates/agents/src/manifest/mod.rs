//! Agents as data: the form of a manifest, the checks on it, and the list of agents.

pub mod agents;
mod check;
mod form;

pub use form::{
    AdapterKind, AnswerKey, Key, LimitRule, Manifest, Permissions, PromptBox, PromptWay, QuestionRule,
    ScreenRules, TitleRules,
};
