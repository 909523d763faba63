//! `downbeat restore-work`: restores a removed worktree, with the work that was saved, or lists the backups.

use crate::client::{self, Client};
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::show::ago;
use crate::table::{Cell, lines};
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::request::SessionRef;
use downbeat_wire::workspace::{Backup, RestoreWork};
use jiff::Timestamp;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// The session
    session: String,
    /// Which backup; default what its last removal saved
    #[arg(long, value_name = "REF")]
    backup: Option<String>,
    /// List what was saved instead
    #[arg(long, conflicts_with = "backup")]
    list: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let id = arguments.session;
    if arguments.list {
        let backups = client::look(&home).list_backups(SessionRef { id }).await?;
        return if arguments.json {
            print_json(&backups)
        } else {
            print(&table(&backups))
        };
    }
    let client = Client::ready(&home).await?;
    let request = RestoreWork {
        id,
        backup: arguments.backup,
    };
    let session = client.restore_work(request).await?;
    if arguments.json {
        return print_json(&session);
    }
    let path = session.workspace_path.clone().unwrap_or_default();
    let id = session.id.to_string();
    let state = client.get_restore(SessionRef { id }).await;
    let detail = state.ok().and_then(|state| state.detail);
    let detail = detail.map(|detail| format!("{detail}\n")).unwrap_or_default();
    print(&format!(
        "recreated the worktree of {}: {path}\n{detail}",
        session.name
    ))
}

fn table(backups: &[Backup]) -> String {
    if backups.is_empty() {
        return "there was nothing to save\n".to_owned();
    }
    let now = Timestamp::now();
    let row = |backup: &Backup| -> Vec<Cell> {
        let commit: String = backup.commit.chars().take(10).collect();
        vec![
            backup.name.clone().into(),
            commit.into(),
            match backup.damaged {
                true => "?".to_owned().into(),
                false => backup.files.to_string().into(),
            },
            match backup.damaged {
                true => "missing or damaged".to_owned().into(),
                false => format!("{} ago", ago(backup.at, now)).into(),
            },
        ]
    };
    lines(
        &["BACKUP", "COMMIT", "FILES", "SAVED"],
        &backups.iter().map(row).collect::<Vec<_>>(),
    )
}
