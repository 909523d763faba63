//! A model on loopback that answers from a test's script, in the APIs of Claude Code (Messages), Codex
//! (Responses) and OpenCode (Chat Completions).
//!
//! Not a model: it finds the rule whose words the person's last message contains, and plays that rule's
//! steps, one per answer. The conversation that the agent sends is its only memory, so a repeated request
//! gets the same answer. All requests are recorded for tests.
//!
//! Map: [`script`] is what a test writes; [`turn`] reads the position of a request in the script; [`reply`]
//! formats the answer for Claude Code's API, [`responses`] and [`chat`] do both for the other two; [`home`]
//! has home directories in which the agents start against it without questions of their own.

mod chat;
pub mod home;
mod reply;
mod responses;
pub mod script;
mod turn;

pub use script::{Call, Script, Step};
pub use turn::Turn;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use script::{Act, Pause};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The maximum number of requests that are kept; later ones are lost.
const KEPT_REQUESTS: usize = 4096;

/// The maximum size of a request's body, in bytes: a long conversation with a 100 KB prompt fits many times.
const MAX_BODY: usize = 64 << 20;

/// A recorded request.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The path of the request, with the query.
    pub path: String,
    /// The body of the request; null if it was not JSON.
    pub body: Value,
}

/// A running model, which ends when this is dropped.
pub struct ModelServer {
    /// The address, without a slash at the end, as `ANTHROPIC_BASE_URL` needs it.
    pub url: String,
    shared: Arc<Shared>,
    task: tokio::task::JoinHandle<()>,
}

struct Shared {
    script: Script,
    requests: watch::Sender<Vec<Recorded>>,
    /// Whether a turn is running, and since when that is so.
    works: Mutex<(bool, Instant)>,
    released: watch::Sender<BTreeSet<String>>,
}

impl ModelServer {
    /// Listens on a free port of loopback.
    pub async fn start(script: Script) -> io::Result<Self> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared {
            script,
            requests: watch::Sender::new(Vec::new()),
            works: Mutex::new((false, Instant::now())),
            released: watch::Sender::new(BTreeSet::new()),
        });
        let app = Router::new()
            .fallback(any(answer))
            .layer(axum::extract::DefaultBodyLimit::max(MAX_BODY))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            // Only a broken listener ends it; the agent then reports that nobody answers.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { url, shared, task })
    }

    /// Writes a home directory for Claude Code into `home` and returns the environment that belongs to it.
    /// The caller adds `PATH`.
    pub fn claude_home(&self, home: &Path) -> io::Result<Vec<(String, String)>> {
        home::claude_home(home, &self.url)
    }

    /// Writes a home directory for Codex.
    pub fn codex_home(&self, home: &Path) -> io::Result<Vec<(String, String)>> {
        home::codex_home(home, &self.url)
    }

    /// Writes a home directory for OpenCode.
    pub fn opencode_home(&self, home: &Path) -> io::Result<Vec<(String, String)>> {
        home::opencode_home(home, &self.url)
    }

    /// Returns the requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.borrow().clone()
    }

    /// Returns the turns so far: requests that offer tools, in order. Claude Code's own side requests (titles
    /// and the like) are left out.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let requests = self.shared.requests.borrow();
        requests
            .iter()
            .filter_map(|r| Dialect::of(&r.path)?.read(&r.body))
            .collect()
    }

    /// Returns whether a turn is running, from its first request until its last answer or until the client
    /// hung up, and since when that is so. Tool calls in between belong to the turn.
    #[must_use]
    pub fn works(&self) -> (bool, Instant) {
        *self.shared.works()
    }

    /// Waits until `seen` is true for the requests so far; returns `false` if that takes longer than
    /// `within`.
    pub async fn wait_for(&self, within: Duration, mut seen: impl FnMut(&[Recorded]) -> bool) -> bool {
        let mut requests = self.shared.requests.subscribe();
        let wait = requests.wait_for(|r| seen(r));
        matches!(tokio::time::timeout(within, wait).await, Ok(Ok(_)))
    }

    /// Releases the steps that are [`Step::held`] under this name, now and later.
    pub fn release(&self, name: &str) {
        self.shared.released.send_modify(|names| {
            names.insert(name.to_owned());
        });
    }
}

impl Shared {
    fn works(&self) -> MutexGuard<'_, (bool, Instant)> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer of a turn that is being prepared; if the client hangs up before it is sent, the turn ends.
struct Answering<'a> {
    shared: &'a Shared,
    goes_on: bool,
}

impl<'a> Answering<'a> {
    fn begin(shared: &'a Shared) -> Self {
        let mut works = shared.works();
        if !works.0 {
            *works = (true, Instant::now());
        }
        Self {
            shared,
            goes_on: false,
        }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        if !self.goes_on {
            *self.shared.works() = (false, Instant::now());
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(State(shared): State<Arc<Shared>>, uri: Uri, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    shared.requests.send_modify(|requests| {
        if requests.len() < KEPT_REQUESTS {
            let path = uri.to_string();
            requests.push(Recorded {
                path,
                body: body.clone(),
            });
        }
    });
    if uri.path() == "/v1/messages/count_tokens" {
        return axum::Json(json!({"input_tokens": 100})).into_response();
    }
    match Dialect::of(uri.path()) {
        Some(dialect) => answer_as(dialect, &shared, &body).await,
        None => (StatusCode::NOT_FOUND, axum::Json(json!({}))).into_response(),
    }
}

/// The API of a request, by its agent.
#[derive(Clone, Copy)]
enum Dialect {
    /// The API of Claude Code.
    Messages,
    /// The API of Codex.
    Responses,
    /// The API of OpenCode.
    Chat,
}

impl Dialect {
    fn of(path: &str) -> Option<Self> {
        match path.split('?').next()? {
            "/v1/messages" => Some(Self::Messages),
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ => None,
        }
    }

    fn read(self, body: &Value) -> Option<Turn> {
        match self {
            Self::Messages => Turn::read(body),
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
        }
    }

    fn say(self, body: &Value, text: &str) -> Response {
        match self {
            Self::Messages => reply::say(body, &[text.to_owned()]),
            Self::Responses => responses::say(text),
            Self::Chat => chat::say(text),
        }
    }

    fn call(self, body: &Value, turn: &Turn, calls: &[Call]) -> Response {
        match self {
            Self::Messages => reply::call(body, turn, calls),
            Self::Responses => responses::call(turn, calls),
            Self::Chat => chat::call(turn, calls),
        }
    }
}

async fn answer_as(dialect: Dialect, shared: &Shared, body: &Value) -> Response {
    let Some(turn) = dialect.read(body) else {
        return dialect.say(body, "A short title");
    };
    let step = shared.script.step(&turn);
    let mut answering = Answering::begin(shared);
    match &step.pause {
        None => {}
        Some(Pause::For(time)) => tokio::time::sleep(*time).await,
        Some(Pause::Until(name)) => {
            let mut released = shared.released.subscribe();
            // An error means that the server is being dropped: answer, since nobody listens.
            let _ = released.wait_for(|names| names.contains(name)).await;
        }
    }
    answering.goes_on = matches!(step.act, Act::Call(_));
    match &step.act {
        Act::Say(text) => dialect.say(body, text),
        Act::Call(calls) => dialect.call(body, &turn, calls),
        Act::Fail { status, error } => reply::fail(*status, error),
    }
}
