//! The life of a keeper process: reads its spec, detaches, listens, and passes everything to the
//! owner.

use super::dispatcher::Dispatcher;
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

/// The bytes received from a new client in one go: more than most posts of hooks.
const AT_ONCE: usize = 64 << 10;

/// The wait for a new client's first bytes before it gets a thread. A hook sends them as soon as it is
/// connected.
const FIRST_BYTES: std::time::Duration = std::time::Duration::from_millis(2);

/// The pause after a client could not be accepted.
const AGAIN: std::time::Duration = std::time::Duration::from_millis(100);

/// The maximum number of simultaneous clients, each with two threads: a hundred windows of one session, and
/// its engine. Further clients are disconnected; they try again.
const CLIENTS: usize = 256;

/// The maximum number of hooks among them whose posts arrive in pieces: each may hold as much memory as a post
/// is long. Further hooks leave their posts in the spool.
const HOOKS: usize = 16;

/// A place for a client that is freed when this value is dropped.
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

/// The number of connected clients.
#[derive(Default)]
struct Places {
    clients: AtomicUsize,
    hooks: AtomicUsize,
}

/// Runs `downbeat keeper <dir>`: reads the [`Spec`] as JSON from standard input, prints one line, `ready` or
/// the reason of a failure, and detaches from its launcher.
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
    let dispatcher = Dispatcher::new(queue);
    // One reminder is enough.
    let (started, children) = sync_channel(1);
    let lock = Arc::new(Mutex::new(()));
    #[cfg(unix)]
    {
        let (dispatcher, lock) = (dispatcher.clone(), lock.clone());
        std::thread::Builder::new()
            .name("reap".into())
            .stack_size(STACK)
            .spawn(move || super::pty::reap(&dispatcher, &lock, &children))?;
    }
    #[cfg(windows)]
    drop(children);
    let accepting = dispatcher.clone();
    std::thread::Builder::new()
        .name("accept".into())
        .stack_size(STACK)
        .spawn(move || accept(&listener, &accepting))?;
    crate::spool::renew(dir);
    let owner = Owner::new(dir.to_owned(), spec, dispatcher.clone(), started, lock);
    dispatcher.serve(Box::new(owner), &rx);
    Ok(())
}

fn accept(listener: &Listener, dispatcher: &Arc<Dispatcher>) {
    let mut bytes = vec![0; AT_ONCE];
    let places = Arc::new(Places::default());
    for (client, stream) in (1u64..).zip(listener.incoming()) {
        match stream {
            Ok(stream) if socket::check(&stream).is_ok() => {
                welcome(client, stream, &mut bytes, dispatcher, &places)
            }
            Ok(_) => {}
            // Most likely out of descriptors: another attempt would fail immediately.
            Err(_) => std::thread::sleep(AGAIN),
        }
        if !socket::is_awaited(listener) {
            // The remaining posts in the spool are newer than all clients that waited.
            drop(dispatcher.look());
        }
    }
}

/// Takes a post that has arrived completely, on this thread: no thread has to be started or woken for it,
/// and waiting posts are taken in the order in which they were sent. Any other client gets its own
/// thread.
fn welcome(
    client: u64,
    stream: Stream,
    bytes: &mut [u8],
    dispatcher: &Arc<Dispatcher>,
    places: &Arc<Places>,
) {
    let come = socket::receive_now(&stream, bytes, FIRST_BYTES).unwrap_or(0);
    if let Some((mark, body)) = whole_post(&bytes[..come]) {
        // An error means that the keeper is ending.
        drop(dispatcher.post(stream, mark, body));
        return;
    }
    let (dispatcher, places, begun) = (dispatcher.clone(), places.clone(), bytes[..come].to_vec());
    // A client that gets no thread is disconnected; it tries again.
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
                if converse(client, &stream, reader, &dispatcher, &places).is_some() {
                    drop(dispatcher.send(Msg::Left { client }));
                }
            }),
    );
}

/// Reads one client until it is gone; `None` if it never introduced itself.
fn converse(
    client: u64,
    stream: &Arc<Stream>,
    mut reader: impl BufRead,
    dispatcher: &Dispatcher,
    places: &Places,
) -> Option<()> {
    let (kind, body) = read_frame_of(&mut reader, MAX_HELLO).ok()??;
    let Ok(Some(Request::Hello { version, role })) = Request::decode(kind, body) else {
        return None;
    };
    if version == 0 || version > VERSION {
        // A later engine switches to our version once it has read our greeting.
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
    dispatcher.send(came).ok()?;
    while let Ok(Some((kind, body))) = read_frame_of(&mut reader, role.most()) {
        match Request::decode(kind, body) {
            // None of our clients sends such a request.
            Ok(Some(request)) if !role.may(&request) => break,
            // The waiting request delivers this size as well.
            Ok(Some(Request::Resize { cols, rows })) if !wanted.put((cols, rows)) => {}
            Ok(Some(request)) => {
                if dispatcher.ask(client, request).is_err() {
                    break;
                }
            }
            Ok(None) => {}
            Err(_) => break,
        }
    }
    Some(())
}
