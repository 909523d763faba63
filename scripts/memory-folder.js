// A folder in memory for the files of tests, where the machine has room for it. Removed at the end, and after a run that was killed.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Where Linux keeps files in memory, and how many bytes have to be free there for the files of all tests. */
const MEMORY = "/dev/shm";
const ROOM = 8 * 2 ** 30;

/** Calls `then` with variables that let tests make their files in memory, if there is room: they make and remove so many
 * repositories that the disk's own bookkeeping takes a tenth to a third of the time. */
export async function inMemory(then) {
  const folder = memoryFolder();
  if (folder === null) return then({});
  const stop = (signal) => {
    remove(folder);
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await then({ TMPDIR: folder });
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
    remove(folder);
  }
}

/** Signals that end a run early. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

function memoryFolder() {
  if (process.platform !== "linux") return null;
  try {
    accessSync(MEMORY, constants.W_OK);
    removeLeft();
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, availableMemory()) < ROOM) return null;
    const folder = mkdtempSync(join(MEMORY, `db-${process.pid}-`));
    // Some tests run programs as another user.
    chmodSync(folder, 0o755);
    if (runsPrograms(folder)) return folder;
    remove(folder);
    return null;
  } catch {
    return null;
  }
}

/** Returns how many bytes programs can still use: what is free of a disk in memory may be used otherwise. */
function availableMemory() {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Whether programs in a folder can be run: not where the disk is mounted without that. */
function runsPrograms(folder) {
  const program = join(folder, "runs");
  writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  return spawnSync(program).status === 0;
}

/** After how many milliseconds a folder is no longer used by any run. */
const OLD = 4 * 60 * 60 * 1000;

/** Removes the folders of runs that were killed. */
function removeLeft() {
  for (const name of readdirSync(MEMORY)) {
    const pid = /^db-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    // Another machine inside this one may use the same memory, but has other processes.
    const folder = join(MEMORY, name);
    if (Date.now() - statSync(folder).mtimeMs > OLD) remove(folder);
  }
}

/** Removes a folder. A process that a test left running may still write there, which changes nothing about the result. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    console.warn(`${folder} is left: ${error.message}`);
  }
}
