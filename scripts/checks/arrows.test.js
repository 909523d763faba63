// Checks which crate may depend on which, as the architecture says. A new crate must be listed
// here.
import assert from "node:assert/strict";
import { test } from "node:test";
import { closure, ours } from "./metadata.js";

const DOMAIN = ["keeper", "git", "agents", "store", "forge", "notifiers"];

/** The workspace crates that each crate may use. */
const allowed = {
  files: [],
  failures: [],
  forge: [],
  model: [],
  yaml: [],
  plans: ["model"],
  keychain: [],
  wire: ["model", "plans"],
  keeper: ["files", "model"],
  git: ["files", "model"],
  agents: ["model", "yaml"],
  store: ["model", "plans"],
  engine: ["failures", "files", "keychain", "model", "plans", "wire", "yaml", ...DOMAIN],
  server: ["model", "wire"],
  notices: ["model", "wire"],
  notifiers: ["model"],
  cli: ["files", "model", "plans", "wire", "keeper", "keychain", "engine", "server", "notices"],
  desktop: ["model", "wire", "engine", "server", "notices"],
  tests: ["model", "wire", ...DOMAIN, "engine", "server"],
  bench: ["model", "plans", "keeper", "store", "tests"],
};

const short = (name) => name.replace(/^downbeat-/, "");

test("every crate uses only what its arrows allow, tests included", () => {
  const wrong = [];
  for (const [crate, uses] of ours()) {
    const may = allowed[short(crate)];
    assert.ok(may, `${crate} is new: say in scripts/checks/arrows.test.js what it may use`);
    for (const used of uses) {
      // A crate may list itself among its dev-dependencies to switch features on.
      if (used !== crate && !may.includes(short(used))) wrong.push(`${crate} → ${used}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** The crate for Windows' own notifications, which any crate may use: it is not part of Tauri. */
const TOASTS = "tauri-winrt-notification";

test("only the desktop shell knows Tauri", () => {
  const withTauri = [...ours().keys()].filter((crate) =>
    [...closure(crate)].some(
      (name) => name !== TOASTS && /^(tauri|wry|tao|webkit2gtk|gtk)(-|$)/.test(name),
    ),
  );
  assert.deepEqual(withTauri, ["downbeat-desktop"]);
});

test("model does no I/O and knows no runtime", () => {
  const banned = ["tokio", "async-std", "reqwest", "sqlx", "rusqlite", "axum", "git2"];
  const used = closure("downbeat-model");
  assert.deepEqual(
    banned.filter((name) => used.has(name)),
    [],
  );
});

test("nothing uses the desktop shell", () => {
  const users = [...ours()]
    .filter(([, uses]) => uses.has("downbeat-desktop"))
    .map(([name]) => name);
  assert.deepEqual(users, []);
});
