// The real Codex and OpenCode as a person sees them: their permission requests are allowed and
// denied by buttons. Claude Code has its own file. A model on loopback scripts what they do.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { begin } from "./world/begin.js";
import { without } from "./world/world.js";

const skip = without("codex", "opencode");
/** A real agent starts in seconds; on a busy machine OpenCode takes almost a minute. */
const timeout = 180_000;

const run = {
  codex: (cmd) => [
    "exec_command",
    { cmd, sandbox_permissions: "require_escalated", justification: "Only a test" },
  ],
  opencode: (command) => ["bash", { command, description: "Make a file" }],
};
const model = Object.entries(run).flatMap(([agent, call]) => [
  { when: `${agent} one`, steps: [{ calls: [call("touch one.txt")] }, { say: "It is made." }] },
  { when: `${agent} two`, steps: [{ calls: [call("touch two.txt")] }, { say: "So it is not." }] },
]);

let world;
let page;
let project;

begin(
  async (started) => {
    world = started;
    page = world.page;
    project = await world.storefront();
  },
  { skip, model, agents: ["codex", "opencode"] },
);

/** Waits until an answer can be pressed and returns it. */
async function answer(within, name) {
  const enabled = page.locator("[aria-disabled=false]");
  const button = within.getByRole("button", { name }).and(enabled);
  await button.waitFor({ timeout });
  return button;
}

for (const [agent, title, yes, no] of [
  ["codex", "Codex", /^Yes, proceed/, /^No/],
  ["opencode", "OpenCode", "Allow once", "Reject"],
]) {
  test(`${title} asks for permission, which buttons allow and deny`, { skip }, async () => {
    const { id } = await world.session({
      projectId: project.id,
      agent,
      title: `${title} at work`,
      prompt: `${agent} one`,
    });
    const row = (status) => world.row(new RegExp(`^${title} at work, ${status}`));
    await row("Waiting for you").waitFor({ timeout });
    await row("Waiting for you").click();
    const question = page.getByRole("region", { name: "Open question" });
    await question.getByText("touch one.txt").first().waitFor();
    await (await answer(question, yes)).click();
    await question.waitFor({ state: "detached", timeout });
    await row("Idle").waitFor({ timeout });
    const { workspacePath } = await world.call("GET", `/api/sessions/${id}`);
    assert.ok(existsSync(join(workspacePath, "one.txt")));

    await page.getByRole("textbox", { name: `Message to ${title} at work` }).fill(`${agent} two`);
    await page.keyboard.press("Enter");
    await row("Waiting for you").waitFor({ timeout });
    await page.getByRole("button", { name: "Needs you 1" }).click();
    const list = page.getByRole("list", { name: "Sessions that need you" });
    await list.getByText("touch two.txt").first().waitFor();
    const refusal = await answer(list, no);
    await world.picture(`asks-${agent}`);
    await refusal.click();
    await row("Idle").waitFor({ timeout });
    assert.ok(!existsSync(join(workspacePath, "two.txt")));
  });
}
