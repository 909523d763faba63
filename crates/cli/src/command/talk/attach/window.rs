//! Follows the size of this terminal, and restores the terminal when a signal ends this program.

use super::screen;
use super::writer::{Writer, lock};
use downbeat_model::terminal::Input;

/// Reports each new size to the keeper, on a thread that sleeps in between.
pub(super) fn follow(writer: Writer) {
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        if let Ok(runtime) = runtime {
            runtime.block_on(watch(&writer));
        }
    });
}

/// Reports the size. Returns false once the keeper is gone.
fn send_size(writer: &Writer) -> bool {
    match crossterm::terminal::size() {
        Ok((cols, rows)) => lock(writer).send(&Input::Resize { cols, rows }).is_ok(),
        Err(_) => true,
    }
}

#[cfg(unix)]
async fn watch(writer: &Writer) {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| signal(kind).ok();
    // Keys send no signals here: an interrupt comes from outside, like the others.
    let (Some(mut resized), Some(mut hung_up), Some(mut ended), Some(mut interrupted), Some(mut quit)) = (
        listen(SignalKind::window_change()),
        listen(SignalKind::hangup()),
        listen(SignalKind::terminate()),
        listen(SignalKind::interrupt()),
        listen(SignalKind::quit()),
    ) else {
        return;
    };
    loop {
        tokio::select! {
            _ = resized.recv() => if !send_size(writer) { return },
            _ = hung_up.recv() => break,
            _ = ended.recv() => break,
            _ = interrupted.recv() => break,
            _ = quit.recv() => break,
        }
    }
    screen::leave();
    std::process::exit(1);
}

/// Watches the size by polling: Windows has no signal for it, and two checks a second are not noticeable.
#[cfg(windows)]
async fn watch(writer: &Writer) {
    let mut known = crossterm::terminal::size().ok();
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let size = crossterm::terminal::size().ok();
        if size != known {
            known = size;
            if !send_size(writer) {
                screen::leave();
                return;
            }
        }
    }
}
