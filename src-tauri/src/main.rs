//! The desktop program. Everything is in the library.
#![forbid(unsafe_code)]
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    downbeat_desktop::run()
}
