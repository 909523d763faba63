//! Copies a conversation of OpenCode for a fork in another directory.
//!
//! OpenCode's own `--fork` leaves the copy in the directory of the original, where its tools would then work
//! (tried with 1.18.33). So the conversation is exported, given new ids and the new directory, and imported
//! there, all by OpenCode's own commands. Takes some seconds.

use crate::error::Error;
use crate::program::find::{Program, absolute_only};
use crate::text::plain;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The time limit for each of the two commands; a cold start on a busy machine takes ten seconds.
const DEADLINE: Duration = Duration::from_secs(60);

/// The interval between checks whether a command has exited.
const LOOK: Duration = Duration::from_millis(20);

/// Fields that hold ids.
const IDS: [&str; 4] = ["id", "sessionID", "messageID", "parentID"];

/// The number of random characters at the end of an id; those before them are its time, which orders
/// messages.
const RANDOM: usize = 14;

/// Copies the conversation with this id and returns the id of the copy, which belongs to `workspace`.
pub(super) fn copy(
    program: &Program,
    conversation: &str,
    workspace: &Path,
    env: &[(String, String)],
) -> Result<String, Error> {
    let failed = |reason: String| Error::NotCopied {
        conversation: conversation.to_owned(),
        reason,
    };
    let broken = |error: std::io::Error| failed(error.to_string());
    if conversation.starts_with('-') {
        return Err(failed("it is not a conversation id".into()));
    }
    // OpenCode runs in the worktree, which may contain a namesake of a program that it starts.
    let named = env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let search = named.map(|(name, path)| (name, absolute_only(path.as_ref())));
    let scratch = tempfile::tempdir().map_err(broken)?;
    let told = scratch.path().join("conversation.json");
    let run = |arguments: &[&str], out: Stdio| -> Result<(), Error> {
        let said = scratch.path().join("errors");
        let errors = File::create(&said).map_err(broken)?;
        let child = Command::new(&program.path)
            .args(&program.arguments)
            .args(arguments)
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .envs(search.iter().map(|(name, path)| (name, path)))
            .current_dir(workspace)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(errors)
            .spawn()
            .map_err(broken)?;
        match ends(child, Instant::now() + DEADLINE) {
            Some(true) => Ok(()),
            Some(false) => Err(failed(last_line(&said))),
            None => Err(failed("OpenCode does not answer".into())),
        }
    };
    let out = File::create(&told).map_err(broken)?;
    run(&["export", conversation], out.into())?;
    let read = std::fs::read(&told).map_err(broken)?;
    let mut whole: Value = serde_json::from_slice(&read).map_err(|error| failed(error.to_string()))?;
    let copied = renamed(&mut whole, conversation, workspace)
        .ok_or_else(|| failed("its answer has an unexpected form".into()))?;
    std::fs::write(&told, whole.to_string()).map_err(broken)?;
    let file = told
        .to_str()
        .ok_or_else(|| failed("its copy has no plain path".into()))?;
    run(&["import", file], Stdio::null())?;
    Ok(copied)
}

/// Waits for `child` and returns whether it succeeded; `None` if it did not exit in time and was killed.
fn ends(mut child: std::process::Child, until: Instant) -> Option<bool> {
    while Instant::now() < until {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(LOOK),
            Ok(Some(status)) => return Some(status.success()),
            Err(_) => break,
        }
    }
    // The child may have exited by itself just now; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn last_line(path: &Path) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    plain(line.unwrap_or("OpenCode did not say why"))
}

/// Gives everything in an exported conversation new ids, and the conversation its directory. Returns the new
/// id of the conversation, or `None` if the value does not have the form that OpenCode exports.
fn renamed(whole: &mut Value, conversation: &str, workspace: &Path) -> Option<String> {
    let mut names = BTreeMap::new();
    let copied = fresh(conversation)?;
    names.insert(conversation.to_owned(), copied.clone());
    whole.get("messages")?.as_array()?;
    let info = whole.get_mut("info")?.as_object_mut()?;
    if info.get("id")?.as_str()? != conversation {
        return None;
    }
    info.insert("directory".into(), workspace.to_str()?.into());
    let title = info
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or("Conversation");
    let title = format!("{title} (fork)");
    info.insert("title".into(), title.into());
    // The copy does not belong to a sub-agent, even if the original did.
    info.remove("parentID");
    rename(whole, &mut names);
    Some(copied)
}

fn rename(value: &mut Value, names: &mut BTreeMap<String, String>) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(|inner| rename(inner, names)),
        Value::Object(fields) => rename_fields(fields, names),
        _ => {}
    }
}

fn rename_fields(fields: &mut Map<String, Value>, names: &mut BTreeMap<String, String>) {
    for (name, value) in fields.iter_mut() {
        match value {
            Value::String(id) if IDS.contains(&name.as_str()) => {
                // References to other conversations, those of sub-agents, still point to the original's.
                let own = id.starts_with("msg_") || id.starts_with("prt_");
                if own
                    && !names.contains_key(id)
                    && let Some(fresh) = fresh(id)
                {
                    names.insert(id.clone(), fresh);
                }
                if let Some(fresh) = names.get(id) {
                    fresh.clone_into(id);
                }
            }
            other => rename(other, names),
        }
    }
}

/// Returns an id of the same kind and time.
fn fresh(id: &str) -> Option<String> {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let head = id.len().checked_sub(RANDOM).filter(|head| plain && *head > 4)?;
    let random = uuid::Uuid::new_v4().simple().to_string();
    Some(format!("{}{}", &id[..head], &random[..RANDOM]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[cfg(unix)]
    #[test]
    fn a_program_in_the_worktree_is_not_run_in_place_of_the_agents() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let script = |name: &str, text: &str| {
            let file = dir.path().join(name);
            std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            file
        };
        let agent = Program::plain(script("agent", "helper"));
        script("helper", "touch ran");
        let env = [("PATH".to_owned(), ".:/usr/bin:/bin".to_owned())];
        copy(&agent, "ses_1", dir.path(), &env).unwrap_err();
        assert!(!dir.path().join("ran").exists());
    }

    #[test]
    fn a_copy_has_its_own_ids_and_directory_and_keeps_the_order() {
        let id = "ses_e01d1273effebPhmGt5IxB1g5P";
        let message = "msg_1fe2ed91a001h5GEeh9nTKWqYk";
        let mut whole = json!({
            "info": {"id": id, "directory": "/w1", "title": "Shop"},
            "messages": [
                {"info": {"id": message, "sessionID": id, "role": "user"},
                 "parts": [{"id": "prt_1fe2ed91d001824Ig6d5GlhAdx", "sessionID": id, "messageID": message,
                            "text": message}]},
                {"info": {"id": "msg_2fe2ed91a001h5GEeh9nTKWqYk", "parentID": message}, "parts": []},
            ],
        });
        let copied = renamed(&mut whole, id, Path::new("/w2")).unwrap();
        assert!(copied != id && copied.starts_with("ses_e01d1273effe") && copied.len() == id.len());
        assert_eq!(whole["info"]["id"], copied);
        assert_eq!(whole["info"]["directory"], "/w2");
        let (first, second) = (&whole["messages"][0], &whole["messages"][1]);
        let fresh = first["info"]["id"].as_str().unwrap();
        assert!(fresh != message && fresh.starts_with("msg_1fe2ed91a001"));
        assert_eq!(first["info"]["sessionID"], copied);
        assert_eq!(first["parts"][0]["messageID"], fresh);
        assert_eq!(first["parts"][0]["text"], message, "what was said stays");
        assert_eq!(second["info"]["parentID"], fresh);
        assert_eq!(renamed(&mut json!({"info": {}}), id, Path::new("/w")), None);
        assert_eq!(renamed(&mut whole, "../x", Path::new("/w")), None);
    }
}
