// Ends everything that a world started, however the world itself ends: a process beside the test
// waits until the test calls `end`, fails or is killed. Keepers, headless engines and agents
// outlive their parents on purpose; the guard recognizes them by the world's folder in their
// environment or command line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Consecutive looks that must find nothing: a single one may miss a process that is just starting.
 */
const QUIET_LOOKS = 3;
const LOOKS = 100;
const BETWEEN = 30;

/** Guards a folder; `end` ends everything that belongs to it and removes it. */
export function guard(folder) {
  const child = spawn(process.execPath, [import.meta.filename, folder], {
    env: {},
    // In its own process group, so that Ctrl+C at the test does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const gone = once(child, "exit");
  // The test may exit without waiting for it.
  child.unref();
  child.stdin.unref();
  return {
    async end() {
      child.ref();
      child.stdin.end();
      await gone;
    },
  };
}

function belongs(pid, folder) {
  return ["cmdline", "environ"].some((name) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, "utf8").includes(`${folder}/`);
    } catch {
      // It ended in the meantime, or belongs to another user.
      return false;
    }
  });
}

/** Kills everything that belongs to the folder; returns whether there was anything. */
function sweep(folder) {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = pids.filter((pid) => Number(pid) !== process.pid && belongs(pid, folder));
  for (const pid of found) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended in the meantime.
    }
  }
  return found.length > 0;
}

if (process.argv[1] === import.meta.filename) {
  const [folder] = process.argv.slice(2);
  process.stdin.resume();
  await once(process.stdin, "close");
  for (let looks = 0, quiet = 0; looks < LOOKS && quiet < QUIET_LOOKS; looks += 1) {
    quiet = sweep(folder) ? 0 : quiet + 1;
    await pause(BETWEEN);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
