// `npm test [-- STAGE…]`: installs what is missing and runs every check and test, or only the named
// stages. The tests of the real window and the browser run on Linux only; Windows also skips the
// whole-program tests.
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { linted } from "./lints.js";
import { nodeTests, programTests } from "./node-tests.js";
import { npm, root, run as start } from "./run.js";
import { rustTests } from "./rust-tests.js";
import { drivers } from "./setup/drivers.js";
import { modules } from "./setup/modules.js";
import { system } from "./setup/system.js";
import { stages } from "./stages.js";

const isLinux = process.platform === "linux";

const run = (argv, env) => start(argv, { keep: true, env });

const script = (name) => run(npm("run", "--silent", name));

/** The checks of the interface's sources, those of `ui:static`: each keeps one core busy. */
const INTERFACE_CHECKS = ["ui:types", "ui:lint", "ui:format"];

/** Runs scripts at the same time. Fails once all have ended, if one failed. */
async function together(names) {
  const results = await Promise.allSettled(names.map(script));
  const failed = results.find(({ status }) => status === "rejected");
  if (failed) throw failed.reason;
}

/** The whole-program tests stop and kill processes with Unix signals. */
const unixOnly = ["downbeat-tests", "downbeat-bench"];
const excluded = unixOnly.flatMap((name) => ["--exclude", name]);
const workspace = ["--workspace", ...(process.platform === "win32" ? excluded : [])];

/** Runs cargo over the whole workspace with lints, so that all its stages share one build. */
const cargo = (...argv) => run(["cargo", ...argv], linted());

/** Most tests wait for agents and terminals, so more of them run at a time than there are cores. */
const testThreads = process.env.RUST_TEST_THREADS ?? String(2 * availableParallelism());

/** How many test programs run at a time: while one waits, and at its end, the other one works. */
const TEST_PROGRAMS = 2;

const setup = async () => {
  await system({ forTests: true });
  await modules();
  // The loopback forge has packages of its own, which nothing but tests needs.
  await modules(join(root, "tests", "forge"));
  if (isLinux) await drivers();
};

const all = [
  { name: "setup", run: setup },
  { name: "interface", needs: ["setup"], run: () => script("ui:build") },
  { name: "arrows and supply", needs: ["setup"], run: () => nodeTests("scripts/checks") },
  { name: "forge", needs: ["setup"], run: () => nodeTests("tests/forge") },
  { name: "format", needs: ["setup"], run: () => script("format") },
  { name: "interface checks", needs: ["setup"], run: () => together(INTERFACE_CHECKS) },
  { name: "interface tests", needs: ["setup"], run: () => script("ui:test") },
  {
    name: "build and lint",
    needs: ["interface"],
    run: () => cargo("build", ...workspace, "--all-targets"),
  },
  {
    name: "rust tests",
    needs: ["build and lint"],
    run: () => rustTests(workspace, { ...linted(), RUST_TEST_THREADS: testThreads }, TEST_PROGRAMS),
  },
];

/** Adds a stage for each whole-program test whose files exist. */
for (const [name, folder] of [
  ["browser", "tests/browser"],
  ["window", "tests/desktop"],
]) {
  if (isLinux && existsSync(join(root, folder))) {
    all.push({ name, needs: ["build and lint"], run: () => programTests(folder) });
  }
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !all.some((stage) => stage.name === name));
if (unknown.length > 0) {
  console.error(
    `No such stage: ${unknown.join(", ")}. There are: ${all.map(({ name }) => name).join(", ")}`,
  );
  process.exitCode = 2;
} else {
  const chosen = named.length > 0 ? all.filter(({ name }) => named.includes(name)) : all;
  process.exitCode = (await stages(chosen)) ? 0 : 1;
}
