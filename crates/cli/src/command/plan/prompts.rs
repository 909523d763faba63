//! `downbeat plan prompts`: writes what the workers of a plan would be asked as files, for agents that are not installed here, and
//! lets the result files that these agents write beside them count.

use super::across::needs_of;
use super::changed::changed;
use super::report::{by_id, cannot_write, names_of, of, write};
use crate::client::Client;
use crate::failure::Failure;
use crate::outcome::{Outcome, print};
use crate::paint::plain;
use downbeat_plans::{ShareState, Task, prompt_for};
use downbeat_wire::agent::AgentRef;
use downbeat_wire::plan::{ChangePlan, Plan, PlanChange, PlanRef, PlanWorker};
use downbeat_wire::request::Nothing;
use downbeat_wire::{Client as _, Code};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// A program that does a task by hand: its name, and its command line up to the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Runner {
    /// The id of the agent.
    id: String,
    /// Program, arguments, and the option before a prompt.
    argv: Vec<String>,
}

/// Writes what the workers of a plan that are not done would be asked, and says how the files are used.
pub(super) async fn run(client: &Client, id: String, folder: &Path) -> Outcome {
    let plan = client.plan_status(PlanRef { id }).await?;
    let is_open = |state| !matches!(state, ShareState::Done | ShareState::Skipped);
    if !plan.workers.iter().any(|worker| is_open(worker.state)) {
        return print("All workers of this plan are done or skipped.\n");
    }
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let whole = dunce::canonicalize(folder).map_err(|error| cannot_write(folder, &error))?;
    let counts = results_count(client, &plan, &whole).await?;
    let runners = runners(client).await;
    let made = prompts_of(&plan, &whole, (counts.is_ok(), &runners));
    write(folder, &made).map_err(|error| cannot_write(folder, &error))?;
    let mut text = String::new();
    for (name, _) in &made {
        text.push_str(&format!("{}\n", folder.join(name).display()));
    }
    text.push_str("Give each file to an agent in a worktree of its own. When its work is committed on a branch there:\n");
    text.push_str(&format!(
        "downbeat plan done {} WORKER --branch BRANCH\n",
        plan.id
    ));
    match counts {
        Ok(()) => text.push_str(
            "A result file that the agent writes into this folder, as its prompt says, counts by itself.\n",
        ),
        Err(why) => text.push_str(&format!("Result files in this folder do not count: {why}\n")),
    }
    print(&text)
}

/// Lets result files in a folder count. Answers why they do not where only the person may say so.
async fn results_count(client: &Client, plan: &Plan, folder: &Path) -> Result<Result<(), String>, Failure> {
    let request = ChangePlan {
        folder: Some(folder.to_string_lossy().into_owned()),
        ..changed(plan.id.to_string(), PlanChange::Results)
    };
    match client.change_plan(request).await.map_err(Failure::from) {
        Ok(_) => Ok(Ok(())),
        Err(failure) if failure.0.code == Code::Forbidden => Ok(Err(failure.0.message)),
        Err(failure) => Err(failure),
    }
}

/// Returns the agents that take a prompt as an argument. Without them, the files say nothing about commands.
async fn runners(client: &Client) -> Vec<Runner> {
    let agents = client.list_agents(Nothing {}).await.unwrap_or_default();
    let asked = agents.into_iter().map(|agent| async move {
        let detail = client.get_agent(AgentRef { id: agent.id.clone() }).await.ok()?;
        runner(agent.id, &detail.manifest)
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// Returns how an agent is given a prompt on its command line, if it can be.
fn runner(id: String, manifest: &Value) -> Option<Runner> {
    let words = manifest["command"].as_array()?;
    let words = words.iter().filter_map(|word| Some(word.as_str()?.to_owned()));
    let option = manifest["promptOption"].as_str().map(str::to_owned);
    let argv: Vec<String> = words.chain(option).collect();
    (manifest["prompt"] == "argument" && !argv.is_empty()).then_some(Runner { id, argv })
}

/// Returns what each worker that is not done would be asked, with the names of the files in `folder`.
fn prompts_of(plan: &Plan, folder: &Path, (counts, runners): (bool, &[Runner])) -> Vec<(String, String)> {
    let tasks = by_id(plan);
    let named = plan.workers.iter().map(|worker| (worker.name.as_str(), worker));
    let workers: HashMap<&str, &PlanWorker> = named.collect();
    let all = plan.workers.iter().zip(names_of(plan));
    let open = all.filter(|(worker, _)| !matches!(worker.state, ShareState::Done | ShareState::Skipped));
    let made = open.map(|(worker, result)| {
        let tasks: Vec<&Task> = of(worker, &tasks).collect();
        let (before, elsewhere) = needs_of(plan, worker);
        let mut asked = prompt_for((&plan.title, plan.workers.len()), &tasks, (&before, &elsewhere));
        let name = result.replace("_result.json", "_prompt.md");
        if counts {
            asked.push_str(&result_asked(plan, &folder.join(result)));
        }
        asked.push_str(&begins(&workers, worker));
        let agent = tasks.iter().find_map(|task| task.agent.as_deref());
        asked.push_str(&commands(&folder.join(&name), agent, runners));
        (name, asked)
    });
    made.collect()
}

/// Says to the person with which work of the same project the branch of a worker has to begin.
fn begins(workers: &HashMap<&str, &PlanWorker>, worker: &PlanWorker) -> String {
    let mut text = String::new();
    for name in &worker.needs {
        let Some(needed) = workers
            .get(name.as_str())
            .filter(|needed| needed.project_id == worker.project_id)
        else {
            continue;
        };
        let name = plain(name);
        text.push_str(&match (needed.state, &needed.commit) {
            (ShareState::Skipped, _) | (ShareState::Done, None) => continue,
            (ShareState::Done, Some(commit)) => {
                format!("- Its branch has to contain {commit}, the work of {name}.\n")
            }
            _ => format!("- Wait until {name} is done: its branch has to contain that work.\n"),
        });
    }
    match text.is_empty() {
        true => text,
        false => format!("\n---\nFor the person who starts the agent:\n\n{text}"),
    }
}

/// Says which result file is written at the end.
fn result_asked(plan: &Plan, file: &Path) -> String {
    let id = &plan.id;
    format!(
        "\nWhen your work is committed, write this as the file {}, with the name of your branch and one line about what you did:\n\n\
         {{\"plan\": \"{id}\", \"status\": \"done\", \"branch\": \"BRANCH\", \"summary\": \"SUMMARY\"}}\n\n\
         If you cannot do the tasks, write \"failed\" as the status, and the reason as the summary.\n",
        file.display()
    )
}

/// Says how a person has a file done by the agents that are known: only by `agent`, if the tasks name one.
fn commands(file: &Path, agent: Option<&str>, runners: &[Runner]) -> String {
    let own = |runner: &&Runner| agent.is_none_or(|agent| runner.id == agent);
    let mut wanted: Vec<&Runner> = runners.iter().filter(own).collect();
    if wanted.is_empty() {
        wanted = runners.iter().collect();
    }
    if wanted.is_empty() {
        return String::new();
    }
    let mut text =
        "\n---\nFor the person who starts the agent; run one of these in the agent's worktree:\n\n"
            .to_owned();
    for runner in wanted {
        let prompt = format!(
            "Do what {} says, down to the line of three dashes",
            file.display()
        );
        let words = runner.argv.iter().map(String::as_str).chain([prompt.as_str()]);
        let line: Vec<String> = words.map(quoted).collect();
        text.push_str(&format!("    {}\n", line.join(" ")));
    }
    text
}

/// Returns a word as a shell of this system reads it.
fn quoted(word: &str) -> String {
    if cfg!(windows) {
        return match word.contains([' ', '\t']) {
            true => format!("\"{word}\""),
            false => word.to_owned(),
        };
    }
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::{prompts_of, runner};
    use serde_json::{Value, json};
    use std::path::Path;

    fn plan(tasks: &Value, workers: &Value) -> downbeat_wire::plan::Plan {
        let plan = json!({
            "id": "pl000000000001", "projectId": "p000000000001", "title": "t\u{1b}", "state": "running", "atOnce": 6,
            "tasks": tasks, "workers": workers,
            "advice": "", "warning": null, "report": "", "createdAt": "2026-01-01T00:00:00Z",
        });
        serde_json::from_value(plan).unwrap()
    }

    #[test]
    fn each_prompt_says_where_its_result_goes_and_how_it_is_run() {
        let task = |id: &str, agent: Option<&str>| json!({ "id": id, "title": id, "domain": id, "stage": 0, "done": false, "agent": agent });
        let worker = |name: &str, state: &str| json!({ "name": name, "domain": name, "tasks": [name], "needs": [], "state": state, "sessionId": null, "why": null });
        let tasks = json!([task("api", None), task("ui", Some("codex")), task("docs", None)]);
        let workers = json!([
            worker("api", "waiting"),
            worker("ui", "failed"),
            worker("docs", "done")
        ]);
        let plan = plan(&tasks, &workers);
        let manifest = |command: &str| json!({ "command": [command], "prompt": "argument" });
        let asks = json!({ "command": ["gemini"], "prompt": "argument", "promptOption": "-i" });
        let typed = json!({ "command": ["aider"], "prompt": "type" });
        let known = [
            ("claude", manifest("claude")),
            ("codex", manifest("codex")),
            ("gemini", asks),
            ("aider", typed),
        ];
        let runners: Vec<_> = known
            .iter()
            .filter_map(|(id, manifest)| runner((*id).to_owned(), manifest))
            .collect();
        let folder = Path::new("/a b");
        let made = prompts_of(&plan, folder, (true, &runners));
        let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["worker-api_prompt.md", "worker-ui_prompt.md"]);
        let (api, ui) = (&made[0].1, &made[1].1);
        assert!(
            api.contains("worker-api_result.json") && api.contains("\"plan\": \"pl000000000001\""),
            "{api}"
        );
        let commands: Vec<&str> = api.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert_eq!(commands.len(), 3, "{api}");
        if cfg!(unix) {
            assert_eq!(
                commands[2],
                "gemini -i 'Do what /a b/worker-api_prompt.md says, down to the line of three dashes'"
            );
        }
        let commands: Vec<&str> = ui.lines().filter_map(|line| line.strip_prefix("    ")).collect();
        assert!(commands.len() == 1 && commands[0].starts_with("codex "), "{ui}");
        let bare = prompts_of(&plan, folder, (false, &[]));
        assert!(
            !bare[0].1.contains("_result.json") && !bare[0].1.contains("---"),
            "{}",
            bare[0].1
        );
    }

    #[test]
    fn files_differ_by_name_and_nothing_in_them_acts_on_a_terminal() {
        let worker = |name: &str| {
            json!({ "name": name, "domain": name, "tasks": ["a\u{202e}"], "needs": [], "state": "failed",
                "sessionId": null, "why": "no\u{1b}[2J\u{9b}", "endedAt": "2026-01-01T00:00:00Z" })
        };
        let long = "x".repeat(300);
        let tasks = json!([{ "id": "a\u{202e}", "title": "T\u{1b}\u{9b}\u{202e}", "domain": "d", "stage": 0, "done": false }]);
        let plan = plan(
            &tasks,
            &json!([worker("a b"), worker("a-b"), worker("A-b"), worker(&long)]),
        );
        let files = prompts_of(&plan, Path::new("/f"), (true, &[]));
        let mut names: Vec<String> = files.iter().map(|(name, _)| name.to_lowercase()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 4);
        assert!(names.iter().all(|name| name.len() < 100), "{names:?}");
        let said: String = files.into_iter().map(|(_, said)| said).collect();
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{said}");
    }
}
