//! Many messages at random moments to each real agent: how many arrive once, are lost, arrive twice,
//! are left as a draft, or are told as uncertain. Counts, not times: what the model was asked is
//! beside what the queue says.

use crate::report::{Goal, Line, Report, Unit};
use crate::rows::search::Dice;
use crate::{Done, Scale, engine};
use downbeat_tests::model_server::{ModelServer, Script, Step};
use downbeat_tests::sandbox::Sandbox;
use futures_util::future::try_join_all;
use serde_json::json;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Longest pause between two messages, in milliseconds.
const PAUSE: u64 = 2500;

/// Messages that may wait at a time: then none is sent for a while.
const WAITING: usize = 6;

/// Between two looks at the queue; it keeps some that are closed.
const LOOK: Duration = Duration::from_millis(300);

/// The longest that the last ones may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The last one: it arrives alone only where no draft was left.
const LAST: &str = "[the last one]";

/// All agents side by side.
pub async fn measure(scale: &Scale, report: &mut Report) -> Done<()> {
    let all = ["claude", "codex", "opencode"].map(|agent| one(agent, scale.messages));
    for (agent, counts) in try_join_all(all).await? {
        let line = |what: &str, count: usize, goal| {
            let what = format!("{} messages to {agent}: {what}", scale.messages);
            Line::new(&what, Unit::Count, count as f64, &[], goal)
        };
        report.add(line("arrived once", counts.once, Goal::Open));
        report.add(line("taken, and interrupted by the next", counts.cut, Goal::Open));
        report.add(line("lost", counts.lost, Goal::Most(0.0)));
        report.add(line("arrived twice", counts.twice, Goal::Most(0.0)));
        report.add(line("left as a draft", counts.drafts, Goal::Most(0.0)));
        report.add(line("told as uncertain", counts.uncertain, Goal::Open));
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    once: usize,
    /// Taken, and interrupted by the next before the model was asked: it stands in the conversation.
    cut: usize,
    lost: usize,
    twice: usize,
    drafts: usize,
    uncertain: usize,
}

struct Soak {
    world: Sandbox,
    model: ModelServer,
    id: String,
    /// By the text's mark: the newest state that was seen.
    states: BTreeMap<String, String>,
}

fn mark(n: usize) -> String {
    format!("[m{n:03}]")
}

async fn one(agent: &'static str, count: usize) -> Done<(&'static str, Counts)> {
    let script = Script::new()
        .when(
            "slowly",
            [Step::say("I thought about it.").after(Duration::from_millis(1500))],
        )
        .when("soon", [Step::say("Yes.").after(Duration::from_millis(200))]);
    let model = ModelServer::start(script).await?;
    let world = Sandbox::with_agents(&model, &[agent]).await;
    let project = world.project("shop").await;
    let body = json!({ "projectId": project, "title": "Soak", "agent": agent, "prompt": "begin" });
    let id = engine::session(&world, body).await?;
    rests(&world, &id).await?;
    let mut soak = Soak {
        world,
        model,
        id,
        states: BTreeMap::new(),
    };
    let mut dice = Dice::new(count as u64 + agent.len() as u64);
    for n in 0..count {
        let pause = Instant::now() + Duration::from_millis(dice.below(PAUSE));
        while soak.look().await? >= WAITING || Instant::now() < pause {
            tokio::time::sleep(LOOK).await;
        }
        let how = ["slowly", "soon", "at once"][usize::try_from(dice.below(3))?];
        let more = ["", "\nand a second line 🎉", "\n\tsome code;\n\n/not a command"]
            [usize::try_from(dice.below(3))?];
        let long = if dice.below(20) == 0 {
            "filler ".repeat(1500)
        } else {
            String::new()
        };
        let when = if dice.below(6) == 0 { "now" } else { "when-ready" };
        soak.send(&format!("{} answer {how} {long}{more}", mark(n)), when)
            .await?;
    }
    soak.end(count).await.map(|counts| (agent, counts))
}

impl Soak {
    async fn send(&self, text: &str, when: &str) -> Done<()> {
        let path = format!("/api/sessions/{}/message", self.id);
        let body = json!({ "content": text, "when": when, "waitSeconds": 0 });
        engine::ask(&self.world, "POST", &path, Some(body))
            .await
            .map(drop)
    }

    /// Notes how each message is; how many are on their way.
    async fn look(&mut self) -> Done<usize> {
        let path = format!("/api/sessions/{}/messages", self.id);
        let all = engine::ask(&self.world, "GET", &path, None).await?;
        for message in all.as_array().into_iter().flatten() {
            let (Some(text), Some(state)) = (message["text"].as_str(), message["state"].as_str()) else {
                continue;
            };
            if let Some(end) = text.find(']') {
                self.states.insert(text[..=end].to_owned(), state.to_owned());
            }
        }
        let open = self
            .states
            .values()
            .filter(|state| ["queued", "typing"].contains(&state.as_str()));
        Ok(open.count())
    }

    /// What the queue says of one that it still has.
    async fn why(&self, mark: &str) -> String {
        let path = format!("/api/sessions/{}/messages", self.id);
        let all = engine::ask(&self.world, "GET", &path, None)
            .await
            .unwrap_or_default();
        let mut all = all.as_array().into_iter().flatten();
        let one = all.find(|message| {
            message["text"]
                .as_str()
                .is_some_and(|text| text.starts_with(mark))
        });
        one.map(|message| message["detail"].to_string())
            .unwrap_or_default()
    }

    async fn end(mut self, count: usize) -> Done<Counts> {
        let until = Instant::now() + PATIENCE;
        self.send(LAST, "when-ready").await?;
        tokio::time::sleep(LOOK).await;
        while self.look().await? > 0 && Instant::now() < until {
            tokio::time::sleep(LOOK).await;
        }
        rests(&self.world, &self.id).await?;
        let requests = self.model.requests();
        let bodies: Vec<String> = requests.iter().map(|asked| asked.body.to_string()).collect();
        let whole = bodies
            .iter()
            .max_by_key(|body| body.len())
            .cloned()
            .unwrap_or_default();
        let mut counts = Counts::default();
        for n in 0..count {
            let mark = mark(n);
            let state = self.states.get(&mark).map_or("unseen", String::as_str);
            let times = asked_with(&self.model, &mark);
            if state == "uncertain" {
                eprintln!(
                    "  {mark} is uncertain, and was asked {times} times: {}",
                    self.why(&mark).await
                );
                counts.uncertain += 1;
            }
            match (times, whole.matches(&mark).count()) {
                (0, _) if state == "uncertain" => {}
                (0, 1) => counts.cut += 1,
                (0, stands) => {
                    eprintln!("  {mark} ({state}) was not asked, and stands {stands} times");
                    counts.lost += 1;
                }
                (_, 0 | 1) if times == 1 => counts.once += 1,
                (_, repeated) => {
                    eprintln!("  {mark} ({state}) was asked {times} times, and stands {repeated} times");
                    counts.twice += 1;
                }
            }
        }
        let alone = self.model.turns().iter().any(|turn| turn.prompt.trim() == LAST);
        counts.drafts = usize::from(!alone);
        Ok(counts)
    }
}

/// Waits until an agent rests: several that start at once take their time.
async fn rests(world: &Sandbox, id: &str) -> Done<()> {
    let path = format!("/api/sessions/{id}/status");
    let until = Instant::now() + PATIENCE;
    while engine::ask(world, "GET", &path, None).await?["status"] != "idle" {
        if Instant::now() > until {
            return Err(format!("{id} never rested").into());
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// How many prompts, one after the other, had this mark. One request that is repeated is one.
fn asked_with(model: &ModelServer, mark: &str) -> usize {
    let turns = model.turns();
    let mut prompts: Vec<&str> = turns.iter().map(|turn| turn.prompt.as_str()).collect();
    prompts.dedup();
    prompts.iter().filter(|prompt| prompt.contains(mark)).count()
}
