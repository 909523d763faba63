//! The only window: shows, reloads and marks it, and remembers its place. Its events are handled in `opened`.

use crate::shell::Shell;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tauri::{AppHandle, LogicalPosition, LogicalSize, Manager, Url, WebviewWindow};

/// The label of the window.
pub const LABEL: &str = "main";

/// The place of the window, in logical pixels.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    maximized: bool,
}

/// The address of the page.
pub struct Home(pub Url);

/// Shows the window in front of the others.
pub fn show(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    let shown = window
        .unminimize()
        .and_then(|()| window.show())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be shown");
    }
}

/// Reloads the page, in a new process if the old one is gone.
pub fn reload(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    // Not `reload`: WebKitGTK forgets the address once the page's process is gone.
    let loads = app
        .try_state::<Home>()
        .map(|home| window.navigate(home.0.clone()));
    if let Some(Err(error)) = loads {
        tracing::warn!(%error, "the page could not be reloaded");
    }
}

/// Returns whether the person is looking at the window.
pub fn is_focused(app: &AppHandle) -> bool {
    app.get_webview_window(LABEL)
        .is_some_and(|window| window.is_visible().unwrap_or(false) && window.is_focused().unwrap_or(false))
}

/// Shows how many sessions need the person on the dock or taskbar.
pub fn badge(app: &AppHandle, needs_you: u32) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    #[cfg(not(target_os = "windows"))]
    let done = window.set_badge_count((needs_you > 0).then_some(i64::from(needs_you)));
    #[cfg(target_os = "windows")]
    let done = window.set_overlay_icon((needs_you > 0).then(needs_icon));
    if let Err(error) = done {
        tracing::debug!(%error, "no badge here");
    }
}

/// Returns the dot of "needs you", for a taskbar's overlay.
#[cfg(target_os = "windows")]
fn needs_icon() -> tauri::image::Image<'static> {
    tauri::include_image!("./icons/tray/on-dark-needs.png")
}

/// Hides the window.
pub fn hide(app: &AppHandle) {
    if let Some(Err(error)) = app.get_webview_window(LABEL).map(|window| window.hide()) {
        tracing::warn!(%error, "the window could not be hidden");
    }
}

fn place_file(app: &AppHandle) -> Option<PathBuf> {
    Some(app.try_state::<Shell>()?.data_dir.join("window.json"))
}

fn read_place(app: &AppHandle) -> Option<Place> {
    let text = std::fs::read(place_file(app)?).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Saves the place of the window. A failure to save it is not important.
pub fn remember(app: &AppHandle) {
    let place = app.get_webview_window(LABEL).as_ref().and_then(place_of);
    let written = place.zip(place_file(app)).map(|(place, file)| {
        let text = serde_json::to_vec(&place).map_err(std::io::Error::other)?;
        std::fs::write(file, text)
    });
    if let Some(Err(error)) = written {
        tracing::debug!(%error, "the window's place was not kept");
    }
}

fn place_of(window: &WebviewWindow) -> Option<Place> {
    if window.is_minimized().ok()? || !window.is_visible().ok()? {
        return None;
    }
    let scale = window.scale_factor().ok()?;
    let position = window.outer_position().ok()?.to_logical::<f64>(scale);
    let size = window.inner_size().ok()?.to_logical::<f64>(scale);
    Some(Place {
        x: position.x,
        y: position.y,
        width: size.width,
        height: size.height,
        maximized: window.is_maximized().ok()?,
    })
}

/// Moves the window back to its last place, unless that screen is gone.
pub fn restore(app: &AppHandle, window: &WebviewWindow) {
    let Some(place) = read_place(app) else {
        return;
    };
    let _ = window.set_size(LogicalSize::new(place.width, place.height));
    let corner = LogicalPosition::new(place.x, place.y);
    let on_a_screen = window
        .available_monitors()
        .unwrap_or_default()
        .iter()
        .any(|monitor| {
            let scale = monitor.scale_factor();
            let origin = monitor.position().to_logical::<f64>(scale);
            let size = monitor.size().to_logical::<f64>(scale);
            (origin.x..origin.x + size.width).contains(&corner.x)
                && (origin.y..origin.y + size.height).contains(&corner.y)
        });
    if on_a_screen {
        let _ = window.set_position(corner);
    }
    if place.maximized {
        let _ = window.maximize();
    }
}
