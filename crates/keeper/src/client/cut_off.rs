//! Repairs a truncated post: keeps its complete fields and drops the one that was cut. The fields
//! that identify the post come first and the long ones last, so the end of a turn is reported even
//! if the agent's answer is lost. Pure.

/// Returns the complete fields of a truncated JSON object; `None` if there are none, or if the bytes are
/// not a post.
pub(super) fn mended(came: &[u8]) -> Option<Vec<u8>> {
    let whole = last_whole_field(came)?;
    let mut object = came[..whole].to_vec();
    object.push(b'}');
    let value: serde_json::Value = serde_json::from_slice(&object).ok()?;
    value.get("hook_event_name")?.as_str()?;
    Some(object)
}

/// Returns the end of the last field that another field follows.
fn last_whole_field(came: &[u8]) -> Option<usize> {
    let (mut depth, mut in_text, mut escaped, mut end) = (0usize, false, false, None);
    for (at, byte) in came.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            _ if in_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 1 => end = Some(at),
            _ => {}
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_truncated_anywhere_keeps_its_complete_fields_or_nothing() {
        let post = r#"{"session_id":"a","hook_event_name":"Stop","tasks":[{"x":"},{\"y"}],"last_assistant_message":"a \\\" é, b"}"#;
        let all: serde_json::Value = serde_json::from_str(post).unwrap();
        let named = post.find(",\"tasks").unwrap();
        for cut in 0..=post.len() {
            let mended = mended(&post.as_bytes()[..cut]);
            assert_eq!(mended.is_some(), cut > named, "{cut}");
            let Some(mended) = mended else { continue };
            let value: serde_json::Value = serde_json::from_slice(&mended).unwrap();
            for (name, field) in value.as_object().unwrap() {
                assert_eq!(field, &all[name], "{cut}");
            }
            assert_eq!(value.get("tasks").is_some(), cut > post.find(",\"last").unwrap());
        }
    }

    #[test]
    fn bytes_that_are_not_a_post_are_not_repaired() {
        for bytes in ["", "[1,2,", "}{,", r#"{"a":1,"b":"#, "x,y", "\u{0},"] {
            assert_eq!(mended(bytes.as_bytes()), None, "{bytes:?}");
        }
    }
}
