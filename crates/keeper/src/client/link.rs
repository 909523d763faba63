//! An engine's connection to one keeper: requests with answers, and reports.

use super::read_frame;
use crate::error::Error;
use crate::proto::{Answer, Request, Role, VERSION};
use crate::report::{Hello, Report, Text};
use crate::socket;
use crate::spec::StepSpec;
use interprocess::local_socket::tokio::Stream;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{mpsc, oneshot};

/// Requests that may wait to be written; more make the caller wait.
const REQUESTS: usize = 64;

/// Reports that may wait for the engine. A full channel stops reading, and so the keeper's
/// outbox fills: an engine must keep taking reports, also while it awaits an answer.
const REPORTS: usize = 1024;

/// How long a keeper may take to greet.
const GREETING: Duration = Duration::from_secs(5);

type Answered = Result<Vec<u8>, String>;
type Waiting = Arc<Mutex<Option<HashMap<u32, oneshot::Sender<Answered>>>>>;

/// A handle of an engine's connection to a keeper. Clones share the connection, which closes
/// with the last of them.
#[derive(Debug, Clone)]
pub struct Link {
    hello: Arc<Hello>,
    requests: mpsc::Sender<Vec<u8>>,
    waiting: Waiting,
    next: Arc<AtomicU32>,
}

/// Connects to the keeper in `dir`. [`Error::Gone`] if nobody listens there.
pub async fn connect(dir: &Path) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    let stream: Stream = socket::connect_async(dir).await?;
    let (read, mut write) = tokio::io::split(stream);
    let mut read = BufReader::with_capacity(64 << 10, read);
    write
        .write_all(
            &Request::Hello {
                version: VERSION,
                role: Role::Control,
            }
            .encode(),
        )
        .await?;
    let hello = tokio::time::timeout(GREETING, greeting(&mut read))
        .await
        .map_err(|_| Error::Gone)??;
    let (requests, queue) = mpsc::channel(REQUESTS);
    let (reports, receiver) = mpsc::channel(REPORTS);
    let waiting: Waiting = Arc::new(Mutex::new(Some(HashMap::new())));
    let reading = tokio::spawn(read_all(read, reports, waiting.clone()));
    let ended = waiting.clone();
    tokio::spawn(async move {
        write_all(write, queue).await;
        reading.abort();
        ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    });
    let link = Link {
        hello: Arc::new(hello),
        requests,
        waiting,
        next: Arc::new(AtomicU32::new(1)),
    };
    Ok((link, receiver))
}

async fn greeting(read: &mut (impl AsyncRead + Unpin)) -> Result<Hello, Error> {
    let (kind, body) = read_frame(read).await?.ok_or(Error::Gone)?;
    match Answer::decode(kind, body)? {
        Some(Answer::Hello(hello)) if hello.protocol >= VERSION => Ok(*hello),
        Some(Answer::Hello(hello)) => Err(Error::Protocol {
            found: hello.protocol,
            known: VERSION,
        }),
        _ => Err(Error::Malformed),
    }
}

async fn write_all(mut write: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if write.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read_all(mut read: impl AsyncRead + Unpin, reports: mpsc::Sender<Report>, waiting: Waiting) {
    while let Ok(Some((kind, body))) = read_frame(&mut read).await {
        let report = match Answer::decode(kind, body) {
            Ok(Some(Answer::Reply { id, result })) => {
                let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(sender) = waiting.as_mut().and_then(|map| map.remove(&id)) {
                    drop(sender.send(result));
                }
                continue;
            }
            Ok(Some(Answer::Entry(entry))) => Report::Entry(entry),
            Ok(Some(Answer::Output { seq, at })) => Report::Output { seq, at },
            Ok(Some(Answer::Title(title))) => Report::Title(title),
            Ok(_) => continue,
            Err(_) => break,
        };
        // An engine that no longer wants reports still gets its answers.
        drop(reports.send(report).await);
    }
    waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(reports.send(Report::Lost).await);
}

impl Link {
    /// How the keeper stood when this connection was made.
    #[must_use]
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    async fn ask(&self, request: impl FnOnce(u32) -> Request) -> Result<Vec<u8>, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.as_mut().ok_or(Error::Gone)?.insert(id, sender);
        }
        self.requests
            .send(request(id).encode())
            .await
            .map_err(|_| Error::Gone)?;
        answer.await.map_err(|_| Error::Gone)?.map_err(Error::Refused)
    }

    /// Types bytes into the program. Returns once the keeper has taken them all.
    pub async fn input(&self, bytes: Vec<u8>) -> Result<(), Error> {
        self.ask(|id| Request::Type { id, bytes }).await.map(drop)
    }

    /// Sets the size of the screen.
    pub async fn resize(&self, cols: u16, rows: u16) -> Result<(), Error> {
        self.requests
            .send(Request::Resize { cols, rows }.encode())
            .await
            .map_err(|_| Error::Gone)
    }

    /// Clean text of the last lines: soft wraps joined, trailing blanks cut.
    pub async fn text(&self, lines: u32) -> Result<Text, Error> {
        Ok(serde_json::from_slice(
            &self.ask(|id| Request::Text { id, lines }).await?,
        )?)
    }

    /// Ends the whole process tree: TERM, up to `grace`, KILL. Returns when it is gone.
    pub async fn kill(&self, grace: Duration) -> Result<(), Error> {
        let grace = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.ask(|id| Request::Kill { id, grace }).await.map(drop)
    }

    /// When held or ended: starts again from step `first`, optionally with other steps.
    pub async fn run(&self, first: usize, steps: Option<Vec<StepSpec>>) -> Result<(), Error> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        self.ask(|id| Request::Run { id, first, steps }).await.map(drop)
    }

    /// Entries up to here are stored: the keeper may drop them.
    pub async fn ack(&self, journal_seq: u64) -> Result<(), Error> {
        self.ask(|id| Request::Stored { id, seq: journal_seq })
            .await
            .map(drop)
    }

    /// After the end: the keeper removes its socket and exits.
    pub async fn close(&self) -> Result<(), Error> {
        self.ask(|id| Request::Close { id }).await.map(drop)
    }
}
