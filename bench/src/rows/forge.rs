//! Measures a forge on loopback: what following a hundred open pull requests costs in GitHub's rate points, and how soon
//! after a webhook the log of a failed check is in its agent's terminal, against a message through the API.

use crate::done::Done;
use crate::engine;
use crate::report::{Goal, Line, Report, Samples, Unit, ms};
use crate::scale::Scale;
use downbeat_tests::forge::TestForge;
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The number of open pull requests.
const PULLS: usize = 100;

/// The rate points that an hour may cost: a tenth of what Agent Orchestrator published for 40 sessions.
const POINTS: f64 = 114.0;

/// The time between two changes: 120 in an hour.
const CHANGE: Duration = Duration::from_secs(30);

/// The seconds of an hour.
const HOUR: f64 = 3600.0;

/// The time between two looks at all pull requests.
const WHOLE: Duration = Duration::from_secs(300);

/// The time after which an engine that asked for nothing more has seen everything.
const SETTLED: Duration = Duration::from_secs(12);

/// The milliseconds that a failed check may take beyond a message.
const BEYOND: f64 = 300.0;

/// The interval between looks at a terminal.
const LOOK: Duration = Duration::from_millis(2);

/// The time between two webhooks: those that follow sooner are asked for together.
const GAP: Duration = Duration::from_millis(2200);

/// The secret of webhooks.
const SECRET: &str = "wh-secret-0123456789abcdef";

/// A project whose remote is at a forge.
struct Desk {
    forge: TestForge,
    world: Sandbox,
    project: String,
    /// The forge's id of the repository.
    repository: String,
}

impl Desk {
    async fn open() -> Done<Self> {
        let forge = TestForge::start().await;
        let api = forge.address();
        let graphql = format!("{api}/graphql");
        let forges = json!({ "github.com": { "api": api, "graphql": graphql, "webhookSecret": "${HOOK}" } });
        let mut world = engine::world_with_forges(&forges)?;
        world.set_env("GH_TOKEN", "ghp_0123456789abcdefghijABCDEFGHIJ012345");
        world.set_env("HOOK", SECRET);
        world.start().await;
        let path = engine::repository(&world, 1)?;
        let told = json!({ "auto": true, "action": "send-to-agent", "retries": 100 });
        let rules = json!({ "reactions": { "ci-failed": told } });
        // JSON is YAML.
        std::fs::write(path.join("downbeat.yaml"), rules.to_string())?;
        engine::git(&world, &path, &["add", "."])?;
        engine::git(&world, &path, &["commit", "--quiet", "--message=rules"])?;
        let remote = "https://github.com/acme/shop.git";
        engine::git(&world, &path, &["remote", "add", "origin", remote])?;
        let project = engine::project(&world, &path).await?;
        let repository = forge.repository("acme", "shop").await;
        Ok(Self {
            forge,
            world,
            project,
            repository,
        })
    }

    /// Opens a pull request for a session's newest commit.
    async fn pull(&self, id: &str) -> Done<String> {
        let session = self.get(id).await?;
        let place = session["workspacePath"].as_str().unwrap_or_default();
        let commit = head(&self.world, Path::new(place))?;
        let values = json!({ "branch": session["branch"], "commit": commit, "title": id });
        Ok(self.forge.pull(&self.repository, values).await)
    }

    async fn get(&self, id: &str) -> Done<Value> {
        engine::ask(&self.world, "GET", &format!("/api/sessions/{id}"), None).await
    }

    /// Lets the engine ask the forge now, and returns where webhooks go.
    async fn look(&self) -> Done<String> {
        let forges = engine::ask(&self.world, "POST", "/api/forges/look", Some(json!({}))).await?;
        Ok(forges[0]["webhook"]["address"]
            .as_str()
            .unwrap_or_default()
            .to_owned())
    }
}

fn head(world: &Sandbox, place: &Path) -> Done<String> {
    let mut command = world.command("git");
    let output = command
        .arg("-C")
        .arg(place)
        .args(["rev-parse", "HEAD"])
        .output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Measures the rate points of an hour: in a part of it, with what a look at all pull requests costs, which comes each five minutes.
/// That look is measured with a new engine, which asks for everything.
pub async fn points(scale: &Scale, report: &mut Report) -> Done<()> {
    let mut desk = Desk::open().await?;
    let sessions = try_join_all((0..PULLS).map(async |n| {
        let body = json!({
            "projectId": desk.project, "title": format!("Pull {n}"), "agent": "task", "prompt": "0",
        });
        let id = engine::session(&desk.world, body).await?;
        engine::soon("the end of a session", async || {
            let session = desk.get(&id).await.ok()?;
            tokio::time::sleep(LOOK).await;
            (session["status"] == "exited").then_some(())
        })
        .await?;
        Done::Ok(id)
    }));
    let mut pulls = Vec::new();
    for id in sessions.await? {
        pulls.push((desk.pull(&id).await?, id));
    }
    for (_, id) in &pulls {
        engine::soon("a pull request", async || {
            desk.look().await.ok()?;
            let session = desk.get(id).await.ok()?;
            session["pulls"].as_array().filter(|pulls| !pulls.is_empty())?;
            Some(())
        })
        .await?;
    }
    desk.forge.points().await;
    let start = Instant::now();
    let watched = Duration::from_secs(scale.followed);
    let mut changes = 0;
    while start.elapsed() < watched {
        let (pull, _) = &pulls[changes * 7 % PULLS];
        let values = json!({ "name": format!("test {changes}"), "conclusion": "SUCCESS" });
        desk.forge.add("check", pull, values).await;
        changes += 1;
        tokio::time::sleep(CHANGE.min(watched.saturating_sub(start.elapsed()))).await;
    }
    let changed = desk.forge.points().await as f64 * HOUR / start.elapsed().as_secs_f64();
    desk.world.kill_engine();
    desk.world.start().await;
    let mut whole = 0;
    loop {
        tokio::time::sleep(SETTLED).await;
        let more = desk.forge.points().await;
        whole += more;
        if more == 0 && whole > 0 {
            break;
        }
    }
    let hour = changed + whole as f64 * HOUR / WHOLE.as_secs_f64();
    let what = format!("{PULLS} open pull requests, a change each 30 s: rate points in an hour");
    report.add(Line::new(&what, Unit::Count, hour, &[], Goal::Most(POINTS)));
    Ok(())
}

/// Measures from a webhook to the text in the agent's terminal.
pub async fn webhooks(scale: &Scale, report: &mut Report) -> Done<()> {
    let (mut ours, mut plain) = (Samples::default(), Samples::default());
    for _ in 0..scale.rounds {
        let desk = Desk::open().await?;
        let cart = Cart::new(&desk).await?;
        for turn in 0..scale.webhooks {
            tokio::time::sleep(GAP).await;
            ours.add(cart.webhook(turn).await?);
            plain.add(cart.message(turn).await?);
        }
    }
    for percent in [50, 95] {
        let what = format!("from a webhook to a failed check's log in the agent's terminal, p{percent}");
        let [ours, plain] = [&ours, &plain].map(|samples| samples.percentile(percent));
        let beside = [("a message through the API", plain)];
        report.add(Line::new(&what, Unit::Ms, ours, &beside, Goal::Over(BEYOND)));
    }
    Ok(())
}

/// A session with an open pull request.
struct Cart<'a> {
    desk: &'a Desk,
    id: String,
    pull: String,
    /// Where webhooks go.
    url: String,
}

impl<'a> Cart<'a> {
    async fn new(desk: &'a Desk) -> Done<Self> {
        let world = &desk.world;
        let body =
            json!({ "projectId": desk.project, "title": "Cart", "agent": "claude", "prompt": "say hello" });
        let id = engine::session(world, body).await?;
        world.status(&id, &["idle"]).await;
        let place = desk.get(&id).await?["workspacePath"].as_str().map(PathBuf::from);
        let place = place.ok_or("the session has no worktree")?;
        std::fs::write(place.join("cart.txt"), "cart")?;
        engine::git(world, &place, &["add", "."])?;
        engine::git(world, &place, &["commit", "--quiet", "--message=cart"])?;
        let pull = desk.pull(&id).await?;
        let url = desk.look().await?;
        let cart = Self { desk, id, pull, url };
        // The forge reads its schemas at the first.
        cart.send("pull_request$synchronize").await?;
        Ok(cart)
    }

    /// Lets a check fail, and returns the milliseconds from its webhook to its log in the terminal.
    async fn webhook(&self, turn: usize) -> Done<f64> {
        let (forge, pull) = (&self.desk.forge, &self.pull);
        let text = format!("log-of-{turn}-end");
        let commit = format!("{:040x}", turn + 1);
        let push = json!({ "op": "push", "pull": pull, "commit": commit });
        forge.control(push).await;
        let failed = json!({ "name": format!("lint {turn}"), "conclusion": "FAILURE" });
        let made = forge.add("check", pull, failed).await;
        let line = format!("2026-01-01T12:00:11.0000000Z {text}\n");
        let log = json!({ "op": "log", "job": made["job"], "text": line });
        forge.control(log).await;
        let start = Instant::now();
        self.send("check_run$completed").await?;
        self.shown(&text, start).await
    }

    /// Sends a webhook about the pull request.
    async fn send(&self, event: &str) -> Done<()> {
        let webhook = json!({ "event": event, "secret": SECRET, "url": self.url, "pull": self.pull });
        match self.desk.forge.webhook(webhook).await {
            (202, _) => Ok(()),
            (_, answer) => Err(format!("a webhook was refused: {answer}").into()),
        }
    }

    /// Sends a message, and returns the milliseconds until it is in the terminal.
    async fn message(&self, turn: usize) -> Done<f64> {
        let text = format!("message-{turn}-end");
        let path = format!("/api/sessions/{}/message", self.id);
        let start = Instant::now();
        let body = json!({ "message": text });
        engine::ask(&self.desk.world, "POST", &path, Some(body)).await?;
        self.shown(&text, start).await
    }

    /// Waits until the terminal shows a text, and until the agent is idle again.
    async fn shown(&self, text: &str, start: Instant) -> Done<f64> {
        let path = format!("/api/sessions/{}/output", self.id);
        engine::soon(text, async || {
            let output = self.desk.world.get(&path).await.ok()?;
            if output["text"].as_str()?.contains(text) {
                return Some(());
            }
            tokio::time::sleep(LOOK).await;
            None
        })
        .await?;
        let took = ms(start);
        self.desk.world.status(&self.id, &["idle"]).await;
        Ok(took)
    }
}
