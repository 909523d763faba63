// Checks which file may import which within a crate: there are no circles, and in a crate whose root lists
// its modules (in lines such as "//! * `host`: this machine"), a module imports only from those listed before
// it. Folders may list theirs, too.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { output, root } from "../run.js";
import { circles, imports } from "./imports.js";
import { ours } from "./metadata.js";

/** Crates whose modules follow the order of the list in their `lib.rs` or `main.rs`. */
const ORDERED = [
  "agents",
  "cli",
  "desktop",
  "engine",
  "git",
  "keeper",
  "notifiers",
  "plans",
  "server",
  "store",
];

const FOLDERS = { desktop: "src-tauri", bench: "bench", tests: "tests" };

const sourceOf = (crate) => join(root, FOLDERS[crate] ?? join("crates", crate), "src");

const crates = [...ours().keys()].map((name) => name.replace(/^downbeat-/, ""));

/** Returns the violations in the files of one crate, in words. */
function wrong(files) {
  const shown = (name) => files.get(name).file;
  const graph = new Map([...files].map(([name, { uses }]) => [name, uses]));
  const found = circles(graph).map((group) => `a circle: ${group.map(shown).join(", ")}`);
  for (const [folder, { order, file }] of files) {
    if (order.length === 0) continue;
    const within = (name) => folder === "" || name.startsWith(`${folder}/`);
    const roomOf = (name) => name.slice(folder === "" ? 0 : folder.length + 1).split("/")[0];
    for (const [name, { uses }] of files) {
      if (name === folder || !within(name)) continue;
      const own = order.indexOf(roomOf(name));
      if (own < 0) found.push(`${shown(name)} is in no module that ${file} lists`);
      for (const other of uses) {
        if (other === "") found.push(`${shown(name)} imports ${file}, which only passes on`);
        else if (other !== folder && within(other) && order.indexOf(roomOf(other)) > own)
          found.push(`${shown(name)} imports ${shown(other)}, which stands after it`);
      }
    }
  }
  return found;
}

for (const crate of crates) {
  test(`no file of ${crate} imports in a circle or from a module listed after its own`, () => {
    const files = imports(sourceOf(crate));
    assert.deepEqual(wrong(files), []);
    if (ORDERED.includes(crate))
      assert.ok(files.get("").order.length > 8, "lib.rs lists its modules");
  });
}

test("a circle, an import of a later module and an unlisted file are reported", () => {
  const source = mkdtempSync(join(tmpdir(), "rooms-"));
  const write = (file, text) => {
    mkdirSync(dirname(join(source, file)), { recursive: true });
    writeFileSync(join(source, file), text);
  };
  write(
    "lib.rs",
    "//! * `low`: x\n//! * `high`: y\nmod high;\nmod low;\npub use high::a::A;\n#[cfg(test)]\nmod held;\n",
  );
  write("lost.rs", "");
  write("held.rs", "use crate::high::a;");
  write(
    "low.rs",
    '// crate::high\nconst S: &str = "crate::high::c";\nuse crate::{A, high::{b as c}};',
  );
  write("high/mod.rs", 'mod a;\nmod b;\n#[cfg_attr(unix, path = "c_unix.rs")]\nmod c;\nmod d;');
  write("high/a.rs", "use super::b::B;\n#[cfg(test)]\nmod tests { use crate::low; }");
  write("high/b.rs", "fn f() { super::a::g() }");
  write("high/c_unix.rs", "use super::d::D;");
  write("high/d.rs", "use super::c::C;");
  try {
    assert.deepEqual(wrong(imports(source)).sort(), [
      "a circle: high/a.rs, high/b.rs",
      "a circle: high/c_unix.rs, high/d.rs",
      "lost.rs is in no module that lib.rs lists",
      "low.rs imports high/a.rs, which stands after it",
      "low.rs imports high/b.rs, which stands after it",
    ]);
  } finally {
    rmSync(source, { recursive: true });
  }
});

test("only these files name a kind of adapter", () => {
  // `docs/ARCHITECTURE.md` says that a new adapter touches no other files.
  const naming = output([
    "git",
    "grep",
    "-lw",
    "AdapterKind",
    "--",
    "crates/*.rs",
    "src-tauri/*.rs",
  ]);
  const inside = "crates/agents/src";
  assert.deepEqual(naming.split("\n").filter(Boolean), [
    `${inside}/adapters/mod.rs`,
    `${inside}/agent/trust.rs`,
    `${inside}/lib.rs`,
    `${inside}/manifest/form.rs`,
    `${inside}/manifest/mod.rs`,
  ]);
});
