//! The window's life: it is made from the configuration, its page loads, it is closed. Closing hides it to
//! the tray if there is one, and otherwise asks the same question as quitting.

use crate::lock::lock;
use crate::shell::Shell;
use crate::window::{self, Home, LABEL};
use crate::{page, quit, tray};
use tauri::webview::{PageLoadEvent, WebviewWindowBuilder};
use tauri::{AppHandle, Manager, Url, Window, WindowEvent};

/// Creates the window, which shows itself once its page has loaded.
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
                // The first one stays, since every page is at the same address.
                window.app_handle().manage(Home(load.url().clone()));
                window::show(window.app_handle());
            }
        })
        .build()?;
    window::restore(app, &window);
    Ok(())
}

/// Allows only our own page; links are opened outside, through `open_url`.
fn is_ours(url: &Url) -> bool {
    // Windows and Android serve the page as a web address with this name, which nothing else has.
    let served = cfg!(windows) && matches!(url.scheme(), "http" | "https");
    url.scheme() == "tauri"
        || url.as_str() == "about:blank"
        || (served && url.host_str() == Some("tauri.localhost") && url.port().is_none())
}

/// Drops the streams of the previous page, since a page that reloads has none of them.
fn forget_page(app: &AppHandle) {
    page::listens(app, false);
    let Some(shell) = app.try_state::<Shell>() else {
        return;
    };
    shell.viewers.close_all();
    *lock(&shell.in_view) = None;
    if let Some(follower) = lock(&shell.follower).take() {
        follower.abort();
    }
}

/// Handles an event of the window.
pub fn changed(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    match event {
        WindowEvent::CloseRequested { api, .. } => {
            api.prevent_close();
            window::remember(app);
            close(app);
        }
        WindowEvent::Focused(false) => window::remember(app),
        WindowEvent::ThemeChanged(_) => tray::repaint(app),
        _ => {}
    }
}

fn close(app: &AppHandle) {
    let app = app.clone();
    // Looking for a tray queries D-Bus, which must not block the thread that draws.
    tauri::async_runtime::spawn_blocking(move || {
        if !tray::is_shown(&app) {
            return quit::ask(&app);
        }
        window::hide(&app);
    });
}
