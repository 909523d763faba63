//! An engine's connection to one keeper: requests with answers, and reports.

use super::{check_owner, read_frame};
use crate::error::Error;
use crate::proto::{Answer, Request, Role, VERSION};
use crate::report::{Entry, EntryKind, Hello, Report, Text};
use crate::socket;
use crate::spec::StepSpec;
use interprocess::local_socket::tokio::Stream;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, oneshot};

/// The maximum number of requests that may wait to be written; further callers wait.
const REQUESTS: usize = 64;

/// The reports that the engine's end of the channel holds; more wait in the reader's own backlog.
const REPORTS: usize = 1024;

/// The maximum number of bytes of reports that may wait behind a full channel: a journal at its limit, times
/// two for the keeper's own entries, so that an engine that takes no reports still gets its answers. Over this
/// limit reading stops, and the keeper's outbox fills.
const BACKLOG_BYTES: usize = 32 << 20;

/// The size of a report besides its text.
const REPORT_BYTES: usize = 64;

/// The time that a keeper may take to greet.
const GREETING: Duration = Duration::from_secs(5);

/// The time between two tries if a keeper hangs up before it greets.
const AGAIN: Duration = Duration::from_millis(50);

/// The time that a keeper may take to answer; a kill has its grace in addition.
const ANSWER: Duration = Duration::from_secs(10);

/// The id of requests whose answer nobody awaits.
const NO_ANSWER: u32 = 0;

type Answered = Result<Vec<u8>, String>;
type Waiting = Arc<Mutex<Option<HashMap<u32, oneshot::Sender<Answered>>>>>;

/// The handle of an engine's connection to a keeper. Clones share the connection, which closes
/// with the last of them.
#[derive(Debug, Clone)]
pub struct Link {
    hello: Arc<Hello>,
    requests: mpsc::Sender<Vec<u8>>,
    waiting: Waiting,
    next: Arc<AtomicU32>,
}

/// Connects to the keeper in `dir`. Fails with [`Error::Gone`] only if nobody listens there, and with
/// [`Error::Slow`] if a keeper listens but does not greet in time.
pub async fn connect(dir: &Path) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    connect_within(dir, GREETING).await
}

/// Connects like [`connect`], but waits at most `patience` for the greeting.
pub async fn connect_within(dir: &Path, patience: Duration) -> Result<(Link, mpsc::Receiver<Report>), Error> {
    let (read, write, hello) = tokio::time::timeout(patience, meet(dir))
        .await
        .map_err(|_| Error::Slow("greet", patience))??;
    let (requests, queue) = mpsc::channel(REQUESTS);
    let (reports, receiver) = mpsc::channel(REPORTS);
    let waiting: Waiting = Arc::new(Mutex::new(Some(HashMap::new())));
    let reading = tokio::spawn(read_all(read, reports, waiting.clone()));
    let ended = waiting.clone();
    tokio::spawn(async move {
        if write_all(write, queue).await.is_ok() {
            // Nobody holds the link any more. (If writing failed, reading ends by itself.)
            reading.abort();
        }
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

type Reading = BufReader<ReadHalf<Stream>>;

/// Connects until the keeper greets. A keeper that hangs up first had no thread to spare, or is about
/// to exit; the next try shows which.
async fn meet(dir: &Path) -> Result<(Reading, WriteHalf<Stream>, Hello), Error> {
    let opening = Request::Hello {
        version: VERSION,
        role: Role::Control,
    }
    .encode();
    loop {
        let (read, mut write) = tokio::io::split(socket::connect_async(dir).await?);
        let mut read = BufReader::with_capacity(64 << 10, read);
        if write.write_all(&opening).await.is_ok() {
            match greeting(&mut read).await {
                Ok(Some(hello)) => {
                    check_owner(&hello, dir)?;
                    return Ok((read, write, hello));
                }
                Ok(None) | Err(Error::Io(_)) => {}
                Err(other) => return Err(other),
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn greeting(read: &mut (impl AsyncRead + Unpin)) -> Result<Option<Hello>, Error> {
    let Some((kind, body)) = read_frame(read).await? else {
        return Ok(None);
    };
    match Answer::decode(kind, body)? {
        Some(Answer::Hello(hello)) if hello.protocol >= VERSION => Ok(Some(*hello)),
        Some(Answer::Hello(hello)) => Err(Error::Protocol {
            found: hello.protocol,
            known: VERSION,
        }),
        _ => Err(Error::Malformed),
    }
}

/// Writes requests until all senders are gone.
async fn write_all(
    mut write: impl AsyncWrite + Unpin,
    mut queue: mpsc::Receiver<Vec<u8>>,
) -> std::io::Result<()> {
    while let Some(bytes) = queue.recv().await {
        write.write_all(&bytes).await?;
    }
    Ok(())
}

/// Reports that wait behind a full channel.
#[derive(Default)]
struct Backlog {
    reports: VecDeque<Report>,
    bytes: usize,
}

impl Backlog {
    fn weight(report: &Report) -> usize {
        REPORT_BYTES
            + match report {
                Report::Entry(Entry {
                    what: EntryKind::Hook { body },
                    ..
                }) => body.len(),
                Report::Title(title) => title.len(),
                _ => 0,
            }
    }

    fn push(&mut self, report: Report) {
        // Of consecutive reports of output or title, only the latest matters.
        let same = |last: &mut Report| {
            matches!(
                (last, &report),
                (Report::Output { .. }, Report::Output { .. }) | (Report::Title(_), Report::Title(_))
            )
        };
        if self.reports.back_mut().is_some_and(same) {
            self.pop_back();
        }
        self.bytes += Self::weight(&report);
        self.reports.push_back(report);
    }

    fn pop_back(&mut self) {
        if let Some(report) = self.reports.pop_back() {
            self.bytes -= Self::weight(&report);
        }
    }

    fn pop(&mut self) -> Option<Report> {
        let report = self.reports.pop_front()?;
        self.bytes -= Self::weight(&report);
        Some(report)
    }
}

/// Passes answers to their waiting callers, and reports to the engine; answers never wait
/// behind reports.
async fn read_all(read: impl AsyncRead + Unpin, reports: mpsc::Sender<Report>, waiting: Waiting) {
    let mut backlog = Backlog::default();
    let (mut open, mut wanted) = (true, true);
    let next = async |mut read| (read_frame(&mut read).await, read);
    // Kept across turns, because half a frame may have been read.
    let mut reading = std::pin::pin!(next(read));
    loop {
        tokio::select! {
            (frame, read) = &mut reading, if open && backlog.bytes < BACKLOG_BYTES => {
                match understand(frame, &waiting) {
                    // An engine that no longer wants reports still gets its answers.
                    Ok(Some(report)) if wanted => backlog.push(report),
                    Ok(_) => {}
                    Err(Over) => open = false,
                }
                if open {
                    reading.set(next(read));
                } else {
                    waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
                    backlog.push(Report::Lost);
                }
            }
            place = reports.reserve(), if wanted && !backlog.reports.is_empty() => match place {
                Ok(place) => if let Some(report) = backlog.pop() {
                    place.send(report);
                },
                Err(_) => {
                    wanted = false;
                    backlog = Backlog::default();
                }
            },
            else => return,
        }
    }
}

/// The error that ends the use of a connection.
struct Over;

/// Processes one frame: passes an answer to its waiting caller, or returns a report.
fn understand(
    frame: Result<Option<(u8, Vec<u8>)>, Error>,
    waiting: &Waiting,
) -> Result<Option<Report>, Over> {
    let Ok(Some((kind, body))) = frame else {
        return Err(Over);
    };
    Ok(match Answer::decode(kind, body).map_err(|_| Over)? {
        Some(Answer::Reply { id, result }) => {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(sender) = waiting.as_mut().and_then(|map| map.remove(&id)) {
                drop(sender.send(result));
            }
            None
        }
        Some(Answer::Entry(entry)) => Some(Report::Entry(entry)),
        Some(Answer::Output { seq, at }) => Some(Report::Output { seq, at }),
        Some(Answer::Title(title)) => Some(Report::Title(title)),
        _ => None,
    })
}

/// Removes a request from the map when its caller no longer waits.
struct Asked<'a> {
    waiting: &'a Waiting,
    id: u32,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = waiting.as_mut() {
            map.remove(&self.id);
        }
    }
}

impl Link {
    /// Returns the state of the keeper when this connection was made.
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
        let _asked = Asked {
            waiting: &self.waiting,
            id,
        };
        self.requests
            .send(request(id).encode())
            .await
            .map_err(|_| Error::Gone)?;
        answer.await.map_err(|_| Error::Gone)?.map_err(Error::Refused)
    }

    /// Sends a request, and gives up after `within`; the keeper may still carry it out.
    async fn ask_within(
        &self,
        what: &'static str,
        within: Duration,
        request: impl FnOnce(u32) -> Request,
    ) -> Result<Vec<u8>, Error> {
        tokio::time::timeout(within, self.ask(request))
            .await
            .map_err(|_| Error::Slow(what, within))?
    }

    /// Types bytes into the program. Returns once the keeper has taken them all. After [`Error::Slow`] they
    /// may still arrive: a caller that retries may type them twice.
    pub async fn input(&self, bytes: Vec<u8>) -> Result<(), Error> {
        self.ask_within("take what was typed", ANSWER, |id| Request::Type { id, bytes })
            .await
            .map(drop)
    }

    /// Sets the size of the screen.
    pub async fn resize(&self, cols: u16, rows: u16) -> Result<(), Error> {
        self.requests
            .send(Request::Resize { cols, rows }.encode())
            .await
            .map_err(|_| Error::Gone)
    }

    /// Returns clean text of the last lines: soft wraps joined, trailing blanks removed.
    pub async fn text(&self, lines: u32) -> Result<Text, Error> {
        let text = self.ask_within("give its text", ANSWER, |id| Request::Text { id, lines });
        Ok(serde_json::from_slice(&text.await?)?)
    }

    /// Ends the whole process tree: TERM, up to `grace`, KILL. Returns when it is gone.
    pub async fn kill(&self, grace: Duration) -> Result<(), Error> {
        let within = grace.saturating_add(ANSWER);
        let grace = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.ask_within("end its processes", within, |id| Request::Kill { id, grace })
            .await
            .map(drop)
    }

    /// Restarts a held or ended session from step `first`, optionally with other steps.
    pub async fn run(&self, first: usize, steps: Option<Vec<StepSpec>>) -> Result<(), Error> {
        let first = u32::try_from(first).unwrap_or(u32::MAX);
        self.ask_within("run a step", ANSWER, |id| Request::Run { id, first, steps })
            .await
            .map(drop)
    }

    /// Acknowledges the entries up to `journal_seq`, which the keeper may then drop. Waits only for a place
    /// in the queue: entries whose acknowledgement is lost are sent again on the next connection.
    pub async fn ack(&self, journal_seq: u64) -> Result<(), Error> {
        let request = Request::Stored {
            id: NO_ANSWER,
            seq: journal_seq,
        };
        self.requests
            .send(request.encode())
            .await
            .map_err(|_| Error::Gone)
    }

    /// Makes the keeper of an ended session remove its socket and exit.
    pub async fn close(&self) -> Result<(), Error> {
        self.ask_within("close", ANSWER, |id| Request::Close { id })
            .await
            .map(drop)
    }
}
