// Tells Downbeat what OpenCode does, through `downbeat hook`, and gives OpenCode the briefing.
// Runs inside OpenCode; holds nothing back: posts go one after another, behind its work.
import { spawn } from "node:child_process";

const cli = process.env.DOWNBEAT_CLI;
const children = new Set();
let posts = Promise.resolve();

function deliver(body) {
  return new Promise((done) => {
    const hook = spawn(cli, ["hook"], { stdio: ["pipe", "ignore", "ignore"] });
    hook.on("error", done);
    hook.on("close", done);
    hook.stdin.on("error", done);
    hook.stdin.end(JSON.stringify(body));
  });
}

function post(name, fields) {
  posts = posts.then(() => deliver({ hook_event_name: name, ...fields }));
}

// A sub-agent is a session with a parent.
function about(id) {
  return { session_id: id, sub_agent: children.has(id) };
}

const told = {
  "session.created": ({ info }) => {
    if (info.parentID) children.add(info.id);
    post("session.created", about(info.id));
  },
  "session.status": ({ sessionID, status }) =>
    post("session.status", { ...about(sessionID), status: status.type, message: status.message }),
  "permission.asked": ({ sessionID, id, permission, patterns, metadata }) =>
    post("permission.asked", { ...about(sessionID), id, permission, patterns, metadata }),
  "permission.replied": ({ sessionID, requestID, reply }) =>
    post("permission.replied", { ...about(sessionID), id: requestID, reply }),
  "question.asked": ({ sessionID, id, questions }) =>
    post("question.asked", { ...about(sessionID), id, questions }),
  "question.replied": ({ sessionID, requestID }) =>
    post("question.replied", { ...about(sessionID), id: requestID }),
  "question.rejected": ({ sessionID, requestID }) =>
    post("question.rejected", { ...about(sessionID), id: requestID }),
  "session.error": ({ sessionID, error }) =>
    post("session.error", {
      ...about(sessionID),
      error: error?.name,
      message: error?.data?.message,
    }),
};

export const Downbeat = async () => {
  if (!cli) return {};
  return {
    event: async ({ event }) => told[event.type]?.(event.properties),
    "chat.message": async ({ sessionID }) => post("chat.message", about(sessionID)),
    "tool.execute.before": async ({ sessionID, tool }) =>
      post("tool.execute.before", { ...about(sessionID), tool }),
    "tool.execute.after": async ({ sessionID, tool }) =>
      post("tool.execute.after", { ...about(sessionID), tool }),
    "experimental.chat.system.transform": async (_, output) => {
      const briefing = process.env.DOWNBEAT_BRIEFING;
      if (briefing) output.system.push(briefing);
    },
  };
};
