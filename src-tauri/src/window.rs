//! The one window: made from the configuration, where it was last time; closing it hides it to
//! the tray where there is one, and otherwise asks what quitting asks.

use crate::page;
use crate::quit;
use crate::shell::{Shell, lock};
use crate::tray;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use tauri::webview::{PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, LogicalPosition, LogicalSize, Manager, Url, WebviewWindow, Window, WindowEvent};

const LABEL: &str = "main";

/// Where the window was, in logical pixels.
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
struct Home(Url);

/// Makes the window; it shows itself once its page is there.
pub fn open(app: &AppHandle) -> tauri::Result<()> {
    let windows = &app.config().app.windows;
    let config = windows
        .iter()
        .find(|w| w.label == LABEL)
        .ok_or(tauri::Error::WindowNotFound)?;
    let window = WebviewWindowBuilder::from_config(app, config)?
        .on_navigation(is_ours)
        .on_page_load(|window, load| match load.event() {
            PageLoadEvent::Started => forget_page(window.app_handle()),
            PageLoadEvent::Finished => {
                // The first one stays: every page is at the same address.
                window.app_handle().manage(Home(load.url().clone()));
                show(window.app_handle());
            }
        })
        .build()?;
    if let Some(place) = read_place(app) {
        restore(&window, place);
    }
    Ok(())
}

/// The page stays at home; links are opened outside, through `open_url`.
fn is_ours(url: &Url) -> bool {
    // Windows and Android serve the page as a web address of this name, which nothing else has.
    let served = cfg!(windows) && matches!(url.scheme(), "http" | "https");
    url.scheme() == "tauri"
        || url.as_str() == "about:blank"
        || (served && url.host_str() == Some("tauri.localhost") && url.port().is_none())
}

/// A page that loads anew has none of the streams of the one before.
fn forget_page(app: &AppHandle) {
    page::listens(app, false);
    let Some(shell) = app.try_state::<Shell>() else {
        return;
    };
    shell.terminals.close_all();
    *lock(&shell.in_view) = None;
    if let Some(follower) = lock(&shell.follower).take() {
        follower.abort();
    }
}

/// Brings the window before the person.
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

/// Loads the page anew, in a new process where the old one is gone.
pub fn reload(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    // Not `reload`: WebKitGTK has forgotten the address once the page's process is gone.
    let loads = app
        .try_state::<Home>()
        .map(|home| window.navigate(home.0.clone()));
    if let Some(Err(error)) = loads {
        tracing::warn!(%error, "the page could not be loaded anew");
    }
}

/// Whether the person looks at the window.
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
    let done = window.set_overlay_icon((needs_you > 0).then(tray::needs_icon));
    if let Err(error) = done {
        tracing::debug!(%error, "no badge here");
    }
}

/// What happens to the window.
pub fn changed(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            remember(app);
            close(app);
        }
        WindowEvent::Focused(false) => remember(app),
        WindowEvent::ThemeChanged(_) => tray::repaint(app),
        _ => {}
    }
}

fn close(app: &AppHandle) {
    let app = app.clone();
    // Looking for a tray talks over the bus: not on the thread that draws.
    tauri::async_runtime::spawn_blocking(move || {
        if !tray::is_shown(&app) {
            return quit::ask(&app);
        }
        if let Some(Err(error)) = app.get_webview_window(LABEL).map(|window| window.hide()) {
            tracing::warn!(%error, "the window could not be hidden");
        }
    });
}

fn place_file(app: &AppHandle) -> Option<PathBuf> {
    Some(app.try_state::<Shell>()?.data_dir.join("window.json"))
}

fn read_place(app: &AppHandle) -> Option<Place> {
    let text = std::fs::read(place_file(app)?).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Writes down where the window is. A place that cannot be kept costs nobody anything.
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

/// Puts the window back, unless that screen is gone.
fn restore(window: &WebviewWindow, place: Place) {
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
