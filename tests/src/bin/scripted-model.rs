//! The loopback model as a program, for tests that are not in Rust: `scripted-model HOME AGENT…` reads its
//! script from standard input, makes HOME a home directory in which these agents (`claude`, `codex`,
//! `opencode`) start without questions of their own, prints the environment that belongs to it as one line of
//! JSON, and answers until it is ended.
//!
//! A script is a list of `{"when": WORDS, "steps": [STEP…]}`; a step is `{"say": TEXT}` or `{"calls": [[TOOL,
//! ARGUMENTS]…]}`. With `"held": true` the step never comes: the agent keeps working.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "the whole crate serves tests: a failure here is a failed test"
)]

use downbeat_tests::model_server::{Call, ModelServer, Script, Step};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    when: String,
    steps: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    say: Option<String>,
    #[serde(default)]
    calls: Vec<(String, Value)>,
    #[serde(default)]
    held: bool,
}

/// A name that is never released.
const NEVER: &str = "never";

impl From<Answer> for Step {
    fn from(answer: Answer) -> Self {
        let step = match answer.say {
            Some(text) => Self::say(&text),
            None => Self::calls(
                answer
                    .calls
                    .into_iter()
                    .map(|(tool, arguments)| Call::new(&tool, arguments)),
            ),
        };
        if answer.held { step.held(NEVER) } else { step }
    }
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let home = arguments.next().expect("a home directory");
    let rules: Vec<Rule> = serde_json::from_reader(std::io::stdin()).expect("a script");
    let script = rules.into_iter().fold(Script::new(), |script, rule| {
        script.when(&rule.when, rule.steps.into_iter().map(Step::from))
    });
    let model = ModelServer::start(script).await.expect("a free port");
    let home = Path::new(&home);
    let homes = arguments.map(|agent| match agent.as_str() {
        "claude" => model.claude_home(home),
        "codex" => model.codex_home(home),
        "opencode" => model.opencode_home(home),
        other => panic!("no home for {other}"),
    });
    let env: Map<String, Value> = homes
        .flat_map(|env| env.expect("a home"))
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    println!("{}", Value::Object(env));
    std::future::pending::<()>().await;
}
