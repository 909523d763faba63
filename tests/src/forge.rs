//! A GitHub, a GitLab or a Linear on loopback with state, from `tests/forge`: GitHub's executes GraphQL against the published schema.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A running forge. It ends with the test, because its standard input does.
pub struct TestForge {
    _node: Child,
    _git: tempfile::TempDir,
    address: String,
    http: reqwest::Client,
    /// The host that it stands for.
    pub(crate) host: &'static str,
}

impl TestForge {
    /// Starts a GitHub without repositories.
    pub async fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("forge");
        let is_installed = folder.join("node_modules/graphql").is_dir();
        assert!(
            is_installed,
            "the packages of the test forge are missing: run `npm ci --prefix tests/forge`"
        );
        Self::of(&folder.join("server.js"), "github.com").await
    }

    /// Starts a GitLab without projects.
    pub async fn start_gitlab() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("forge/gitlab/server.js");
        Self::of(&program, "gitlab.com").await
    }

    /// Starts a Linear without teams.
    pub async fn start_linear() -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("forge/linear/server.js");
        Self::of(&program, "linear.app").await
    }

    async fn of(program: &Path, host: &'static str) -> Self {
        let git = tempfile::tempdir().expect("a folder");
        let mut node = Command::new("node")
            .arg(program)
            .arg(git.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node starts");
        let mut lines = BufReader::new(node.stdout.take().expect("its output")).lines();
        let line = lines.next_line().await.expect("a line").expect("an address");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        let address = said["address"].as_str().expect("an address").to_owned();
        // Node closes idle connections.
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0);
        let http = http.build().expect("a client");
        Self {
            _node: node,
            _git: git,
            address,
            http,
            host,
        }
    }

    /// Returns its address, which is that of GitHub's REST API; its GraphQL API is below it at `/graphql`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns the part of the person's configuration by which this forge stands for github.com.
    pub fn as_github(&self) -> String {
        let at = &self.address;
        format!("forges: {{ github.com: {{ api: '{at}', graphql: '{at}/graphql' }} }}\n")
    }

    /// Returns the part of the person's configuration by which this forge stands for gitlab.com.
    pub fn as_gitlab(&self) -> String {
        let at = &self.address;
        format!("forges: {{ gitlab.com: {{ api: '{at}/api/v4' }} }}\n")
    }

    /// Returns the part of the person's configuration by which this is Linear.
    pub fn as_linear(&self) -> String {
        format!("trackers: {{ linear: {{ api: '{}/graphql' }} }}\n", self.address)
    }

    /// Lets a local repository push to this forge what it would push to the host that it stands for.
    pub fn take_pushes(&self, repository: &Path) {
        let key = format!("url.{}/git/.pushInsteadOf", self.address);
        crate::repository::git(
            repository,
            &[],
            &["config", &key, &format!("https://{}/", self.host)],
        );
    }

    /// Carries out an operation of `tests/forge/control.js`.
    pub async fn control(&self, operation: Value) -> Value {
        let url = format!("{}/_control", self.address);
        let answer = self
            .http
            .post(url)
            .json(&operation)
            .send()
            .await
            .expect("an answer");
        let status = answer.status();
        let value: Value = answer.json().await.expect("JSON");
        assert!(status.is_success(), "{operation}: {value}");
        value
    }

    /// Creates a repository and returns its id.
    pub async fn repository(&self, owner: &str, name: &str) -> String {
        let made = json!({ "op": "repository", "owner": owner, "name": name });
        self.control(made).await["id"].as_str().expect("an id").to_owned()
    }

    /// Opens a pull request with these values, and returns its id.
    pub async fn pull(&self, repository: &str, mut values: Value) -> String {
        values["op"] = json!("pull");
        values["repository"] = json!(repository);
        self.control(values).await["id"]
            .as_str()
            .expect("an id")
            .to_owned()
    }

    /// Adds something to a pull request: a check, a thread, a review.
    pub async fn add(&self, what: &str, pull: &str, values: Value) -> Value {
        self.control(json!({ "op": what, "pull": pull, "values": values }))
            .await
    }

    /// Sends a webhook with these values, and returns the status and the answer.
    pub async fn webhook(&self, mut values: Value) -> (u64, Value) {
        values["op"] = json!("webhook");
        let sent = self.control(values).await;
        (sent["status"].as_u64().expect("a status"), sent)
    }

    /// Changes values of anything by its id.
    pub async fn set(&self, id: &str, values: Value) {
        self.control(json!({ "op": "set", "id": id, "values": values }))
            .await;
    }

    /// Returns the requests since the last call, each as "GET /path" or "graphql Name".
    pub async fn asked(&self) -> Vec<String> {
        let words = |one: &Value| one["what"].as_str().expect("words").to_owned();
        self.seen().await.iter().map(words).collect()
    }

    /// Returns the rate points of the queries since the last call of this or of [`Self::asked`].
    pub async fn points(&self) -> u64 {
        let cost = |one: &Value| one["cost"].as_u64().unwrap_or_default();
        self.seen().await.iter().map(cost).sum()
    }

    /// Returns the ids of each observation of pull requests since the last call of this or of [`Self::asked`].
    pub async fn observed(&self) -> Vec<Value> {
        let seen = self.seen().await.into_iter();
        let observations = seen.filter(|one| one["what"] == "graphql Observe");
        observations.map(|one| one["variables"]["ids"].clone()).collect()
    }

    async fn seen(&self) -> Vec<Value> {
        let seen = self.control(json!({ "op": "seen" })).await;
        seen.as_array().expect("a list").clone()
    }
}
