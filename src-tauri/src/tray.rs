//! The tray: counts at a glance, and a menu with each session that needs the person.

use crate::lock::lock;
use crate::page::{self, Ask};
use crate::quit;
use crate::window;
use downbeat_model::name::shows;
use downbeat_model::{Attention, Status};
use downbeat_wire::session::{SessionSummary, needing};
use std::sync::Mutex;
use tauri::image::Image;
use tauri::menu::{Menu, MenuBuilder, MenuEvent, MenuItemBuilder};
use tauri::tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent};
use tauri::{AppHandle, Manager, Theme};

/// The maximum number of sessions in the menu; the window has the rest.
const LISTED: usize = 12;

/// The maximum length of a session's line in the menu, in characters.
const LINE: usize = 60;

const OPEN: &str = "open";
const NEW: &str = "new-session";
const QUIT: &str = "quit";
const SESSION: &str = "session:";

/// The contents of the tray.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    working: u32,
    /// The id and line of each session that needs the person.
    needs: Vec<(String, String)>,
}

/// The tray, if the system has one, and its contents.
#[derive(Default)]
pub struct Tray(Mutex<(Option<TrayIcon>, Summary)>);

impl Summary {
    /// Summarizes these sessions.
    pub fn of(sessions: &[SessionSummary]) -> Self {
        let working = sessions.iter().filter(|s| s.status == Status::Running).count();
        let needs = needing(sessions).into_iter();
        Self {
            working: u32::try_from(working).unwrap_or(u32::MAX),
            needs: needs
                .map(|(session, attention)| (session.id.to_string(), line(session, attention)))
                .collect(),
        }
    }

    /// Returns how many sessions need the person.
    pub fn needs_you(&self) -> u32 {
        u32::try_from(self.needs.len()).unwrap_or(u32::MAX)
    }

    fn words(&self) -> String {
        let needs = self.needs.len();
        match (self.working, needs) {
            (0, 0) => "Downbeat".to_owned(),
            (working, 0) => format!("Downbeat: {working} working"),
            (0, needs) => format!("Downbeat: {needs} need you"),
            (working, needs) => format!("Downbeat: {working} working, {needs} need you"),
        }
    }
}

fn line(session: &SessionSummary, attention: &Attention) -> String {
    let text = format!("{}: {}", session.title, attention.why);
    // A NUL would end the whole menu; an ampersand would be read as a mnemonic.
    let text: String = text.chars().filter(|&c| shows(c)).collect();
    let text = text.replace('&', "&&");
    if text.chars().count() <= LINE {
        return text;
    }
    text.chars().take(LINE - 1).chain(['…']).collect()
}

/// Shows `summary`, and creates the tray if there is none yet.
pub fn show(app: &AppHandle, summary: Summary) {
    let on_main = app.clone();
    let shown = app.run_on_main_thread(move || {
        let tray = on_main.state::<Tray>();
        let mut tray = lock(&tray.0);
        if tray.0.is_some() && tray.1 == summary {
            return;
        }
        tray.1 = summary;
        if let Err(error) = draw(&on_main, &mut tray) {
            tracing::info!(%error, "no tray here");
        }
    });
    if let Err(error) = shown {
        tracing::warn!(%error, "the tray could not be changed");
    }
}

/// Redraws the tray after the theme has changed.
pub fn repaint(app: &AppHandle) {
    let on_main = app.clone();
    let _ = app.run_on_main_thread(move || {
        let tray = on_main.state::<Tray>();
        let drawn = draw(&on_main, &mut lock(&tray.0));
        drop(drawn);
    });
}

fn draw(app: &AppHandle, tray: &mut (Option<TrayIcon>, Summary)) -> tauri::Result<()> {
    let (icon, summary) = tray;
    let menu = menu(app, summary)?;
    let words = summary.words();
    let Some(icon) = icon else {
        let builder = TrayIconBuilder::with_id("downbeat")
            .menu(&menu)
            .tooltip(&words)
            .icon(image(app, summary))
            .icon_as_template(cfg!(target_os = "macos"))
            .show_menu_on_left_click(cfg!(target_os = "macos"))
            .on_tray_icon_event(clicked);
        *icon = Some(titled(builder, summary, &words).build(app)?);
        return Ok(());
    };
    icon.set_menu(Some(menu))?;
    icon.set_tooltip(Some(&words))?;
    icon.set_icon_with_as_template(Some(image(app, summary)), cfg!(target_os = "macos"))?;
    icon.set_title(title(summary, &words))
}

/// Returns the title. On macOS it is next to the icon and reduced to a number; on Linux it names the item.
fn title(summary: &Summary, words: &str) -> Option<String> {
    if cfg!(target_os = "macos") {
        return (!summary.needs.is_empty()).then(|| summary.needs.len().to_string());
    }
    Some(words.to_owned())
}

fn titled(
    builder: TrayIconBuilder<tauri::Wry>,
    summary: &Summary,
    words: &str,
) -> TrayIconBuilder<tauri::Wry> {
    match title(summary, words) {
        Some(title) => builder.title(title),
        None => builder,
    }
}

fn menu(app: &AppHandle, summary: &Summary) -> tauri::Result<Menu<tauri::Wry>> {
    let mut menu = MenuBuilder::new(app).text(OPEN, "Open Downbeat").separator();
    if !summary.needs.is_empty() {
        let heading = MenuItemBuilder::new("Needs you").enabled(false).build(app)?;
        menu = menu.item(&heading);
        for (id, line) in summary.needs.iter().take(LISTED) {
            menu = menu.text(format!("{SESSION}{id}"), line);
        }
        menu = menu.separator();
    }
    menu.text(NEW, "New Session…")
        .separator()
        .text(QUIT, "Quit Downbeat")
        .build()
}

/// Handles the choice of an entry of the tray's menu.
pub fn chosen(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        OPEN => window::show(app),
        NEW => {
            window::show(app);
            page::ask(app, Ask::NewSession);
        }
        QUIT => quit::ask(app),
        other => {
            if let Some(id) = other.strip_prefix(SESSION) {
                window::show(app);
                page::ask(app, Ask::OpenSession { id: id.to_owned() });
            }
        }
    }
}

fn clicked(icon: &TrayIcon, event: TrayIconEvent) {
    if let TrayIconEvent::Click {
        button: MouseButton::Left,
        button_state: MouseButtonState::Up,
        ..
    } = event
    {
        window::show(icon.app_handle());
    }
}

fn image(app: &AppHandle, summary: &Summary) -> Image<'static> {
    let needs = !summary.needs.is_empty();
    if cfg!(target_os = "macos") {
        return match needs {
            true => tauri::include_image!("./icons/tray/template-needs.png"),
            false => tauri::include_image!("./icons/tray/template.png"),
        };
    }
    match (is_panel_dark(app), needs) {
        (true, true) => tauri::include_image!("./icons/tray/on-dark-needs.png"),
        (true, false) => tauri::include_image!("./icons/tray/on-dark.png"),
        (false, true) => tauri::include_image!("./icons/tray/on-light-needs.png"),
        (false, false) => tauri::include_image!("./icons/tray/on-light.png"),
    }
}

/// Returns whether the panel is dark: GNOME's is in both themes; elsewhere panels follow the theme.
fn is_panel_dark(app: &AppHandle) -> bool {
    let desktop = std::env::var("XDG_CURRENT_DESKTOP").unwrap_or_default();
    let theme = app
        .get_webview_window("main")
        .and_then(|window| window.theme().ok());
    desktop.contains("GNOME") || theme == Some(Theme::Dark)
}

/// Returns whether a person can see our tray now, so that a hidden window can be found again.
#[cfg(not(target_os = "linux"))]
pub fn is_shown(app: &AppHandle) -> bool {
    lock(&app.state::<Tray>().0).0.is_some()
}

/// Returns whether a person can see our tray now. A panel may come and go, so D-Bus is queried each time.
#[cfg(target_os = "linux")]
pub fn is_shown(app: &AppHandle) -> bool {
    lock(&app.state::<Tray>().0).0.is_some() && has_host().unwrap_or(false)
}

#[cfg(target_os = "linux")]
fn has_host() -> zbus::Result<bool> {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let bus = zbus::blocking::Connection::session()?;
    let watcher = zbus::blocking::Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER)?;
    watcher.get_property("IsStatusNotifierHostRegistered")
}
