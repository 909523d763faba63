//! The life of a keeper process: takes its spec, detaches, listens, and hands everything to the
//! owner.

use super::desk::Desk;
use super::outbox::Outbox;
use super::owner::{Msg, Owner};
use super::wanted::Wanted;
use super::{QUEUE, STACK};
use crate::error::Error;
use crate::proto::{Request, VERSION, read_frame};
use crate::socket;
use crate::spec::Spec;
use interprocess::local_socket::traits::ListenerExt as _;
use interprocess::local_socket::{Listener, Stream};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

/// The word that tells the launcher that the keeper listens.
pub const READY: &str = "ready";

/// Time before the next client is taken where one could not be.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// The body of `downbeat keeper <dir>`: reads the [`Spec`] as JSON from standard input, prints
/// one line, `ready` or the reason why not, and lets go of its launcher.
pub fn run(dir: &Path) -> Result<(), Error> {
    let dir = &std::path::absolute(dir)?;
    match prepare(dir) {
        Ok((spec, listener)) => {
            let mut out = std::io::stdout();
            writeln!(out, "{READY}")?;
            out.flush()?;
            crate::detach::let_go()?;
            serve(dir, spec, listener)
        }
        Err(error) => {
            println!("{}", error.to_string().replace('\n', " "));
            Err(error)
        }
    }
}

fn prepare(dir: &Path) -> Result<(Spec, Listener), Error> {
    crate::detach::leave_session();
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let spec: Spec = serde_json::from_slice(&text)?;
    socket::private_dir(dir)?;
    let listener = socket::listen(dir)?;
    #[cfg(unix)]
    crate::tree::adopt_orphans();
    #[cfg(windows)]
    crate::tree::enter_job()?;
    Ok((spec, listener))
}

fn serve(dir: &Path, spec: Spec, listener: Listener) -> Result<(), Error> {
    let (queue, rx) = sync_channel(QUEUE);
    let desk = Desk::new(queue);
    // One reminder is enough.
    let (started, children) = sync_channel(1);
    let lock = Arc::new(Mutex::new(()));
    #[cfg(unix)]
    {
        let (desk, lock) = (desk.clone(), lock.clone());
        std::thread::Builder::new()
            .name("reap".into())
            .stack_size(STACK)
            .spawn(move || super::pty::reap(&desk, &lock, &children))?;
    }
    #[cfg(windows)]
    drop(children);
    let accepting = desk.clone();
    std::thread::Builder::new()
        .name("accept".into())
        .stack_size(STACK)
        .spawn(move || accept(&listener, &accepting))?;
    let owner = Owner::new(dir.to_owned(), spec, desk.clone(), started, lock);
    desk.serve(owner, &rx);
    Ok(())
}

fn accept(listener: &Listener, desk: &Arc<Desk>) {
    for (client, stream) in (1u64..).zip(listener.incoming()) {
        let Ok(stream) = stream else {
            // Out of descriptors, most likely: the next try would say so at once.
            std::thread::sleep(AGAIN);
            continue;
        };
        if socket::check(&stream).is_err() {
            continue;
        }
        let desk = desk.clone();
        // A client that gets no thread is closed; it tries again.
        drop(
            std::thread::Builder::new()
                .name("client-read".into())
                .stack_size(STACK)
                .spawn(move || {
                    let stream = Arc::new(stream);
                    if converse(client, &stream, &desk).is_some() {
                        drop(desk.tell(Msg::Left { client }));
                    }
                }),
        );
    }
}

/// Reads one client until it is gone; `None` where it never introduced itself.
fn converse(client: u64, stream: &Arc<Stream>, desk: &Desk) -> Option<()> {
    let mut reader = std::io::BufReader::with_capacity(8 << 10, &**stream);
    let (kind, body) = read_frame(&mut reader).ok()??;
    let Ok(Some(Request::Hello { version, role })) = Request::decode(kind, body) else {
        return None;
    };
    if version == 0 || version > VERSION {
        // A later engine speaks our version once it has read our greeting.
        tracing::debug!(version, "a client speaks a later protocol");
    }
    let outbox = Outbox::open(stream.clone()).ok()?;
    let wanted = Wanted::default();
    let came = Msg::Came {
        client,
        role,
        outbox,
        wanted: wanted.clone(),
    };
    desk.tell(came).ok()?;
    while let Ok(Some((kind, body))) = read_frame(&mut reader) {
        match Request::decode(kind, body) {
            // The one that waits brings it along.
            Ok(Some(Request::Resize { cols, rows })) if !wanted.put((cols, rows)) => {}
            Ok(Some(request)) => {
                if desk.ask(client, request).is_err() {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => break,
        }
    }
    Some(())
}
