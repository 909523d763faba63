// An engine without a window on a desktop: it notifies and prevents idle sleep as the window does, and `downbeat doctor` says
// what is missing where it cannot.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start, until } from "./world/processes.js";
import { makeRepository } from "./world/repository.js";
import { command, World } from "./world/world.js";

let world;
let engine;

/** Runs the `downbeat` command; returns what it prints. */
function downbeat(args, env = {}) {
  const { stdout, stderr } = spawnSync(command, args, {
    env: { ...world.env, ...env },
    encoding: "utf8",
  });
  return stdout + stderr;
}

before(async () => {
  world = await World.start();
  engine = start(command, ["serve", "--port", "0"], { env: world.env });
  await until("the engine", () => existsSync(join(world.data, "engine.json")));
  const path = makeRepository(join(world.home, "storefront"), world.env);
  downbeat(["project", "add", path, "--trust"]);
});
after(async () => {
  downbeat(["stop", "--all"]);
  await engine?.end();
  await world?.end();
});

test("a working agent inhibits idle sleep, and its question raises a notification", async () => {
  const project = ["--agent", "claude", "--project", "storefront"];
  const made = downbeat(["new", "Migration", ...project, "--prompt", "ask May I?"]);
  const told = await world.desk.event("notification", ({ summary }) =>
    summary.includes("needs you"),
  );
  assert.equal(told.app, "Downbeat", made);
  assert.ok(told.summary.includes("Migration"), told.summary);
  const held = await world.desk.event("inhibit", ({ what }) => what === "idle");
  assert.equal(held.who, "Downbeat");
  await world.desk.event("released", ({ what }) => what === "idle");
});

test("doctor says that both work, or what is missing", () => {
  const all = downbeat(["doctor"]);
  assert.match(all, /notifications +this session bus shows them/);
  assert.match(all, /staying awake/);
  assert.doesNotMatch(all, /idle sleep cannot be prevented/);
  const gone = "unix:path=/nonexistent/bus";
  const none = downbeat(["doctor"], {
    DBUS_SESSION_BUS_ADDRESS: gone,
    DBUS_SYSTEM_BUS_ADDRESS: gone,
  });
  assert.match(none, /idle sleep cannot be prevented/);
  assert.match(none, /run systemd-logind/);
  assert.doesNotMatch(none, /this session bus shows them/);
});
