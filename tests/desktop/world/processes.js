// Processes of a test, each ended with it: by its own id, and with what it started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** Waits until `look` gives something other than null, undefined or false. */
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

/** Whether a process is there, and not only its exit code. */
export function isAlive(pid) {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** What still runs, ended even where a test breaks off. */
const running = new Set();
process.on("exit", () => running.forEach((signal) => signal("SIGKILL")));

/** Starts a process in a group of its own, which `end` ends. */
export function start(program, args, { env, stdio = ["ignore", "ignore", "inherit"] } = {}) {
  const child = spawn(program, args, { env, stdio, detached: true });
  const gone = once(child, "exit");
  const signal = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // It is gone already.
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

/** The lines of a stream, as they come. */
export function lines(stream, take) {
  createInterface({ input: stream }).on("line", take);
}
