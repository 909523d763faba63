// Runs programs for the other scripts, with an argument list and inherited output, never through a
// shell.
import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** A program that failed and has already printed why. `said` has the most telling lines of its
 * output, if that was kept. */
export class Failed extends Error {
  said = [];
}

/** How long to wait for remaining output after a program exited, in milliseconds. */
const LATE = 3_000;

/** Runs `argv` and throws if it does not exit with 0. With `keep`, and if stdout is not a
 * terminal, the error carries the telling lines of the output; `watch` is then called with each
 * line. */
export async function run(argv, { env = {}, cwd = root, keep = false, watch = () => {} } = {}) {
  const [program, ...args] = argv;
  const kept = keep && !process.stdout.isTTY ? new Said(watch) : null;
  const child = spawn(program, args, {
    cwd,
    stdio: ["ignore", ...(kept ? ["pipe", "pipe"] : ["inherit", "inherit"])],
    env: { ...process.env, ...env },
  });
  child.stdout?.on("data", (bytes) => kept.pass(bytes, process.stdout));
  child.stderr?.on("data", (bytes) => kept.pass(bytes, process.stderr));
  const [code, signal] = await new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (...end) => {
      if (!kept) return done(end);
      // A process that it left running may hold its output open; this does not wait for that.
      const late = setTimeout(() => child.stdout.destroy() && child.stderr.destroy(), LATE);
      child.once("close", () => {
        clearTimeout(late);
        done(end);
      });
    });
  });
  if (code === 0) return;
  const failed = new Failed(`${argv.join(" ")}: ${signal ?? `exit code ${code}`}`);
  failed.said = kept?.lines() ?? [];
  throw failed;
}

/** Passes output on, and keeps its last lines and those that look like a failure. */
class Said {
  static #TELLS = /\bFAIL|panicked at|✖|×|\berror\b|assertion|timed out/i;
  static #FAILURES = 60;
  static #LAST = 40;
  #failures = [];
  #last = [];
  #rests = new Map();
  #watch;

  constructor(watch) {
    this.#watch = watch;
  }

  pass(bytes, to) {
    to.write(bytes);
    const lines = ((this.#rests.get(to) ?? "") + bytes.toString()).split("\n");
    this.#rests.set(to, lines.pop() ?? "");
    for (const line of lines) {
      this.#watch(line);
      if (Said.#TELLS.test(line) && this.#failures.length < Said.#FAILURES)
        this.#failures.push(line);
      this.#last.push(line);
      if (this.#last.length > Said.#LAST) this.#last.shift();
    }
  }

  lines() {
    return [...this.#failures, "…", ...this.#last, ...this.#rests.values()];
  }
}

/** Returns the output of `argv`, or null if it cannot be obtained. */
export function output(argv) {
  const [program, ...args] = argv;
  const { status, stdout } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 1 << 28,
  });
  return status === 0 ? stdout : null;
}

/** Returns the first of `names` that is a program on PATH, with its path; null if none is. */
export function which(...names) {
  const suffixes = process.platform === "win32" ? [".exe", ".cmd", ""] : [""];
  for (const name of names) {
    for (const directory of (process.env.PATH ?? "").split(delimiter)) {
      for (const suffix of suffixes) {
        const path = join(directory, name + suffix);
        try {
          accessSync(path, constants.X_OK);
          return path;
        } catch {
          // Not in this folder.
        }
      }
    }
  }
  return null;
}

/** Runs npm: the copy that started this script, else Node's own. On Windows `npm` is a batch
 * file, which Node can start only through a shell. */
export function npm(...args) {
  const own = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  const self = process.env.npm_execpath ?? (existsSync(own) ? own : undefined);
  return self ? [process.execPath, self, ...args] : [which("npm") ?? "npm", ...args];
}
