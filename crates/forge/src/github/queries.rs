//! The texts of the queries: static files, which the tests check against GitHub's published schema and send to a forge
//! that executes them. Not their variables.

/// A query or mutation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Query {
    /// Its text, with the fragments that it uses.
    pub(super) text: &'static str,
}

macro_rules! queries {
    ($($name:ident = $($file:literal),+;)+) => {
        $(pub(super) const $name: Query = Query { text: concat!($(include_str!(concat!("queries/", $file, ".graphql"))),+) };)+
    };
}

queries! {
    REPOSITORY = "repository";
    PROTECTION = "protection";
    OBSERVE = "observe", "check.fragment", "talk.fragment", "comment.fragment";
    CONTEXTS = "contexts", "check.fragment";
    FAILURE = "failure";
    CONVERSATION = "conversation", "talk.fragment", "comment.fragment";
    ISSUE = "issue", "comment.fragment";
    LEFT_QUEUE = "left_queue";
    CREATE = "create";
    UPDATE = "update";
    COMMENT = "comment";
    REPLY = "reply";
    RESOLVE = "resolve";
    UNRESOLVE = "unresolve";
    READY = "ready";
    DRAFT = "draft";
    MERGE = "merge";
    ENQUEUE = "enqueue";
    AUTO_MERGE = "auto_merge";
    NO_AUTO_MERGE = "no_auto_merge";
    CLOSE = "close";
    CLOSE_ISSUE = "close_issue";
    DELETE_BRANCH = "delete_branch";
}
