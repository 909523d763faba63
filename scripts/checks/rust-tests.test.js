// What is read from the output of `cargo test`, so that only failed tests are run once more.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failures } from "../rust-tests.js";

const read = (text) => {
  const failures = new Failures();
  for (const line of text.split("\n")) failures.line(line);
  return failures.again();
};

test("the failed tests of the failed targets are run once more, by their exact names", () => {
  const output = `
test pulls::one ... ok
test pulls::two ... FAILED
test keeper::three - should panic ... FAILED

failures:

---- pulls::two stdout ----
thread 'pulls::two' panicked

failures:
    pulls::two
    keeper::three
    four

test result: FAILED. 1 passed; 3 failed; 0 ignored
    not_a_test
test result: FAILED. 0 passed; 1 failed; 0 ignored
error: 2 targets failed:
    \`-p downbeat-tests --test whole\`
    \`-p downbeat-engine --lib\``;
  assert.deepEqual(read(output), [
    ...["--test", "whole", "--lib", "--", "--exact"],
    ...["pulls::two", "keeper::three", "four"],
  ]);
});

test("a failed build and a crashed test program are not run once more", () => {
  assert.equal(read("error: could not compile `downbeat-engine`"), null);
  assert.equal(read("error: 1 target failed:\n    `-p downbeat-tests --test whole`"), null);
  const failed = "failures:\n    one\ntest result: FAILED. 1 failed";
  const targets = "error: 2 targets failed:\n    `-p a --test crashed`\n    `-p b --test other`";
  assert.equal(read(`${failed}\n${targets}`), null, "the crashed one would be taken for passed");
  const libraries = "error: 2 targets failed:\n    `-p a --lib`\n    `-p b --lib`";
  assert.equal(read(`${failed}\n${libraries}`), null, "so would that of another package");
  assert.deepEqual(read(`${failed}\n${failed}\n${libraries}`), ["--lib", "--", "--exact", "one"]);
});
