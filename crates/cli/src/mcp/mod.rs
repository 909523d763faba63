//! `downbeat mcp`: the orchestration tools over the Model Context Protocol on standard input and output, run
//! inside an agent's session. Its only state is where the engine was: the token of the session identifies the
//! agent, and the engine decides what the agent may do.
//!
//! * `answer`: the results of tools
//! * `bridge`: finds the engine, again after a handover
//! * `tool`: the parts that all tools share
//! * `waiting`: the only tool that takes long
//! * `conductor`: the tools of a conductor, with their descriptions
//! * `changes`: the tools of a conductor that show what a worker changed, and request changes of it
//! * `fix`: the tools of a conductor for runs of `fix`
//! * `plan`: the tools of a conductor for plans
//! * `worker`: the tools of a worker
//! * `pull_text`: pull requests as tools show them
//! * `pull`: the tools of both for pull requests

mod answer;
mod bridge;
mod changes;
mod conductor;
mod fix;
mod plan;
mod pull;
mod pull_text;
mod tool;
mod waiting;
mod worker;

use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{DONE, Outcome};
use answer::Answer;
use bridge::Bridge;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use std::sync::Arc;

/// The instructions about all tools together, which an agent reads once.
const INSTRUCTIONS: &str = "Downbeat runs other coding agents beside you, each in its own git worktree, branch \
and terminal. Delegate self-contained pieces of work with spawn_worker: it returns immediately, and workers run \
in parallel. A worker knows nothing of your conversation: put the goal, the relevant files, the constraints and how to \
check the result into its task. Then call wait_for_workers, look with get_worker_output, answer or correct with \
send_to_worker, and merge their branches when they are done. Never edit a worker's worktree yourself while it runs.";

/// The instructions for a session that is only a worker.
const WORKER: &str = "You are a worker of a Downbeat conductor. Call report_result once when your task is done or cannot \
be done. Where you cannot continue without a decision, call ask_conductor and end your turn.";

fn instructions(tools: &str) -> &'static str {
    if tools == "worker" { WORKER } else { INSTRUCTIONS }
}

/// Serves the tools until the agent closes its end.
pub(crate) async fn run(home: Home) -> Outcome {
    let bridge = Arc::new(Bridge::from_environment(&home)?);
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("the tool bridge ended: {error}"));
    let service = Face { bridge }
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|error| failed(&error))?;
    service.waiting().await.map_err(|error| failed(&error))?;
    DONE
}

/// Returns the tools of a session for `kinds`, which the engine put into its environment: those of a
/// conductor, of a worker, or of both. If it is empty, these are a conductor's tools. The engine refuses calls that
/// are too deep or not allowed.
fn offered(kinds: &str) -> Vec<Tool> {
    let is = |kind: &str| kinds.split(',').any(|word| word == kind);
    let worker = if is("worker") { worker::tools() } else { Vec::new() };
    let conductor = if is("conductor") || worker.is_empty() {
        {
            let own = conductor::tools().into_iter();
            let own = own.chain(plan::tools()).chain(changes::tools());
            own.chain(fix::tools()).collect()
        }
    } else {
        Vec::new()
    };
    let both = pull::tools();
    worker.into_iter().chain(conductor).chain(both).collect()
}

struct Face {
    bridge: Arc<Bridge>,
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("downbeat", env!("CARGO_PKG_VERSION")).with_title("Downbeat"),
            )
            .with_instructions(instructions(&self.bridge.tools))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // Reported a while after the answer, since MCP has no event for an agent that has read the list.
        let bridge = Arc::clone(&self.bridge);
        tokio::spawn(async move { bridge.listed().await });
        Ok(ListToolsResult::with_all_items(offered(&self.bridge.tools)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let outcome = match request.name.as_ref() {
            "spawn_worker" => conductor::spawn(&self.bridge, arguments).await,
            "spawn_for_issues" => conductor::spawn_for_issues(&self.bridge, arguments).await,
            "list_workers" => conductor::list(&self.bridge, arguments).await,
            "list_merge_queue" => conductor::merge_queue(&self.bridge, arguments).await,
            "get_worker_output" => conductor::output(&self.bridge, arguments).await,
            "get_worker_changes" => changes::look(&self.bridge, arguments).await,
            "request_changes" => changes::request(&self.bridge, arguments).await,
            "send_to_worker" => conductor::send(&self.bridge, arguments).await,
            "answer_worker" => conductor::answer(&self.bridge, arguments).await,
            "wait_for_workers" => waiting::wait(&self.bridge, arguments, &context).await,
            "report_result" => worker::report(&self.bridge, arguments).await,
            "ask_conductor" => worker::ask(&self.bridge, arguments).await,
            "create_pull_request" => pull::create(&self.bridge, arguments).await,
            "list_pull_requests" => pull::list(&self.bridge, arguments).await,
            "show_pull_request" => pull::show(&self.bridge, arguments).await,
            "change_pull_request" => pull::change(&self.bridge, arguments).await,
            "propose_plan" => plan::propose(&self.bridge, arguments).await,
            "run_plan" => plan::run(&self.bridge, arguments).await,
            "plan_status" => plan::status(&self.bridge, arguments).await,
            "update_task" => plan::update(&self.bridge, arguments).await,
            "find_red_checks" => fix::start(&self.bridge, arguments).await,
            "show_fixes" => fix::status(&self.bridge, arguments).await,
            "cancel_fixes" => fix::cancel(&self.bridge, arguments).await,
            "kill_worker" => conductor::kill(&self.bridge, arguments).await,
            "kill_all_workers" => conductor::kill_all(&self.bridge, arguments).await,
            other => {
                return Err(ErrorData::invalid_params(
                    format!("there is no tool {other:?}"),
                    None,
                ));
            }
        };
        Ok(outcome.unwrap_or_else(Answer::from).into_result().into())
    }
}
