// Checks that no operation is named by a string outside of the table: a typo in it, or a response of another
// type, would compile. Callers use the methods of `wire::Client`; code that distinguishes operations uses
// `wire::names`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { output, root } from "../run.js";

const TABLE = "crates/wire/src/table.rs";

/** Strings that equal the name of an operation but are not operations. */
const OTHERS = [
  {
    what: "tools that agents are given",
    names: ["list_workers", "wait_for_workers", "report_result", "ask_conductor"],
    files: [
      "crates/agents/src/agent/launch.rs",
      "crates/cli/src/mcp/conductor.rs",
      "crates/cli/src/mcp/mod.rs",
      "crates/cli/src/mcp/worker.rs",
      "crates/cli/tests/cli/bridge.rs",
      "tests/tests/conductor/fleet.rs",
      "tests/tests/conductor/three.rs",
      "tests/tests/whole/proof.rs",
    ],
  },
  {
    what: "tools of conductors for plans",
    names: ["propose_plan", "run_plan", "plan_status"],
    files: [
      "crates/cli/src/mcp/plan.rs",
      "crates/cli/src/mcp/mod.rs",
      "crates/cli/tests/cli/plans.rs",
      "tests/tests/agents/orchestrate.rs",
      "tests/tests/conductor/plans.rs",
    ],
  },
  {
    what: "the command `downbeat search`, and what is measured of it",
    names: ["search"],
    files: [
      "bench/src/rows/mod.rs",
      "tests/tests/whole/commands.rs",
      "tests/tests/whole/transcripts.rs",
    ],
  },
];

/** Returns the operations of the table, in its order. */
function operations(table) {
  const rows = table.slice(table.indexOf("\noperations! {")).split("\n}\n")[0];
  return [...rows.matchAll(/^ {4}fn (\w+)\(/gm)].map(([, name]) => name);
}

const names = operations(readFileSync(join(root, TABLE), "utf8"));

/** Returns the operations that a text names by a string, each with its place. */
function named(file, text) {
  const pattern = new RegExp(`"(${names.join("|")})"`, "g");
  return [...text.matchAll(pattern)].map(({ 1: name, index }) => ({
    name,
    file,
    line: text.slice(0, index).split("\n").length,
  }));
}

const isOther = ({ name, file }) =>
  OTHERS.some((other) => other.names.includes(name) && other.files.includes(file));

const files = output(["git", "ls-files", "*.rs"]).split("\n").filter(Boolean);
const found = files
  .filter((file) => !file.startsWith("crates/wire/"))
  .flatMap((file) => named(file, readFileSync(join(root, file), "utf8")));

test("no operation is named by a string outside of crates/wire", () => {
  const wrong = found.filter((one) => !isOther(one));
  assert.deepEqual(
    wrong.map(({ name, file, line }) => `${file}:${line}: ${name}`),
    [],
  );
});

test("each exception is still needed", () => {
  const unused = OTHERS.flatMap((other) =>
    other.files
      .filter((file) => !found.some((one) => one.file === file && other.names.includes(one.name)))
      .map((file) => `${file}: ${other.what}`),
  );
  assert.deepEqual(unused, []);
});

test("a name in a string is found, but not a method or a longer word", () => {
  assert.ok(names.length > 50 && names.includes("kill_session"), names.join());
  const text =
    '// kill_session\nlet a = client.kill_session(me);\ncall("kill_session", me);\n"kill_session_now";';
  assert.deepEqual(named("a.rs", text), [{ name: "kill_session", file: "a.rs", line: 3 }]);
});
