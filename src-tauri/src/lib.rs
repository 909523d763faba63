//! The desktop shell.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Runs the desktop application until it quits.
pub fn run() -> ExitCode {
    let built = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            app.run(|_, _| {});
            ExitCode::SUCCESS
        }
        Err(_) => ExitCode::FAILURE,
    }
}
