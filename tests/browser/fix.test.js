// Red to green in the window, over a real engine: what is red is looked at, workers that the person chose fix it, it lands,
// and the report says so.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

const FILES = ["src/cart.ts", "src/rates.ts", "src/total.ts"];
const RED = "export const sum = (items) => items.length; // no types\n";
const GREEN = "export const sum = (items: unknown[]) => items.length;\n";

/** Names each file without types, as a compiler would. */
const CHECKS = `checks:
  - name: tsc
    run:
      sh: 'if grep -q "no types" src/*.ts; then grep -Hn "no types" src/*.ts | sed -E "s/^([^:]*):([0-9]+):.*/\\1(\\2,1): error TS7006: Parameter items implicitly has an any type./"; exit 1; fi'
`;

/** Gives types to the files that its task names, once the gate is open, and commits that. */
const FIXER = `eval "task=\\\${$#}"
while [ -e "$HOME/gate" ]; do echo "Adding types"; sleep 0.2; done
for file in ${FILES.join(" ")}; do
  case "$task" in *" at $file:"*) cat "$HOME/green.ts" > $file;; esac
done
git add -A
git commit -qm "Add types"
`;

let world;
let page;
let project;

begin(async (started) => {
  world = started;
  page = world.page;
  mkdirSync(join(world.data, "agents"), { recursive: true });
  writeFileSync(world.at("fixer.sh"), FIXER);
  const manifest = { name: "Fixer", command: ["sh", world.at("fixer.sh")], prompt: "argument" };
  writeFileSync(join(world.data, "agents", "fixer.yaml"), JSON.stringify(manifest));
  writeFileSync(join(world.home, "green.ts"), GREEN);
  writeFileSync(join(world.home, "gate"), "");
  project = await world.storefront();
  for (const file of FILES) writeFileSync(join(project.path, file), RED);
  writeFileSync(join(project.path, "downbeat.yaml"), CHECKS);
  git("add", "-A");
  git("commit", "-qm", "Checks");
  const { checks } = (await world.call("GET", "/api/projects"))[0];
  await world.call("PATCH", `/api/projects/${project.id}`, { approveChecks: checks.hash });
  await page.reload();
});

function git(...args) {
  return execFileSync("git", args, { cwd: project.path, env: world.env }).toString();
}

const report = () => page.getByRole("region", { name: "What was red on main" });
const says = async () => await report().getByRole("status").innerText();

test("the palette leads to the runs of a project, and what is red is shown before anybody fixes it", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("red to green");
  await page.getByRole("option", { name: /Show red to green/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Red to green" }).waitFor();
  await page.getByRole("heading", { name: "Nothing was fixed here yet" }).waitFor();
  await page.getByRole("button", { name: "Only look" }).click();
  await report().waitFor();
  await until("what is red", async () => (await says()).includes("3 groups are red on main"));
  for (const file of FILES) await report().getByText(file, { exact: true }).waitFor();
  assert.deepEqual(await world.call("GET", "/api/sessions"), []);
});

test("the chosen agent fixes it, as many workers at a time as were chosen, and all of it lands", async () => {
  await page.getByRole("button", { name: "Fix what is red…" }).click();
  const dialog = page.getByRole("dialog", { name: "Fix what is red in storefront" });
  await dialog.getByLabel("Agent").click();
  await page.getByRole("option", { name: "Fixer" }).click();
  await dialog.getByLabel("Workers at once").fill("2");
  await dialog.getByLabel("Time limit").fill("30");
  await dialog.getByRole("button", { name: "Start" }).click();
  await dialog.waitFor({ state: "detached" });
  const workers = async () => (await world.call("GET", "/api/sessions")).map(({ agent }) => agent);
  const states = async () =>
    (await world.call("GET", "/api/sessions")).map(({ status }) => status).join();
  await until("two workers", async () => (await states()) === "running,running");
  await report().getByText("Being fixed by").nth(1).waitFor();
  await world.everyLook("fix");
  // The third waits for a place.
  assert.deepEqual(await workers(), ["fixer", "fixer"]);
  rmSync(join(world.home, "gate"));
  const green = "All checks are green on main: 3 groups fixed.";
  await until("green checks", async () => (await says()) === green, { milliseconds: 60_000 });
  for (const file of FILES) assert.equal(readFileSync(join(project.path, file), "utf8"), GREEN);
  assert.equal(git("log", "--format=%s", "main").match(/^Add types$/gm)?.length, 3);
  await world.picture("fix-green");
});

test("the next run proposes what was chosen, and one that finds nothing red says so", async () => {
  await page.reload();
  await page.getByRole("button", { name: "Fix what is red…" }).click();
  const dialog = page.getByRole("dialog", { name: "Fix what is red in storefront" });
  assert.equal(await dialog.getByLabel("Workers at once").inputValue(), "2");
  assert.equal(await dialog.getByLabel("Time limit").inputValue(), "30");
  await dialog.getByRole("button", { name: "Start" }).click();
  await until("nothing to fix", async () => (await says()).includes("nothing to fix"), {
    milliseconds: 30_000,
  });
  await page.getByRole("region", { name: "Earlier runs" }).getByText("3 groups fixed").waitFor();
});
