//! What an agent is, as data: the form of a manifest, what must hold in one, and which agents there are.

pub mod agents;
mod check;
mod form;

pub use form::{
    AdapterKind, AnswerKey, Key, LimitRule, Manifest, Permissions, PromptBox, PromptWay, QuestionRule,
    ScreenRules, TitleRules,
};
