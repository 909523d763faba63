// Runs the Rust tests of the workspace. Tests that failed are run once more, alone, to tell a broken test from
// an unsteady one; the unsteady ones are named. Builds nothing that the build stage has not built.
import { Failed, run } from "./run.js";

/** A name in libtest's list of failures, or in the line of its result. */
const FAILED = /^test (\S+)(?: - should panic)? \.\.\. FAILED$/;
const LISTED = /^ {4}([\w:]+)$/;
/** A target in cargo's list of those that failed, such as `-p downbeat-tests --test whole`. */
const TARGET = /^ {4}`(-p \S+ --\S+(?: \S+)?)`$/;

/** What of a run failed, read from its output line by line. */
export class Failures {
  tests = new Set();
  targets = new Set();
  #inList = false;
  #results = 0;

  line(line) {
    if (line === "failures:") this.#inList = true;
    else if (/^test result:/.test(line)) this.#inList = false;
    if (/^test result: FAILED/.test(line)) this.#results += 1;
    const name = line.match(FAILED)?.[1] ?? (this.#inList ? line.match(LISTED)?.[1] : undefined);
    if (name) this.tests.add(name);
    const target = line.match(TARGET)?.[1];
    if (target) this.targets.add(target);
  }

  /** The arguments of `cargo test` that run what failed; `null` if it is not known, as after a
   * failed build or a test program that crashed. */
  again() {
    // A program that crashed is in the list of targets and has no result.
    if (this.tests.size === 0 || this.#results !== this.targets.size) return null;
    // Packages are not named: cargo would build with other features.
    const kinds = new Set([...this.targets].map((target) => target.replace(/^-p \S+ /, "")));
    const targets = [...kinds].flatMap((kind) => kind.split(" "));
    return [...targets, "--", "--exact", ...this.tests];
  }
}

/** Runs `cargo test` with `args` in `env`. Returns a remark about unsteady tests. */
export async function rustTests(args, env) {
  const failures = new Failures();
  const watch = (line) => failures.line(line);
  try {
    await run(["cargo", "test", ...args, "--no-fail-fast"], { keep: true, env, watch });
    return "";
  } catch (error) {
    const again = failures.again();
    if (!(error instanceof Failed) || !again) throw error;
    const names = [...failures.tests].join(", ");
    console.log(`\n── once more, to tell what is broken from what is unsteady: ${names}`);
    const alone = { ...env, RUST_TEST_THREADS: "1" };
    await run(["cargo", "test", ...args, "--no-fail-fast", ...again], { keep: true, env: alone });
    return `  unsteady, failed once: ${names}`;
  }
}
