//! Writes a conductor's results folder: each worker's report as `worker-<name>_result.json`, and the events
//! of its workers in `event_log.jsonl`, one per line. These are copies for scripts and people; the database
//! holds the facts. What a crash left out of the files is added with the next event or when the next engine
//! starts.

use crate::host::files;
use crate::session::report;
use crate::state::context::Engine;
use downbeat_store::SessionRow;
use serde_json::{Value, json};
use std::fs::File;
use std::io;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file name of the event log.
pub(crate) const LOG: &str = "event_log.jsonl";

/// The number of bytes at the end of the log that are searched for the newest event.
const END: u64 = 1 << 20;

/// Returns the results folder of a session that conducts.
pub fn folder_of(engine: &Engine, row: &SessionRow) -> Option<PathBuf> {
    row.conducts.then(|| engine.paths.results(&row.id))
}

/// The delay between a change and the update of the files, so that several changes are written together.
pub(crate) const TOGETHER: Duration = Duration::from_millis(300);

pub(crate) fn failed(error: io::Error) -> downbeat_wire::ApiError {
    downbeat_wire::ApiError::failed("a results folder cannot be written", error)
}

pub(crate) fn line(seq: i64, said: &downbeat_wire::worker::WorkerEvent) -> Value {
    json!({
        "seq": seq,
        "type": said.kind,
        "stop": said.stop,
        "worker_name": said.worker_name,
        "session_id": said.session_id,
        "timestamp": said.timestamp,
        "detail": said.detail,
        "answer": said.answer,
    })
}

/// Returns a worker's report as a file, with the evidence for it: its name and content.
pub(crate) fn file(row: &SessionRow) -> Option<(String, Value)> {
    let report = report::of(row)?;
    let content = json!({
        "worker_name": row.name,
        "session_id": row.id,
        "agent": row.agent,
        "branch": row.branch,
        "status": report.status,
        "summary": report.summary,
        "files": report.files,
        "timestamp": report.at,
        "done": report::done(row),
        "checks": row.checks.last,
    });
    Some((format!("worker-{}_result.json", row.name), content))
}

pub(crate) fn write(folder: &Path, lines: &[Value], files: &[(String, Value)]) -> io::Result<()> {
    if lines.is_empty() {
        return Ok(());
    }
    if folder.is_symlink() {
        return Err(io::Error::other(format!("{} is a link", folder.display())));
    }
    files::own_folder(folder)?;
    for (name, content) in files {
        let text = serde_json::to_string_pretty(content).map_err(io::Error::other)?;
        files::replace_here(&folder.join(name), (text + "\n").as_bytes())?;
    }
    let (mut log, length) = downbeat_files::append(&folder.join(LOG))?;
    let mut text = match is_torn(&mut log, length) {
        true => "\n".to_owned(),
        false => String::new(),
    };
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    log.write_all(text.as_bytes())
}

/// Whether the last line of the log is incomplete after a crash.
fn is_torn(log: &mut File, length: u64) -> bool {
    let mut byte = [b'\n'];
    let last = length.checked_sub(1).map(io::SeekFrom::Start);
    let read = last.map(|last| log.seek(last).and_then(|_| log.read_exact(&mut byte)));
    read.is_some_and(|read| read.is_ok()) && byte != [b'\n']
}

/// Returns the number of the newest event in a log, or 0 if there is none. Skips a line that a crash cut
/// short, and reads only the end of the log.
pub(crate) fn newest(log: &Path) -> i64 {
    let end = || -> io::Result<Vec<u8>> {
        let (mut file, length) = downbeat_files::open_linked(log)?;
        file.seek(io::SeekFrom::Start(length.saturating_sub(END)))?;
        let mut end = Vec::new();
        file.take(END).read_to_end(&mut end)?;
        Ok(end)
    };
    let seq = |line: &[u8]| serde_json::from_slice::<Value>(line).ok()?.get("seq")?.as_i64();
    let end = end().unwrap_or_default();
    end.rsplit(|byte| *byte == b'\n').find_map(seq).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{LOG, line, newest, write};
    use serde_json::json;
    use std::fs::File;
    use std::io;
    use std::io::{Seek as _, Write as _};

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link_of_an_agent() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (folder, mine) = (dir.path().join("results"), dir.path().join("mine"));
        let (log, line) = (folder.join(LOG), [json!({"seq": 4})]);
        let report = [("worker-a_result.json".to_owned(), json!({"status": "done"}))];
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(&mine, "mine\n").unwrap();
        symlink(&mine, &log).unwrap();
        write(&folder, &line, &[]).unwrap_err();
        std::fs::remove_file(&log).unwrap();
        symlink(&mine, folder.join(&report[0].0)).unwrap();
        write(&folder, &line, &report).unwrap();
        assert_eq!(newest(&log), 4);
        assert!(
            std::fs::read_to_string(folder.join(&report[0].0))
                .unwrap()
                .contains("done")
        );
        std::fs::rename(&folder, dir.path().join("away")).unwrap();
        symlink(dir.path().join("away"), &folder).unwrap();
        write(&folder, &line, &[]).unwrap_err();
        assert_eq!(std::fs::read_to_string(&mine).unwrap(), "mine\n");
    }

    #[test]
    fn the_log_says_what_kind_of_stop_an_event_is() {
        let said = |stop: Option<&str>| {
            let event = json!({ "sessionId": "s000000000001", "workerName": "api", "type": "waiting", "stop": stop, "detail": "Which?",
                "terminalContent": "", "timestamp": "2026-01-01T00:00:00Z" });
            line(7, &serde_json::from_value(event).unwrap())["stop"].clone()
        };
        assert_eq!(said(Some("question")), "question");
        assert_eq!(said(None), serde_json::Value::Null);
    }

    #[test]
    fn only_the_end_of_a_huge_log_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join(LOG);
        let mut file = File::create(&log).unwrap();
        file.set_len(1 << 40).unwrap();
        file.seek(io::SeekFrom::End(0)).unwrap();
        file.write_all(b"\n{\"seq\": 9}\n").unwrap();
        assert_eq!(newest(&log), 9);
    }

    #[test]
    fn a_cut_line_is_skipped_and_the_next_one_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("results");
        write(&folder, &[json!({"seq": 4}), json!({"seq": 7})], &[]).unwrap();
        let path = folder.join(LOG);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole.clone() + "{\"seq\": 9, \"ty").unwrap();
        assert_eq!(newest(&path), 7);
        write(
            &folder,
            &[json!({"seq": 9})],
            &[("worker-a_result.json".into(), json!({"status": "done"}))],
        )
        .unwrap();
        assert_eq!(newest(&path), 9);
        assert!(
            std::fs::read_to_string(&path)
                .unwrap()
                .ends_with("\n{\"seq\":9}\n")
        );
        assert!(folder.join("worker-a_result.json").is_file());
    }
}
