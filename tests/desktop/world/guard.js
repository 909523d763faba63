// Ends whatever a world started, by whichever way the world itself ends: a process beside the test
// that waits for the test to let go, be it by `end`, by a failure, or because it was killed.
// Keepers, headless engines and agents outlive their parents on purpose: they are known by the
// world's folder in their environment or command line.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** Looks without a find that make sure: one may miss a process that is just being started. */
const QUIET_LOOKS = 3;
const LOOKS = 100;
const BETWEEN = 30;

/** Guards a folder; `end` ends everything that belongs to it, and removes it. */
export function guard(folder) {
  const child = spawn(process.execPath, [import.meta.filename, folder], {
    env: {},
    // A group of its own: what is typed at the test does not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "inherit"],
  });
  const gone = once(child, "exit");
  // The test may end without it.
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
      // It ended meanwhile, or is another person's.
      return false;
    }
  });
}

/** Kills what belongs to the folder; whether there was any. */
function sweep(folder) {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = pids.filter((pid) => Number(pid) !== process.pid && belongs(pid, folder));
  for (const pid of found) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended meanwhile.
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
