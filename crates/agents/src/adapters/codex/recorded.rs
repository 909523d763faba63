//! Posts recorded from the real Codex 0.169, with paths and ids scrubbed, and the meaning of each: a command
//! that is asked about and allowed, a turn that a person interrupts, `/clear`, the end, and a resume.

use super::post::read;
use crate::recording::{meanings, observed};
use downbeat_model::{Activity, Status};
use jiff::Timestamp;

/// The id of Codex.
const CODEX: &str = "codex";

const DAY: &str = include_str!("posts/day.jsonl");

#[test]
fn each_post_of_a_recorded_day_gives_its_facts() {
    insta::assert_snapshot!(meanings(CODEX, DAY), @r#"
    SessionStart: Ready(Some("00000001-0000-7000-8000-000000000000")) (SessionStart hook: startup)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    PreToolUse: Working (PreToolUse hook: Bash)
    PermissionRequest: Asked(Question { kind: Permission, text: "Bash: touch /elsewhere/made.txt", options: [] }) (PermissionRequest hook)
    PostToolUse: Working (PostToolUse hook: Bash)
    Stop: TurnEnded (Stop hook)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Interrupt: TurnEnded (Interrupt hook: interrupted)
    SessionStart: Ready(Some("00000004-0000-7000-8000-000000000000")) (SessionStart hook: clear)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    SessionEnd: ConversationEnded (SessionEnd hook: other)
    SessionStart: Ready(Some("00000001-0000-7000-8000-000000000000")) (SessionStart hook: resume)
    UserPromptSubmit: TurnStarted (UserPromptSubmit hook)
    Stop: TurnEnded (Stop hook)
    "#);
    let asked = observed(CODEX, DAY, 4);
    assert_eq!(asked.activity, Activity::WaitingInput);
    assert_eq!(asked.question().unwrap().text, "Bash: touch /elsewhere/made.txt");
    assert_eq!(observed(CODEX, DAY, 6).activity, Activity::Idle);
    assert_eq!(observed(CODEX, DAY, 7).activity.status(), Status::Running);
    assert_eq!(observed(CODEX, DAY, 8).activity, Activity::Idle);
}

#[test]
fn unknown_posts_say_nothing_and_malformed_ones_are_errors() {
    let at = Timestamp::from_second(1).unwrap();
    assert_eq!(
        read(r#"{"hook_event_name":"MoonRise","new":[1]}"#, at)
            .facts
            .unwrap(),
        []
    );
    for bad in ["", "{", "[]", "null", "{}", r#"{"hook_event_name":1}"#, "\u{0}"] {
        assert!(read(bad, at).facts.is_err(), "{bad}");
    }
}

#[test]
fn an_answer_that_ends_with_a_question_waits_until_the_next_message() {
    let asking = DAY.replace("Tool finished, all done.", "Made it. Should I go on?");
    let asked = observed(CODEX, &asking, 6);
    assert_eq!(asked.question().unwrap().text, "Should I go on?");
    let answered = observed(CODEX, &asking, 7);
    assert_eq!((answered.activity, answered.question()), (Activity::Active, None));
}

/// A sub-agent that is still working when the turn ends, and one that is closed before the turn ends; as
/// recorded, without the fields that are the same in all posts.
#[test]
fn sub_agents_are_work_until_they_end_or_are_closed() {
    let own = |rest: &str| format!(r#"{{"session_id":"s",{rest}}}"#);
    let sub = |rest: &str| format!(r#"{{"session_id":"s","agent_id":"c1","agent_type":"default",{rest}}}"#);
    let begin = [
        own(r#""hook_event_name":"UserPromptSubmit""#),
        own(r#""hook_event_name":"PostToolUse","tool_name":"spawn_agent","tool_input":{"message":"m"}"#),
        sub(r#""hook_event_name":"SubagentStart""#),
        sub(r#""hook_event_name":"UserPromptSubmit""#),
        sub(r#""hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}"#),
    ];
    let stop = own(r#""hook_event_name":"Stop""#);
    let seen = |posts: &[String]| observed(CODEX, &posts.join("\n"), posts.len());
    let behind = [&begin[..], std::slice::from_ref(&stop)].concat();
    let works = seen(&behind);
    assert_eq!(works.activity, Activity::Active);
    assert_eq!(works.evidence.detail, "Stop hook: 1 sub-agent is still working");
    let ended = sub(r#""hook_event_name":"SubagentStop""#);
    let rests = seen(&[&behind[..], &[ended]].concat());
    assert_eq!(rests.activity, Activity::Idle);
    assert_eq!(rests.evidence.detail, "SubagentStop hook, sub-agent default");
    for closes in [
        r#""hook_event_name":"PostToolUse","tool_name":"multi_agent_v1close_agent","tool_input":{"target":"c1"}"#,
        r#""hook_event_name":"PostToolUse","tool_name":"multi_agent_v1wait_agent","tool_response":"{\"status\":{\"c1\":{\"errored\":\"x\"}},\"timed_out\":false}""#,
    ] {
        let closed = seen(&[&begin[..], &[own(closes)]].concat());
        assert_eq!(closed.activity, Activity::Active, "the agent itself works");
        let rests = seen(&[&begin[..], &[own(closes), stop.clone()]].concat());
        assert_eq!(rests.activity, Activity::Idle, "{closes}");
    }
}
