//! Bytes on their way to one client: sent immediately if the socket accepts them, otherwise by the
//! client's writer thread.

use crate::socket;
use interprocess::local_socket::Stream;
use std::io::Write as _;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// The maximum number of bytes that may wait for one client: a full snapshot and a window of output. A client
/// that falls further behind is cut off; when it reconnects, it gets a snapshot and all entries.
const OUTBOX_BYTES: usize = 64 << 20;

/// The largest capacity of a written buffer that is kept for reuse.
const KEPT: usize = 64 << 10;

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// The number of bytes that the writer is writing.
    writing: usize,
    closed: bool,
}

impl Waiting {
    fn len(&self) -> usize {
        self.bytes.len() + self.writing
    }
}

/// The outbox of one client.
#[derive(Clone)]
pub struct Outbox {
    stream: Arc<Stream>,
    waiting: Arc<(Mutex<Waiting>, Condvar)>,
}

impl Outbox {
    /// Creates an outbox and starts its writer thread.
    pub fn open(stream: Arc<Stream>) -> std::io::Result<Self> {
        let outbox = Self {
            stream,
            waiting: Arc::default(),
        };
        let own = outbox.clone();
        std::thread::Builder::new()
            .name("client-write".into())
            .stack_size(super::STACK)
            .spawn(move || own.drain())?;
        Ok(outbox)
    }

    /// Sends bytes in order. `false` once the client is lost.
    pub fn send(&self, bytes: &[u8]) -> bool {
        let (lock, wake) = &*self.waiting;
        let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.closed || waiting.len() + bytes.len() > OUTBOX_BYTES {
            if !std::mem::replace(&mut waiting.closed, true) {
                // Wakes the client, which waits for nothing more, and the writer, which waits for room.
                socket::shut(&self.stream);
            }
            wake.notify_one();
            return false;
        }
        let mut rest = bytes;
        if waiting.len() == 0 {
            match socket::send_now(&self.stream, bytes) {
                Ok(sent) => rest = &bytes[sent..],
                Err(_) => {
                    waiting.closed = true;
                    wake.notify_one();
                    return false;
                }
            }
        }
        if !rest.is_empty() {
            waiting.bytes.extend_from_slice(rest);
            wake.notify_one();
        }
        true
    }

    /// Makes the writer end once everything is written.
    pub fn close(&self) {
        let (lock, wake) = &*self.waiting;
        lock.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        wake.notify_all();
    }

    /// Waits until everything is written, or the client is lost, or `until`.
    pub fn flush(&self, until: Instant) {
        let (lock, wake) = &*self.waiting;
        let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.len() > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let woken = wake.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn drain(&self) {
        let (lock, wake) = &*self.waiting;
        let mut writing = Vec::new();
        loop {
            let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::take(&mut waiting.writing) > 0 {
                wake.notify_all();
            }
            while waiting.bytes.is_empty() && !waiting.closed {
                waiting = wake.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            if waiting.bytes.is_empty() {
                return;
            }
            writing.clear();
            writing.shrink_to(KEPT);
            std::mem::swap(&mut writing, &mut waiting.bytes);
            waiting.writing = writing.len();
            drop(waiting);
            if (&*self.stream).write_all(&writing).is_err() {
                let mut waiting = lock.lock().unwrap_or_else(PoisonError::into_inner);
                waiting.closed = true;
                waiting.writing = 0;
                waiting.bytes = Vec::new();
                wake.notify_all();
                return;
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use interprocess::local_socket::traits::Listener as _;
    use std::io::Read as _;
    use std::time::Duration;

    #[test]
    fn a_client_that_is_cut_off_is_disconnected() {
        let dir = tempfile::tempdir().unwrap();
        let listener = socket::listen(dir.path()).unwrap();
        let mut client = socket::connect(dir.path()).unwrap();
        let outbox = Outbox::open(Arc::new(listener.accept().unwrap())).unwrap();
        let piece = vec![0; 1 << 20];
        // The writer takes the first piece, whenever it wakes up.
        let mut sent = usize::from(outbox.send(&piece));
        let until = Instant::now() + Duration::from_secs(30);
        while outbox.waiting.0.lock().unwrap().writing == 0 {
            assert!(Instant::now() < until, "nobody writes");
            std::thread::yield_now();
        }
        sent += (0..100).take_while(|_| outbox.send(&piece)).count();
        assert!((64..66).contains(&sent), "{sent} MiB");
        let (done, read) = std::sync::mpsc::sync_channel(1);
        std::thread::spawn(move || done.send(client.read_to_end(&mut Vec::new()).is_ok()));
        assert!(
            read.recv_timeout(Duration::from_secs(30)).is_ok(),
            "it waits for ever"
        );
    }
}
