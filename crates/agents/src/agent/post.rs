//! Reads an agent's hook posts. The consequences of their facts are in [`downbeat_model::observe`].

use crate::adapters::adapter;
use crate::manifest::Manifest;
use crate::post::Post;
use jiff::Timestamp;

/// Reads one hook post of `agent`. A post that the adapter does not know has no facts. A post that does not
/// have the agent's form has an error in place of facts, which the caller records and otherwise ignores.
#[must_use]
pub fn read_post(agent: &Manifest, body: &str, at: Timestamp) -> Post {
    adapter(agent.adapter).read_post(body, at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::agents::built_in;
    use crate::post::prompt::is_same_prompt;

    fn read(id: &str, body: &str) -> Post {
        read_post(&built_in(id), body, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_post_of_the_agent_itself_names_its_conversation() {
        let own = r#"{"hook_event_name":"UserPromptSubmit","session_id":"c2","prompt":"on"}"#;
        let sub = r#"{"hook_event_name":"UserPromptSubmit","session_id":"c3","agent_id":"a1"}"#;
        for id in ["claude", "codex"] {
            assert_eq!(read(id, own).conversation.as_deref(), Some("c2"), "{id}");
            assert_eq!(read(id, sub).conversation, None, "{id}");
        }
        assert_eq!(read("opencode", own).conversation, None);
    }

    #[test]
    fn a_post_reports_the_prompt_without_the_tags_that_the_agent_added() {
        let prompt = |id: &str, body: &str| read(id, body).prompt;
        let body = r#"{"hook_event_name":"UserPromptSubmit","prompt":"do it"}"#;
        assert_eq!(prompt("codex", body).as_deref(), Some("do it"));
        assert_eq!(prompt("shell", body), None);
        let body =
            r#"{"prompt":"\n\n<pasted_content id=\"ff6d\">\nmany\nlines\n</pasted_content id=\"ff6d\">\n"}"#;
        let told = prompt("claude", body).unwrap();
        assert!(is_same_prompt("many\nlines", &told), "{told}");
        let body = r#"{"prompt":"<pasted_content id=\"1\">\nsee <\\pasted_content>\nit\n<\\/pasted_content>\n</pasted_content id=\"1\">"}"#;
        let told = prompt("claude", body).unwrap();
        assert!(
            is_same_prompt("see <pasted_content>\nit\n</pasted_content>", &told),
            "{told}"
        );
    }
}
