// Reports to Downbeat what OpenCode does, through `downbeat-hook`, writes the messages, calls and usage to a
// transcript, and gives OpenCode the briefing. Runs inside OpenCode and never blocks it: posts are sent one
// after another in the background.
import { spawn } from "node:child_process";
import { appendFile } from "node:fs/promises";

// The maximum number of posts that wait; each takes some milliseconds. Beyond it the oldest posts about tools
// are dropped, since they contain the least.
const MAX_WAITING = 256;

// The maximum number of characters of a prompt that are reported.
const MAX_PROMPT = 2000;

// Variables that a command run by OpenCode must not have: another OpenCode in it would take itself for this
// one. OpenCode itself reads its settings from there whenever it reloads, so they stay in its own
// environment.
const OURS = { OPENCODE_CONFIG_CONTENT: "", DOWNBEAT_BRIEFING: "", DOWNBEAT_TRANSCRIPT: "" };

// The maximum number of written messages and parts that are remembered, so that none is written twice. Beyond
// it the oldest are forgotten, since OpenCode no longer reports them.
const MAX_WRITTEN = 4096;

const cli = process.env.DOWNBEAT_CLI;
// The small program for posts, if it exists; otherwise the large one takes them.
const small = process.env.DOWNBEAT_HOOK;
const [program, words] = small ? [small, []] : [cli, ["hook"]];
const transcript = process.env.DOWNBEAT_TRANSCRIPT;
const written = new Set();
let writing = Promise.resolve();
const children = new Set();
const failed = new Set();
const waiting = [];
// The last answer of each session, as far as it is written: the end of a turn may be a question.
const answers = new Map();
let delivering = false;

async function deliver(body) {
  const text = JSON.stringify(body);
  return new Promise((done) => {
    const hook = spawn(program, words, {
      stdio: ["pipe", "ignore", "ignore"],
      windowsHide: true,
    });
    hook.on("error", done);
    hook.on("close", done);
    hook.stdin.on("error", done);
    hook.stdin.end(text);
  });
}

async function deliverAll() {
  delivering = true;
  while (waiting.length > 0) {
    // A post that fails must not block the others.
    await deliver(waiting.shift()).catch(() => {});
  }
  delivering = false;
}

function post(name, fields) {
  waiting.push({ hook_event_name: name, transcript_path: transcript, ...fields });
  if (waiting.length > MAX_WAITING) {
    const tool = waiting.findIndex((body) => body.hook_event_name.startsWith("tool.execute."));
    waiting.splice(Math.max(tool, 0), 1);
  }
  if (!delivering) deliverAll();
}

// The number of characters at the end of an answer that are reported, and the number of answers that are
// kept.
const END = 6000;
const MAX_ANSWERS = 64;

// The messages of a person, which have parts, too.
const prompts = new Set();

function bound(kept) {
  if (kept.size > MAX_ANSWERS) kept.delete(kept.keys().next().value);
}

// A part of an answer grows; the last version counts.
function said({ sessionID, messageID, type, text }) {
  if (type !== "text" || typeof text !== "string" || prompts.has(messageID)) return;
  answers.delete(sessionID);
  answers.set(sessionID, { messageID, text: text.slice(-END) });
  bound(answers);
}

function wrote({ role, id, sessionID }) {
  if (role !== "user") return;
  prompts.add(id);
  bound(prompts);
  if (answers.get(sessionID)?.messageID === id) answers.delete(sessionID);
}

// Writes an entry to the transcript that Downbeat reads, once.
function write(type, session, id, fields) {
  const once = `${type} ${id}`;
  if (!transcript || written.has(once)) return;
  written.add(once);
  if (written.size > MAX_WRITTEN) written.delete(written.values().next().value);
  const about = { type, id, at: Date.now(), sub_agent: children.has(session) };
  const line = `${JSON.stringify({ ...about, ...fields })}\n`;
  writing = writing.then(() => appendFile(transcript, line, { mode: 0o600 })).catch(() => {});
}

// Returns what a tool was called for, from its input or from the title that OpenCode shows.
function purpose({ title, input }) {
  const told = input?.command ?? input?.filePath ?? input?.pattern ?? input?.description ?? title;
  return `${told ?? ""}`.slice(0, 300);
}

function writePart({ sessionID, messageID, id, type, text, time, tool, state }) {
  // The person's own parts have no end.
  if (type === "text" && time?.end && text) {
    write("answered", sessionID, id, { id: messageID, text });
  } else if (type === "tool" && ["completed", "error"].includes(state?.status)) {
    write("called", sessionID, id, { tool, text: purpose(state) });
  }
}

// A sub-agent is a session with a parent.
function about(id) {
  return { session_id: id, sub_agent: children.has(id) };
}

function working(name, id, fields) {
  failed.delete(id);
  post(name, { ...about(id), ...fields });
}

const told = {
  "session.created": ({ info }) => {
    if (info.parentID) children.add(info.id);
    post("session.created", about(info.id));
  },
  "session.status": ({ sessionID, status }) => {
    // After a failure OpenCode also reports that the session is idle, even twice, which would hide the
    // failure.
    if (status.type !== "idle") failed.delete(sessionID);
    else if (failed.has(sessionID)) return;
    const rests = status.type === "idle" && !children.has(sessionID);
    post("session.status", {
      ...about(sessionID),
      status: status.type,
      message: status.message,
      attempt: status.attempt,
      next: status.next,
      last_assistant_message: rests ? answers.get(sessionID)?.text : undefined,
    });
  },
  "todo.updated": ({ sessionID, todos }) => post("todo.updated", { ...about(sessionID), todos }),
  "message.part.updated": ({ part }) => {
    said(part);
    writePart(part);
  },
  "message.updated": ({ info }) => {
    wrote(info);
    if (info.role !== "assistant" || !info.time?.completed || !info.tokens) return;
    const { modelID: model, tokens } = info;
    write("used", info.sessionID, info.id, { model, tokens });
  },
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
  "session.error": ({ sessionID, error }) => {
    // A turn that a person stopped is not a failure.
    if (error?.name !== "MessageAbortedError") failed.add(sessionID);
    const text = error?.data?.message;
    if (text) write("refused", sessionID, `${Date.now()}`, { text });
    post("session.error", {
      ...about(sessionID),
      error: error?.name,
      code: error?.data?.statusCode,
      message: error?.data?.message,
    });
  },
};

// The last rule that matches counts, and a rule that the files name as well keeps their position. So our
// rules come first, in our order, followed by the denials in the files.
function order(rules) {
  const ours = JSON.parse(process.env.OPENCODE_CONFIG_CONTENT).permission;
  const denied = Object.entries(rules).map(([name, rule]) => [
    name,
    patterns(rule).filter(([, action]) => action === "deny"),
  ]);
  for (const name of Object.keys(rules)) delete rules[name];
  Object.assign(rules, ours);
  for (const [name, last] of denied) {
    if (last.length === 0) continue;
    const first = patterns(ours[name] ?? ours["*"]);
    const others = first.filter(([pattern]) => last.every(([other]) => other !== pattern));
    rules[name] = Object.fromEntries([...others, ...last]);
  }
}

function patterns(rule) {
  return typeof rule === "string" ? [["*", rule]] : Object.entries(rule);
}

export const Downbeat = async () => {
  if (!cli) return {};
  return {
    config: async ({ permission }) => {
      if (permission) order(permission);
    },
    event: async ({ event }) => told[event.type]?.(event.properties),
    "chat.message": async ({ sessionID }, said) => {
      answers.delete(sessionID);
      const parts = (said?.parts ?? []).filter(({ type, synthetic }) => type === "text" && !synthetic);
      const text = parts.map((part) => part.text).join("\n");
      if (text) write("said", sessionID, parts[0].id, { text });
      working("chat.message", sessionID, { prompt: text.slice(0, MAX_PROMPT) });
    },
    "tool.execute.before": async ({ sessionID, tool }) =>
      working("tool.execute.before", sessionID, { tool }),
    "tool.execute.after": async ({ sessionID, tool }) =>
      working("tool.execute.after", sessionID, { tool }),
    "shell.env": async (_, output) => {
      Object.assign(output.env, OURS);
    },
    "experimental.chat.system.transform": async (_, output) => {
      const briefing = process.env.DOWNBEAT_BRIEFING;
      if (briefing) output.system.push(briefing);
    },
  };
};
