//! The `downbeat` program that is installed next to this one: where it is, and whether it belongs to this
//! version. Keepers, bridges and hooks run it, so a wrong one would cause errors later and elsewhere. The
//! page cannot influence it.

use std::path::PathBuf;
use std::process::Command;
use tauri::AppHandle;
use tauri_plugin_shell::ShellExt;

const NAME: &str = "downbeat";
const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Finds the program. An error tells the person what is wrong with it.
pub async fn find(app: &AppHandle) -> Result<PathBuf, String> {
    let sidecar = || app.shell().sidecar(NAME).map_err(|error| error.to_string());
    let path = PathBuf::from(Command::from(sidecar()?).get_program());
    if !path.is_file() {
        return Err(format!(
            "The program {} is missing.\nInstall Downbeat again.",
            path.display()
        ));
    }
    match sidecar()?.arg("--version").output().await {
        Ok(said) => belongs(&String::from_utf8_lossy(&said.stdout))
            .map(|()| path.clone())
            .map_err(|why| format!("{}: {why}\nInstall Downbeat again.", path.display())),
        Err(error) => Err(format!(
            "{} cannot be run: {error}\nInstall Downbeat again.",
            path.display()
        )),
    }
}

/// Checks that the output of `downbeat --version` names this version.
fn belongs(said: &str) -> Result<(), String> {
    match said.trim().strip_prefix("downbeat ") {
        Some(OWN_VERSION) => Ok(()),
        Some(other) => Err(format!(
            "this is Downbeat {OWN_VERSION}, and that program is version {other}"
        )),
        None => Err("that program is not Downbeat's command line".to_owned()),
    }
}
