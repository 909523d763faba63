//! Posts recorded from the real Claude Code 2.1.329, with paths scrubbed, and the meaning of each. They are
//! in `posts/*.jsonl` in the order in which they came.

use super::post::read;
use crate::recording;
use downbeat_model::{Activity, FactKind, Observed};
use jiff::Timestamp;

fn meanings(posts: &str) -> String {
    recording::meanings("claude", posts)
}

/// Returns what is known after all of `posts`.
fn observed(posts: &str) -> Observed {
    recording::observed("claude", posts, usize::MAX)
}

#[test]
fn a_permission_question_opens_and_a_clear_starts_a_conversation() {
    let posts = include_str!("posts/permission-and-clear.jsonl");
    insta::assert_snapshot!(meanings(posts), @r#"
    SessionStart: Ready(Some("11111111-1111-4111-8111-111111111111")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    PreToolUse: Working (PreToolUse hook: Bash)
    PermissionRequest: Asked(Question { kind: Permission, text: "Bash: touch made.txt", options: [] }) (PermissionRequest hook)
    Notification: 
    PostToolUse: Working (PostToolUse hook: Bash)
    Stop: TurnEnded (Stop hook)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    SessionEnd: 
    SessionStart: Ready(Some("ccb6642b-86fa-436f-a0b1-6e26df3d3229")) (SessionStart hook: clear)
    SessionEnd: ConversationEnded (SessionEnd hook: prompt_input_exit)
    "#);
    let asked: Vec<&str> = posts.lines().take(5).collect();
    let seen = observed(&asked.join("\n"));
    assert_eq!(seen.activity, Activity::WaitingInput);
    assert_eq!(seen.question().unwrap().text, "Bash: touch made.txt");
}

#[test]
fn a_question_of_the_agent_lists_its_answers() {
    insta::assert_snapshot!(meanings(include_str!("posts/choice.jsonl")), @r#"
    SessionStart: Ready(Some("0b361b2c-4f55-4a45-a5c3-f70ad8e34127")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    PreToolUse: Working (PreToolUse hook: AskUserQuestion)
    PermissionRequest: Asked(Question { kind: Choice, text: "Which colour?", options: ["Red", "Blue"] }) (PermissionRequest hook)
    Notification: 
    PostToolUse: Working (PostToolUse hook: AskUserQuestion)
    Stop: TurnEnded (Stop hook)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    "#);
}

#[test]
fn a_plan_asks_for_approval() {
    insta::assert_snapshot!(meanings(include_str!("posts/plan.jsonl")), @r#"
    SessionStart: Ready(Some("43b11535-07c1-481a-9f30-0482ad173048")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    PreToolUse: Working (PreToolUse hook: ExitPlanMode)
    PermissionRequest: Asked(Question { kind: Choice, text: "Plan ready. Start on it?", options: [] }) (PermissionRequest hook)
    Notification: 
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    "#);
}

#[test]
fn a_sub_agent_keeps_the_session_active_until_it_ends() {
    let posts = include_str!("posts/sub-agent.jsonl");
    insta::assert_snapshot!(meanings(posts), @r#"
    SessionStart: Ready(Some("339c9fff-9f3c-443d-8937-2a503d75afa1")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    PreToolUse: Working (PreToolUse hook: Agent)
    SubagentStart: SubAgent (SubagentStart hook, sub-agent general-purpose)
    PostToolUse: Working (PostToolUse hook: Agent)
    Stop: Working (Stop hook: 1 sub-agent is still working)
    PreToolUse: SubAgent (PreToolUse hook, sub-agent general-purpose: Bash)
    PermissionRequest: Asked(Question { kind: Permission, text: "Bash: touch a", options: [] }) (PermissionRequest hook, sub-agent general-purpose)
    PostToolUse: SubAgent (PostToolUse hook, sub-agent general-purpose: Bash)
    SubagentStop: SubAgent (SubagentStop hook, sub-agent general-purpose)
    UserPromptSubmit: Working (UserPromptSubmit hook: a background task ended)
    Stop: TurnEnded (Stop hook)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    "#);
    let behind: Vec<&str> = posts.lines().take(7).collect();
    assert_eq!(observed(&behind.join("\n")).activity, Activity::Active);
    let all: Vec<&str> = posts.lines().take(12).collect();
    assert_eq!(observed(&all.join("\n")).activity, Activity::Idle);
}

#[test]
fn a_question_is_closed_only_by_the_end_of_its_own_call() {
    for (posts, asked, answered) in [
        (include_str!("posts/permission-and-clear.jsonl"), 5, 6),
        (include_str!("posts/choice.jsonl"), 5, 6),
        (include_str!("posts/sub-agent.jsonl"), 8, 9),
    ] {
        let first = |count: usize| posts.lines().take(count).collect::<Vec<_>>().join("\n");
        let open = observed(&first(asked));
        assert_eq!(open.activity, Activity::WaitingInput);
        assert_eq!(observed(&first(answered)).activity, Activity::Active);
        // The same post from a sub-agent that works at the same time.
        let own = posts.lines().nth(answered - 1).unwrap();
        let mut other: serde_json::Value = serde_json::from_str(own).unwrap();
        other["agent_id"] = "somebody-else".into();
        assert_eq!(
            observed(&format!("{}\n{other}", first(asked))).question(),
            open.question()
        );
        let mut call: serde_json::Value = serde_json::from_str(own).unwrap();
        call["tool_name"] = "Read".into();
        assert_eq!(
            observed(&format!("{}\n{call}", first(asked))).question(),
            open.question()
        );
    }
}

#[test]
fn a_failure_of_the_model_blocks_the_session() {
    insta::assert_snapshot!(meanings(include_str!("posts/failure.jsonl")), @r#"
    SessionStart: Ready(Some("d70c2924-4ad4-449e-b119-b9917a3f042a")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    StopFailure: Blocked("Credit balance is too low") (StopFailure hook)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    "#);
}

#[test]
fn compacting_and_resuming_keep_the_conversation() {
    insta::assert_snapshot!(meanings(include_str!("posts/compact-and-resume.jsonl")), @r#"
    SessionStart: Ready(Some("22222222-2222-4222-8222-222222222222")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    PreCompact: Working (PreCompact hook: manual)
    SubagentStop: SubAgent (SubagentStop hook, sub-agent )
    SubagentStop: SubAgent (SubagentStop hook, sub-agent )
    SessionStart: 
    PostCompact: TurnEnded (PostCompact hook: manual)
    SessionEnd: ConversationEnded (SessionEnd hook: prompt_input_exit)
    SessionStart: Ready(Some("22222222-2222-4222-8222-222222222222")) (SessionStart hook: resume)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    "#);
}

#[test]
fn unknown_posts_say_nothing_and_malformed_ones_are_errors() {
    let at = Timestamp::from_second(1).unwrap();
    let odd = r#"{"hook_event_name":"MoonRise","new":[1]}"#;
    assert_eq!(read(odd, at).facts.unwrap(), []);
    let late = r#"{"hook_event_name":"Notification","notification_type":"permission_prompt","message":"x"}"#;
    assert_eq!(read(late, at).facts.unwrap(), []);
    let idle = r#"{"hook_event_name":"Notification","notification_type":"idle_prompt","message":"x"}"#;
    assert_eq!(read(idle, at).facts.unwrap()[0].kind, FactKind::TurnEnded);
    for bad in ["", "{", "[]", "null", "{}", r#"{"hook_event_name":1}"#, "\u{0}"] {
        assert!(read(bad, at).facts.is_err(), "{bad}");
    }
}

#[test]
fn an_answer_that_ends_with_a_question_waits_until_the_next_message() {
    let posts = include_str!("posts/permission-and-clear.jsonl");
    let first: Vec<&str> = posts.lines().take(7).collect();
    let asking = first
        .join("\n")
        .replace("tool done", "Made it. Should I commit it?");
    let seen = observed(&asking);
    assert_eq!(seen.activity, Activity::WaitingInput);
    assert_eq!(seen.question().unwrap().text, "Should I commit it?");
    assert_eq!(seen.evidence.detail, "Stop hook: its answer ends with a question");
    // A minute later the agent reports that it waits for input, which answers nothing.
    let idle = r#"{"hook_event_name":"Notification","notification_type":"idle_prompt","message":"x"}"#;
    assert_eq!(observed(&format!("{asking}\n{idle}")).question(), seen.question());
    let prompt = posts.lines().nth(7).unwrap();
    let answered = observed(&format!("{asking}\n{prompt}"));
    assert_eq!((answered.activity, answered.question()), (Activity::Active, None));
    let stop = r#"{"hook_event_name":"Stop","last_assistant_message":"Done."}"#;
    assert_eq!(observed(&format!("{asking}\n{stop}")).activity, Activity::Idle);
}
