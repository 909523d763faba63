// @vitest-environment node
// What a plan is told and what it tells, in a real browser: its limits and priority, what to read before it runs, who has to run
// it, notices about it, and a worker that starts anew.
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open } = withApp((fresh) => (page = fresh));

  const dialog = (name: string) => page.getByRole("dialog", { name });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  const share = (name: string) => page.locator(`[data-share="${name}"]`);
  const facts = () => page.getByRole("list", { name: "How it is carried out" });
  const asked = (kind: string) => `dialog=${encodeURIComponent(JSON.stringify({ kind }))}`;
  const answer = (start: string) => dialog("Notices").getByRole("button", { name: start });

  test("a notice about a plan opens it, and earlier ones keep their titles", async () => {
    await open("notices=plans");
    await answer("Plan complete: Faster cold start").waitFor();
    await dialog("Notices").getByText("1 earlier").click();
    await dialog("Notices")
      .getByText(/^Plan to look at: Sign-in with passkeys · Checkout rewrite made a plan/)
      .waitFor();
    await answer("Plan needs you: Sign-in with passkeys").click();
    await heading("Sign-in with passkeys").waitFor();
    await dialog("Notices").waitFor({ state: "detached" });
  });

  test("a plan that a session made needs the person, and says how it is carried out", async () => {
    await open("plans=handed-in&view=plan:pl1");
    // This one, and one that a limit paused.
    await page.getByRole("button", { name: /^Plans\s*2$/ }).waitFor();
    await page.getByText("Needs you", { exact: true }).nth(1).waitFor();
    const said = await facts().getByRole("listitem").allInnerTexts();
    expect(said.map((text) => text.trim())).toEqual([
      "Codex",
      "one worker for each task",
      "at most 4 at once",
      "limit $5.00, 2.0M tokens, 90 min",
      "from .opencode/plans/payment-system-plan.md",
      "results in /home/ada/code/storefront/.opencode/results",
      "made by Checkout rewrite",
    ]);
    await facts().getByRole("button", { name: "Checkout rewrite" }).click();
    await heading("Checkout rewrite").waitFor();
    await page.getByRole("button", { name: /^Plans/ }).click();
    await page.locator("[data-plan=pl1]").getByText("Needs you").click();
    await page.getByRole("button", { name: "Run plan" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: /^Plans\s*1$/ }).waitFor();
  });

  test("what to read before a plan runs stands in its preview; many notes are folded", async () => {
    await open(`${asked("newPlan")}&tasks=[a] A,[b] B,[c] C,[d] D`);
    const preview = page.getByRole("region", { name: "What will run" });
    await preview.getByText("Task 2 was read as a title, with its mark: [b] B.").waitFor();
    const last = preview.getByText("Task 4 was read as a title");
    expect(await last.isVisible()).toBe(false);
    await preview.getByText("and 2 more notes").click();
    await last.waitFor();
  });

  test("a budget of tokens and a priority are chosen for a new plan", async () => {
    await open(`${asked("newPlan")}&tasks=A, B`);
    const made = dialog("New plan");
    await made.getByRole("spinbutton", { name: "Token budget" }).fill("0.5");
    await made.getByRole("alert").getByText("A token budget is a whole number").waitFor();
    await made.getByRole("spinbutton", { name: "Token budget" }).fill("2000000");
    await made.getByRole("combobox", { name: "Priority: Normal" }).click();
    await page.getByRole("option", { name: "High" }).click();
    await made.getByRole("button", { name: "Keep for later" }).click();
    await page.getByText("High priority").waitFor();
    await facts().getByText("limit 2.0M tokens").waitFor();
  });

  test("a prompt that is a list says why a plan of it is not worthwhile", async () => {
    await open(asked("newSession"));
    const session = dialog("New session");
    await session
      .getByRole("textbox", { name: "Task" })
      .fill("- Write tests\n- Run tests\n- Mend tests");
    await session
      .getByText("not worthwhile here. 3 tasks can run at once, in 1 domain: work of one domain")
      .waitFor();
    expect(await session.getByRole("button", { name: "Make a plan…" }).count()).toBe(0);
  });

  test("a worker that is at work starts anew with another agent, after a question", async () => {
    await open("view=plan:pl1");
    await share("backend").getByRole("button", { name: "Actions for backend" }).click();
    expect(await page.getByRole("menuitem", { name: "Retry" }).count()).toBe(0);
    await page.getByRole("menuitem", { name: "Start anew…" }).click();
    const question = dialog("Start backend anew?");
    await question.getByText("Its worker is stopped.").waitFor();
    await page.keyboard.press("Enter");
    await question.waitFor({ state: "detached" });
    expect(await share("backend").getAttribute("data-state")).toBe("running");
    await share("backend").getByRole("button", { name: "Actions for backend" }).click();
    await page.getByRole("menuitem", { name: "Start anew…" }).click();
    await question.getByRole("combobox", { name: "Agent of the new worker: As before" }).click();
    await page.getByRole("option", { name: "Codex" }).click();
    await question.getByRole("button", { name: "Start anew" }).click();
    // The engine refuses that for a worker at work, unless it is to be stopped.
    await expect.poll(() => share("backend").getAttribute("data-state")).toBe("waiting");
    await share("backend")
      .getByRole("button", { name: /^Endpoints to register/ })
      .click();
    const details = page.getByRole("complementary", { name: /^About “Endpoints/ });
    await details.getByText("Codex").waitFor();
    await share("backend-2").getByRole("button", { name: "Actions for backend-2" }).click();
    await page.getByRole("menuitem", { name: "Retry with another agent…" }).click();
    expect(await dialog("Start backend-2 anew?").getByText("Its worker is stopped.").count()).toBe(
      0,
    );
    await page.keyboard.press("Enter");
    await expect.poll(() => share("backend-2").getAttribute("data-state")).toBe("waiting");
  });
});
