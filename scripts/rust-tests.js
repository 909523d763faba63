// Runs the Rust tests of the workspace: the test programs that the build made, several at a time, because most of them wait for
// agents, terminals and disks. Builds nothing that the build stage has not built. Tests that failed are run once more, alone, to
// tell a broken test from an unsteady one; the unsteady ones are named.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";
import { inMemory } from "./memory-folder.js";
import { Failed, root } from "./run.js";

/** The programs that take longest, by folder and target, the longest first: they start first, so that none is left at the end. */
const LONGEST = [
  "tests/whole",
  "tests/agents",
  "git/git",
  "keeper/downbeat_keeper",
  "tests/conductor",
  "forge/forge",
  "keeper/keeper",
];

/** The programs that run real agents, each of which needs a core and a gigabyte while it starts: one at a time. */
const REAL_AGENTS = ["tests/agents", "tests/conductor", "tests/claude_adapter"];

/** A failed test in libtest's output. */
const FAILED = /^test (\S+)(?: - should panic)? \.\.\. FAILED$/;

/** A line of which the report at the end repeats the first ones. */
const TELLS = /panicked at|assertion/;
const MOST_TOLD = 20;

/** Returns the test programs that cargo names in its messages, those that take longest first. */
export function programsOf(messages) {
  const programs = [];
  for (const line of messages.split("\n")) {
    if (!line.startsWith("{")) continue;
    const { reason, executable, profile, manifest_path: manifest, target } = JSON.parse(line);
    if (reason !== "compiler-artifact" || !executable || !profile.test) continue;
    const folder = dirname(manifest);
    programs.push({ name: `${basename(folder)}/${target.name}`, executable, folder });
  }
  const place = ({ name }) => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);
  return programs.sort((a, b) => place(a) - place(b));
}

/** Runs `programs` with `start`, at most `most` at a time, in their order, but for those that have to wait for another one that
 * runs real agents. Returns what `start` returned. */
export async function several(programs, most, start) {
  const left = [...programs];
  const ended = [];
  let isBusy = false;
  const next = () => {
    const at = left.findIndex(({ name }) => !(isBusy && REAL_AGENTS.includes(name)));
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const lane = async () => {
    // A lane that finds only programs that have to wait ends: the lane of the other one goes on with them.
    for (let program = next(); program; program = next()) {
      const isOne = REAL_AGENTS.includes(program.name);
      isBusy ||= isOne;
      ended.push(await start(program));
      if (isOne) isBusy = false;
    }
  };
  await Promise.all(Array.from({ length: most }, lane));
  return ended;
}

/** Returns what failed of a program: its tests, or the program itself if it ended without naming one. */
export function failedOf({ name, code, signal, tests }) {
  if (code === 0) return [];
  return tests.length > 0
    ? tests.map((test) => `${name}: ${test}`)
    : [`${name} ended with ${signal ?? `exit code ${code}`}`];
}

/** Returns the output of cargo; its errors are shown as they come. */
async function cargo(args, env) {
  const child = spawn("cargo", args, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Failed(`cargo ${args.join(" ")}: exit code ${code}`);
  return text;
}

/** How long to wait for the rest of the output of a program that ended: a process that it left running may hold it open. */
const LATE = 3_000;

/** Waits until a program ended and its output was read. */
async function ended(child) {
  const closed = once(child, "close");
  const end = await once(child, "exit");
  const late = setTimeout(() => child.stdout.destroy() && child.stderr.destroy(), LATE);
  await closed;
  clearTimeout(late);
  return end;
}

/** Runs a test program, or only the tests that `args` name. Its lines are shown as they come, after its name. */
async function test({ name, executable, folder }, env, args = []) {
  const from = performance.now();
  const child = spawn(executable, args, {
    cwd: folder,
    env: { ...env, CARGO_MANIFEST_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [tests, told] = [[], []];
  const read = (stream) =>
    createInterface({ input: stream }).on("line", (line) => {
      if (line !== "") console.log(`${name}: ${line}`);
      const failed = line.match(FAILED)?.[1];
      if (failed) tests.push(failed);
      if (TELLS.test(line) && told.length < MOST_TOLD) told.push(`${name}: ${line}`);
    });
  read(child.stdout);
  read(child.stderr);
  const [code, signal] = await ended(child);
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  console.log(`── ${name}: ${code === 0 ? "passed" : "failed"} after ${seconds} s`);
  return { name, code, signal, tests, told, seconds };
}

/** Returns for each failed program the arguments that run its failed tests; `null` if one ended without naming any, as after a
 * crash: what else failed of it is not known. */
export function argumentsAgain(results) {
  const failed = results.filter(({ code }) => code !== 0);
  if (failed.some(({ tests }) => tests.length === 0)) return null;
  return failed.map(({ name, tests }) => ({ name, args: ["--exact", ...tests] }));
}

/** Returns the error that names what failed, with the first lines about it. */
function failure(results) {
  const failed = results.flatMap(failedOf);
  const error = new Failed(`failed Rust tests:\n${failed.join("\n")}`);
  error.said = [...failed, ...results.flatMap(({ code, told }) => (code === 0 ? [] : told))];
  return error;
}

/** Runs all test programs of the packages that `args` name, at most `most` at a time, in `env`. Returns a remark about
 * unsteady tests. */
export async function rustTests(args, env, most) {
  const all = { ...process.env, ...env };
  const build = ["test", ...args, "--no-run", "--message-format=json-render-diagnostics"];
  const programs = programsOf(await cargo(build, all));
  if (programs.length === 0) throw new Failed("cargo names no test programs");
  return inMemory((variables) => runAll(programs, { ...all, ...variables }, most));
}

async function runAll(programs, all, most) {
  // Agents that start at the same time starve each other: of their tests run half as many at once.
  const calm = { ...all, RUST_TEST_THREADS: String(Math.ceil(Number(all.RUST_TEST_THREADS) / 2)) };
  const variables = ({ name }) => (REAL_AGENTS.includes(name) ? calm : all);
  const results = await several(programs, most, (program) => test(program, variables(program)));
  const failed = results.flatMap(failedOf);
  if (failed.length === 0) return "";
  const again = argumentsAgain(results);
  if (again === null) throw failure(results);
  const names = failed.join(", ");
  console.log(`\n── once more, to tell what is broken from what is unsteady: ${names}`);
  const alone = { ...all, RUST_TEST_THREADS: "1" };
  const repeated = [];
  for (const { name, args } of again) {
    const program = programs.find((program) => program.name === name);
    repeated.push(await test(program, alone, args));
  }
  if (repeated.some(({ code }) => code !== 0)) throw failure(repeated);
  return `  unsteady, failed once: ${names}`;
}
