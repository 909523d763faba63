// Which test programs cargo names, how many of them run at a time, and what of them failed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsAgain, failedOf, programsOf, several } from "../rust-tests.js";

const built = (folder, target, more = {}) =>
  JSON.stringify({
    reason: "compiler-artifact",
    manifest_path: `/home/${folder}/Cargo.toml`,
    target: { name: target },
    profile: { test: true },
    executable: `/home/target/${target}-1`,
    ...more,
  });

test("the programs with tests are run, those that take longest first", () => {
  const messages = [
    built("crates/model", "downbeat_model"),
    built("crates/git", "git"),
    built("crates/model", "library", { executable: null }),
    built("crates/cli", "downbeat", { profile: { test: false } }),
    JSON.stringify({ reason: "build-script-executed" }),
    "not a message",
    built("tests", "whole"),
    built("crates/cli", "cli"),
  ].join("\n");
  const programs = programsOf(messages);
  assert.deepEqual(
    programs.map(({ name }) => name),
    ["tests/whole", "git/git", "model/downbeat_model", "cli/cli"],
  );
  assert.deepEqual(programs[1], {
    name: "git/git",
    executable: "/home/target/git-1",
    folder: "/home/crates/git",
  });
});

/** Runs programs of these names, two at a time. Returns the names in the order in which they began, and which ran together. */
async function ran(names) {
  const [begun, together, running] = [[], [], new Set()];
  const start = async ({ name }) => {
    begun.push(name);
    together.push([...running.add(name)]);
    await new Promise((done) => setImmediate(done));
    running.delete(name);
    return name;
  };
  const programs = names.map((name) => ({ name }));
  assert.equal((await several(programs, 2, start)).length, names.length);
  return { begun, together };
}

test("no more programs run at a time than said, and the next one begins when one ends", async () => {
  const { begun, together } = await ran(["a", "b", "c", "d", "e"]);
  assert.deepEqual(begun, ["a", "b", "c", "d", "e"]);
  assert.deepEqual(Math.max(...together.map(({ length }) => length)), 2);
});

test("programs with real agents run one at a time, beside others", async () => {
  const agents = ["tests/agents", "tests/conductor", "tests/claude_adapter"];
  for (const names of [["tests/whole", ...agents, "git/git"], agents]) {
    const { begun, together } = await ran(names);
    assert.deepEqual(begun.toSorted(), names.toSorted());
    for (const some of together) {
      assert.ok(some.filter((name) => agents.includes(name)).length <= 1, some.join(" "));
    }
  }
});

test("failed tests are named with their program, and so is a program that crashed", () => {
  const of = (end) => failedOf({ name: "tests/whole", signal: null, tests: [], ...end });
  assert.deepEqual(of({ code: 0 }), []);
  assert.deepEqual(of({ code: 101, tests: ["a::b", "c"] }), [
    "tests/whole: a::b",
    "tests/whole: c",
  ]);
  assert.deepEqual(of({ code: null, signal: "SIGSEGV" }), ["tests/whole ended with SIGSEGV"]);
  assert.deepEqual(of({ code: 2 }), ["tests/whole ended with exit code 2"]);
});

test("the failed tests of each program are run once more, by their exact names, unless one crashed", () => {
  const passed = { name: "wire/wire", code: 0, tests: [] };
  const failed = { name: "tests/whole", code: 101, tests: ["a::b", "c"] };
  const crashed = { name: "git/git", code: null, tests: [] };
  assert.deepEqual(argumentsAgain([passed, failed]), [
    { name: "tests/whole", args: ["--exact", "a::b", "c"] },
  ]);
  assert.equal(
    argumentsAgain([failed, crashed]),
    null,
    "the crashed one would be taken for passed",
  );
});
