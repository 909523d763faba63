//! Starts a loopback forge, changes its state, and makes clients for it.

use downbeat_forge::github::{Endpoint, GitHub};
use downbeat_forge::gitlab::{self, GitLab};
use downbeat_forge::{Detail, Forge, NodeId, Options, PullRequest, RepositoryName, Token};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The token of the tests: in the form of a real one.
pub const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// A running forge. It ends with the test, because its standard input does.
pub struct TestForge {
    _node: Child,
    address: String,
    http: reqwest::Client,
}

/// A pull request of the forge.
#[derive(Debug, Clone)]
pub struct Pull {
    pub id: NodeId,
    pub number: u64,
    pub head: String,
}

impl TestForge {
    /// Starts a GitHub.
    pub async fn start() -> Self {
        let folder = folder();
        let installed = folder.join("node_modules").join("graphql").is_dir();
        assert!(
            installed,
            "the packages of the test forge are missing: run `npm ci --prefix tests/forge`"
        );
        Self::of(folder.join("server.js")).await
    }

    /// Starts a GitLab.
    pub async fn start_gitlab() -> Self {
        Self::of(folder().join("gitlab/server.js")).await
    }

    /// Starts a Linear.
    pub async fn start_linear() -> Self {
        Self::of(folder().join("linear/server.js")).await
    }

    /// Returns the address of a path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    async fn of(program: PathBuf) -> Self {
        let mut node = Command::new("node")
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("node starts");
        let mut lines = BufReader::new(node.stdout.take().expect("its output")).lines();
        let line = lines
            .next_line()
            .await
            .expect("a line")
            .expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).expect("JSON");
        let address = said["address"].as_str().expect("an address").to_owned();
        // Node closes a connection that was idle for seconds, perhaps just when it is used again.
        let http = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(0);
        let http = http.build().expect("a client");
        Self {
            _node: node,
            address,
            http,
        }
    }

    /// Carries out an operation of `control.js`.
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

    /// Makes a repository and returns its id.
    pub async fn repository(&self, name: &str) -> NodeId {
        let name = RepositoryName::parse(name).expect("a name");
        let made = json!({ "op": "repository", "owner": name.owner(), "name": name.name() });
        NodeId(self.control(made).await["id"].as_str().expect("an id").to_owned())
    }

    /// Makes a pull request with these values.
    pub async fn pull(&self, repository: &NodeId, mut values: Value) -> Pull {
        values["op"] = json!("pull");
        values["repository"] = json!(repository);
        let made = self.control(values).await;
        Pull {
            id: NodeId(made["id"].as_str().expect("an id").to_owned()),
            number: made["number"].as_u64().expect("a number"),
            head: made["head"].as_str().expect("a commit").to_owned(),
        }
    }

    /// A client for a GitLab, with these options.
    pub fn gitlab_client(&self, options: Options) -> GitLab {
        let root = format!("{}/api/v4", self.address);
        let endpoint = gitlab::Endpoint::at("gitlab.com", &root).expect("loopback");
        let token = Token::new(TOKEN, "GITLAB_TOKEN").expect("a token");
        GitLab::new(endpoint, token, options).expect("a client")
    }

    /// A client for a GitLab that does not wait between writes.
    pub fn gitlab(&self) -> GitLab {
        self.gitlab_client(quick())
    }

    /// Adds something to a pull request: a check, a thread, a review.
    pub async fn add(&self, what: &str, pull: &Pull, values: Value) -> Value {
        self.control(json!({ "op": what, "pull": pull.id, "values": values }))
            .await
    }

    /// Changes anything by its id.
    pub async fn set(&self, id: &NodeId, values: Value) {
        self.control(json!({ "op": "set", "id": id, "values": values }))
            .await;
    }

    /// Switches a fault on.
    pub async fn fault(&self, fault: Value) {
        let mut fault = fault;
        fault["op"] = json!("fault");
        self.control(fault).await;
    }

    /// The requests since the last call.
    pub async fn seen(&self) -> Vec<Value> {
        self.control(json!({ "op": "seen" }))
            .await
            .as_array()
            .expect("a list")
            .clone()
    }

    /// The requests since the last call, each as "GET /path" or "graphql Name".
    pub async fn asked(&self) -> Vec<String> {
        self.seen()
            .await
            .iter()
            .map(|one| one["what"].as_str().expect("words").to_owned())
            .collect()
    }

    /// A client with these options.
    pub fn client(&self, options: Options) -> GitHub {
        let graphql = format!("{}/graphql", self.address);
        let endpoint = Endpoint::at("github.com", &self.address, &graphql).expect("loopback");
        GitHub::new(endpoint, token(), options).expect("a client")
    }

    /// A client that does not wait between writes.
    pub fn github(&self) -> GitHub {
        self.client(quick())
    }

    /// A client for the same forge at the addresses of GitHub Enterprise.
    pub fn enterprise(&self) -> GitHub {
        let (rest, graphql) = (
            format!("{}/api/v3", self.address),
            format!("{}/api/graphql", self.address),
        );
        let endpoint = Endpoint::at("ghe.corp", &rest, &graphql).expect("loopback");
        GitHub::new(endpoint, token(), quick()).expect("a client")
    }
}

/// Options without waits.
pub fn quick() -> Options {
    Options {
        write_gap: Duration::ZERO,
        ..Options::default()
    }
}

pub fn shop() -> RepositoryName {
    RepositoryName::parse("acme/shop").expect("a name")
}

/// Observes one pull request.
pub async fn observe(forge: &dyn Forge, pull: &Pull) -> PullRequest {
    let found = forge
        .observe(std::slice::from_ref(&pull.id), Detail::Talk)
        .await
        .expect("an answer");
    found
        .into_iter()
        .next()
        .expect("one entry")
        .pull()
        .expect("it is there")
}

fn token() -> Token {
    Token::new(TOKEN, "GH_TOKEN").expect("a token")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge")
}
