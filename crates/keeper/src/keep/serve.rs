//! The life of a keeper process: takes its spec, detaches, listens, and hands everything to the
//! owner.

use super::desk::Desk;
use super::message::Msg;
use super::outbox::Outbox;
use super::owner::Owner;
use super::posts::whole_post;
use super::wanted::Wanted;
use super::{QUEUE, STACK};
use crate::error::Error;
use crate::proto::{MAX_HELLO, Request, Role, VERSION, read_frame_of};
use crate::socket;
use crate::spec::{READY, Spec};
use interprocess::local_socket::traits::ListenerExt as _;
use interprocess::local_socket::{Listener, Stream};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};

/// Bytes that are taken from a new client at once: what most posts of hooks are, and more.
const AT_ONCE: usize = 64 << 10;

/// How long a new client's first bytes are waited for before it gets a thread. A hook sends them as
/// soon as it is connected.
const FIRST_BYTES: std::time::Duration = std::time::Duration::from_millis(2);

/// Time before the next client is taken where one could not be.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// Clients at once, each with two threads: a hundred windows of one session, and its engine. More are
/// hung up on; they try again.
const CLIENTS: usize = 256;

/// Hooks among them whose posts come in pieces: each may hold as much as a post is long. Others leave
/// theirs in the spool.
const HOOKS: usize = 16;

/// A place that is free again when it is dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(places: &'a AtomicUsize, most: usize) -> Option<Self> {
        let place = Self(places);
        (places.fetch_add(1, Ordering::SeqCst) < most).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// How many clients are here.
#[derive(Default)]
struct Places {
    clients: AtomicUsize,
    hooks: AtomicUsize,
}

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
    crate::spool::renew(dir);
    let owner = Owner::new(dir.to_owned(), spec, desk.clone(), started, lock);
    desk.serve(Box::new(owner), &rx);
    Ok(())
}

fn accept(listener: &Listener, desk: &Arc<Desk>) {
    let mut bytes = vec![0; AT_ONCE];
    let places = Arc::new(Places::default());
    for (client, stream) in (1u64..).zip(listener.incoming()) {
        match stream {
            Ok(stream) if socket::check(&stream).is_ok() => {
                welcome(client, stream, &mut bytes, desk, &places)
            }
            Ok(_) => {}
            // Out of descriptors, most likely: the next try would say so at once.
            Err(_) => std::thread::sleep(AGAIN),
        }
        if !socket::is_awaited(listener) {
            // What still lies in the spool is newer than all that waited.
            drop(desk.look());
        }
    }
}

/// Takes a post that has come as a whole on the spot: no thread has to be started or woken for it,
/// and those that waited are taken in the order in which they were sent. Whoever else comes gets a
/// thread.
fn welcome(client: u64, stream: Stream, bytes: &mut [u8], desk: &Arc<Desk>, places: &Arc<Places>) {
    let come = socket::receive_now(&stream, bytes, FIRST_BYTES).unwrap_or(0);
    if let Some((mark, body)) = whole_post(&bytes[..come]) {
        // An error says that the keeper ends.
        drop(desk.post(stream, mark, body));
        return;
    }
    let (desk, places, begun) = (desk.clone(), places.clone(), bytes[..come].to_vec());
    // A client that gets no thread is closed; it tries again.
    drop(
        std::thread::Builder::new()
            .name("client-read".into())
            .stack_size(STACK)
            .spawn(move || {
                let Some(_place) = Place::take(&places.clients, CLIENTS) else {
                    return;
                };
                let stream = Arc::new(stream);
                let reader = BufReader::with_capacity(8 << 10, begun.as_slice().chain(&*stream));
                if converse(client, &stream, reader, &desk, &places).is_some() {
                    drop(desk.tell(Msg::Left { client }));
                }
            }),
    );
}

/// Reads one client until it is gone; `None` where it never introduced itself.
fn converse(
    client: u64,
    stream: &Arc<Stream>,
    mut reader: impl BufRead,
    desk: &Desk,
    places: &Places,
) -> Option<()> {
    let (kind, body) = read_frame_of(&mut reader, MAX_HELLO).ok()??;
    let Ok(Some(Request::Hello { version, role })) = Request::decode(kind, body) else {
        return None;
    };
    if version == 0 || version > VERSION {
        // A later engine speaks our version once it has read our greeting.
        tracing::debug!(version, "a client speaks a later protocol");
    }
    let _place = match role {
        Role::Hook => Some(Place::take(&places.hooks, HOOKS)?),
        Role::Control | Role::Viewer => None,
    };
    let outbox = Outbox::open(stream.clone()).ok()?;
    let wanted = Wanted::default();
    let came = Msg::Came {
        client,
        role,
        outbox,
        wanted: wanted.clone(),
    };
    desk.tell(came).ok()?;
    while let Ok(Some((kind, body))) = read_frame_of(&mut reader, role.most()) {
        match Request::decode(kind, body) {
            // Nothing of ours asks it.
            Ok(Some(request)) if !role.may(&request) => break,
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
