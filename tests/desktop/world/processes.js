// Processes of a test. Each is ended with the test, by its own id, together with its descendants.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Waits until `look` returns something other than null, undefined or false. */
export async function until(what, look, { milliseconds = 20_000 } = {}) {
  const deadline = performance.now() + milliseconds;
  let last;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== null && seen !== undefined && seen !== false) return seen;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${milliseconds} ms in vain for: ${what}`, { cause: last });
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Returns whether a process runs and is not a zombie. */
export function isAlive(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** Running processes, which are ended even if a test is aborted. */
const running = new Set();
process.on("exit", () => running.forEach((signal) => signal("SIGKILL")));

/** Starts a process in its own group, which `end` ends. */
export function start(program, args, { env, stdio = ["ignore", "ignore", "inherit"] } = {}) {
  const child = spawn(program, args, { env, stdio, detached: true });
  const gone = once(child, "exit");
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // It has already exited.
    }
  };
  running.add(signal);
  const end = async () => {
    signal("SIGTERM");
    const late = setTimeout(signal, 3_000, "SIGKILL");
    await gone;
    clearTimeout(late);
    signal("SIGKILL");
    running.delete(signal);
  };
  return { child, end, gone };
}

/** Passes each line of a stream to `take` as it arrives. */
export function lines(stream, take) {
  createInterface({ input: stream }).on("line", take);
}
