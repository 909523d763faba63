// Checks that decisions are pure: no file of the engine's `decide` folder, of `model`, of the schedule of forges or of
// what reactors look at asks for the time, a file, a socket, the environment or the engine, and nothing there is async.
// Such files get what they need as arguments.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../run.js";
import { code } from "./imports.js";

/** What a pure file must not name, and why. */
const IMPURE = [
  [/\basync\b|\bawait\b|\btokio\b/, "is async"],
  [/\b(Timestamp|Zoned|Instant|SystemTime) :: now\b|\belapsed \(/, "reads the clock"],
  [/\bstd :: (fs|env|net|process|thread)\b|\bfs :: \w+ \(/, "reaches the machine"],
  [
    /\bcrate :: (host :: failpoint|host :: ports|state :: context)\b|& (mut )?Engine\b|Arc < Engine\b/,
    "takes the engine",
  ],
];

/** Returns the impurities in a Rust text, in words. Tests are exempt. */
function impure(text) {
  // `Engine` is also a variant of `EvidenceSource`.
  const words = code(text).replaceAll(/\b(EvidenceSource|Self|Source) :: Engine\b/g, "");
  return IMPURE.filter(([pattern]) => pattern.test(words)).map(([, why]) => why);
}

const PURE = [
  "crates/engine/src/decide",
  "crates/engine/src/session",
  "crates/forge/src/schedule",
  "crates/model/src",
];

for (const folder of PURE) {
  test(`${folder} is pure`, () => {
    const files = readdirSync(join(root, folder), { recursive: true });
    const rust = files.filter((file) => file.endsWith(".rs"));
    assert.ok(rust.length > 5, "it is where it was");
    const wrong = rust.flatMap((file) =>
      impure(readFileSync(join(root, folder, file), "utf8")).map((why) => `${file} ${why}`),
    );
    assert.deepEqual(wrong, []);
  });
}

test("impure code is reported, except in tests and comments", () => {
  const cases = [
    ["pub async fn f() {}", "is async"],
    ["fn f() -> Timestamp { Timestamp::now() }", "reads the clock"],
    ["use std::time::Instant;\nfn f() { Instant::now(); }", "reads the clock"],
    ["use std::fs::read;", "reaches the machine"],
    ['fn f() { std::env::var("X"); }', "reaches the machine"],
    ["fn f(engine: &Engine) {}", "takes the engine"],
    ["use crate::host::failpoint::point;", "takes the engine"],
  ];
  for (const [text, why] of cases) assert.deepEqual(impure(text), [why], text);
  const pure =
    '// async fn Engine\nfn f(now: Timestamp) { s("Engine") }\n' +
    "const E: S = EvidenceSource::Engine;\n#[cfg(test)]\nmod tests { fn f() { Timestamp::now(); } }";
  assert.deepEqual(impure(pure), []);
});
