// @vitest-environment node
/// <reference types="node" />
// Plans in a real browser: from tasks to a plan that runs, its forms, its details by keys alone, and what each change redraws.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { chromiumPath } from "./chromium";
import { LONG, withApp } from "./app";

describe.skipIf(chromiumPath === undefined)("in Chromium", { timeout: LONG }, () => {
  let page: Page;
  const { open, stopClock } = withApp((fresh) => (page = fresh));

  const dialog = (name: string | RegExp) => page.getByRole("dialog", { name });
  const heading = (name: string) => page.getByRole("heading", { level: 1, name });
  const share = (name: string) => page.locator(`[data-share="${name}"]`);
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-task"));
  const tasks = () => dialog("New plan").getByRole("textbox", { name: "Tasks" });
  const preview = () => page.getByRole("region", { name: "What will run" });
  const newPlan = async () => {
    await page.getByRole("button", { name: "New plan" }).click();
    await tasks().waitFor();
  };

  test("tasks are shown as a plan before anything runs, then run", async () => {
    await open("view=plans");
    await newPlan();
    await tasks().fill("Create API (id: api), Build UI (depends_on: api), Write tests");
    await preview().getByText("3 workers for 3 tasks").waitFor();
    expect(await preview().locator(".waves > li").count()).toBe(2);
    expect(await page.locator("[data-plan]").count()).toBe(5);
    await page.keyboard.press("Control+Enter");
    await heading("Create API, Build UI, Write tests").waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await page.getByRole("button", { name: /^Plans/ }).click();
    await expect.poll(() => page.locator("[data-plan]").count()).toBe(6);
  });

  test("a template is chosen, and counts for tasks and for a goal", async () => {
    await open("view=plans");
    await newPlan();
    await tasks().fill("Create API");
    await dialog("New plan").getByRole("combobox", { name: "Template: No template" }).click();
    const option = page.getByRole("option", { name: /^review/ });
    await option.getByText("each task, then a worker that reviews and mends it").waitFor();
    await option.click();
    await preview().getByText("2 workers for 2 tasks").waitFor();
    await preview().getByText("Review: Create API").waitFor();
    await dialog("New plan").getByText("One for each task").waitFor();
    await dialog("New plan").getByText("Goal", { exact: true }).click();
    await dialog("New plan").getByRole("combobox", { name: "Template: review" }).waitFor();
    await dialog("New plan").getByLabel("Workers may have workers").check();
    await dialog("New plan").getByRole("textbox", { name: "Goal" }).fill("Sell shoes");
    await page.keyboard.press("Control+Enter");
    await dialog("New plan").waitFor({ state: "detached" });
  });

  test("what cannot be done is said at its field, and what was typed is kept", async () => {
    await open("view=plans");
    await newPlan();
    await tasks().fill("A (id: a) (depends_on: b), B (id: b) (depends_on: a)");
    const alert = dialog("New plan").getByRole("alert");
    await alert.getByText("These tasks wait for each other: a → b → a").waitFor();
    expect(await tasks().getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("button", { name: /^Run plan/ }).isDisabled()).toBe(true);
    await tasks().fill("A, B");
    await alert.waitFor({ state: "detached" });
    await page.getByRole("spinbutton", { name: "Workers at once" }).fill("99");
    await alert.getByText("1 to 50 are possible").waitFor();
    await page.keyboard.press("Escape");
    await dialog("New plan").waitFor({ state: "detached" });
    await newPlan();
    expect(await tasks().inputValue()).toBe("A, B");
    await page.getByRole("spinbutton", { name: "Workers at once" }).fill("");
    await page.getByRole("button", { name: "Keep for later" }).click();
    await page.getByRole("button", { name: "Run plan" }).waitFor();
    await page.getByRole("button", { name: /^Plans/ }).click();
    await newPlan();
    expect(await tasks().inputValue()).toBe("");
  });

  test("a limit that is none is not left out: it stands there with what is wrong", async () => {
    await open("view=plans");
    await newPlan();
    await tasks().fill("A, B");
    await preview()
      .getByText(/for 2 tasks/)
      .waitFor();
    const limit = page.getByRole("spinbutton", { name: "Time limit" });
    await limit.fill("1.5");
    await dialog("New plan").getByRole("alert").getByText("a whole number of minutes").waitFor();
    expect(await limit.inputValue()).toBe("1.5");
    expect(await limit.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByRole("button", { name: /^Run plan/ }).isDisabled()).toBe(true);
    await preview().getByText("once that is fixed").waitFor();
    await page.keyboard.press("Control+Enter");
    expect(await dialog("New plan").count()).toBe(1);
    await limit.fill("15");
    await preview()
      .getByText(/for 2 tasks/)
      .waitFor();
  });

  test("a file is dropped anywhere on the form", async () => {
    await open("view=plans");
    await newPlan();
    await preview().evaluate((at) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["- [ ] Do it"], "dropped.md"));
      const how = { bubbles: true, cancelable: true, dataTransfer };
      at.dispatchEvent(new DragEvent("dragover", how));
      at.dispatchEvent(new DragEvent("drop", how));
    });
    await dialog("New plan").getByText("From dropped.md").waitFor();
    expect(await tasks().inputValue()).toBe("- [ ] Do it");
  });

  test("a task of a worker with several tasks keeps its agent", async () => {
    await open("view=plans");
    await newPlan();
    await tasks().fill("Write tests, Write more tests");
    await preview().getByText("1 worker for 2 tasks").waitFor();
    await page.getByRole("button", { name: "Keep for later" }).click();
    await page.getByRole("button", { name: "Write more tests" }).click();
    await page.getByRole("button", { name: "Edit…" }).click();
    await dialog("Edit task").getByRole("textbox", { name: "Task" }).fill("Write all tests");
    expect(await dialog("Edit task").getByText("Agent", { exact: true }).count()).toBe(0);
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Write all tests" }).waitFor();
  });

  test("a file is read here, and one that is no text is refused", async () => {
    const folder = mkdtempSync(join(tmpdir(), "plan-"));
    try {
      writeFileSync(join(folder, "plan.md"), "# Plan\n\n- [x] Read it\n- [ ] Do it\n");
      writeFileSync(join(folder, "plan.bin"), Buffer.from([0xff, 0xfe, 0, 1]));
      await open("view=plans");
      await newPlan();
      const chooser = page.locator("input[type=file]");
      await chooser.setInputFiles(join(folder, "plan.md"));
      await dialog("New plan").getByText("From plan.md").waitFor();
      await preview().getByText("1 worker for 1 task").waitFor();
      await preview().getByText("1 task is done already").waitFor();
      await chooser.setInputFiles(join(folder, "plan.bin"));
      await page.getByRole("alert").getByText("This file is not text").waitFor();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the keyboard goes from task to task, to the details, and back", async () => {
    await open("view=plan:pl1");
    const first = share("database").getByRole("button", { name: "Tables for credentials" });
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("api");
    await page.keyboard.press("Enter");
    const details = page.getByRole("complementary", { name: /^About “Endpoints/ });
    await details.getByText("Bash: npm run migrate:dev").waitFor();
    await details.getByRole("region", { name: "Needed by" }).getByText("Sign-in form").waitFor();
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    expect(await focused()).toBe("api");
    await page.keyboard.press("Enter");
    await details.getByRole("button", { name: /^Sign-in form/ }).click();
    const next = page.getByRole("complementary", { name: /^About “Sign-in form/ });
    await next.waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Sign-in form");
    await next.getByRole("button", { name: "Close" }).click();
    expect(await focused()).toBe("form");
  });

  test("a row of the timeline is pressed while its task is shown, and has the focus after it", async () => {
    await open("view=plan:pl1&form=timeline");
    const row = page.locator("[data-task=api]");
    await row.click();
    expect(await row.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
    expect(await row.getAttribute("aria-pressed")).toBe("false");
    expect(await focused()).toBe("api");
  });

  test("arrow keys follow the lines of the graph", async () => {
    await open("view=plan:pl1&form=graph");
    await page.locator("[data-task=schema]").focus();
    await page.keyboard.press("ArrowRight");
    const next = await focused();
    expect(["api", "mail"]).toContain(next);
    await page.keyboard.press("ArrowLeft");
    expect(await focused()).toBe("schema");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "About “Tables for credentials”" }).waitFor();
    expect(await page.locator("[data-task=schema]").getAttribute("aria-pressed")).toBe("true");
  });

  test("a failed worker is retried, another one skipped after a question, and the plan paused", async () => {
    await open("view=plan:pl1");
    await share("backend-2").getByRole("button", { name: "Retry" }).click();
    await expect.poll(() => share("backend-2").getAttribute("data-state")).toBe("waiting");
    await expect.poll(() => share("security-2").getAttribute("data-state")).toBe("waiting");
    await share("frontend").getByRole("button", { name: "Actions for frontend" }).click();
    await page.getByRole("menuitem", { name: "Skip…" }).click();
    await dialog("Continue without frontend?").getByText("Sign-in form").waitFor();
    await page.keyboard.press("Enter");
    await dialog(/^Continue without/).waitFor({ state: "detached" });
    expect(await share("frontend").getAttribute("data-state")).toBe("waiting");
    await share("frontend").getByRole("button", { name: "Actions for frontend" }).click();
    await page.getByRole("menuitem", { name: "Skip…" }).click();
    await dialog(/^Continue without/)
      .getByRole("button", { name: "Skip" })
      .click();
    await expect.poll(() => share("frontend").getAttribute("data-state")).toBe("skipped");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
  });

  test("a failed worker's tasks are counted as done, with the branch of the person's work", async () => {
    await open("view=plan:pl1");
    await share("backend-2").getByRole("button", { name: "Actions for backend-2" }).click();
    await page.getByRole("menuitem", { name: "Count as done…" }).click();
    const asked = dialog("Count the tasks of backend-2 as done?");
    await asked.getByRole("textbox", { name: "Branch with the work" }).fill("by-hand");
    await page.keyboard.press("Control+Enter");
    await asked.waitFor({ state: "detached" });
    await expect.poll(() => share("backend-2").getAttribute("data-state")).toBe("done");
  });

  test("a task that nobody has begun is edited, and a spent plan asks for more", async () => {
    await open("view=plan:pl1&task=form");
    const details = page.getByRole("complementary", { name: /^About/ });
    await details.getByRole("button", { name: "Edit…" }).click();
    await dialog("Edit task").getByRole("textbox", { name: "Task" }).fill("Form with autofill");
    await page.keyboard.press("Control+Enter");
    await share("frontend").getByRole("button", { name: "Form with autofill" }).waitFor();
    // It is worked on in another project; what was not typed stays.
    await details.getByRole("button", { name: "Edit…" }).click();
    const described = dialog("Edit task").getByRole("textbox", { name: "Description" });
    const before = await described.inputValue();
    await dialog("Edit task")
      .getByRole("combobox", { name: "Project: storefront, the plan's own" })
      .click();
    await page.getByRole("option", { name: "infra" }).click();
    await page.keyboard.press("Control+Enter");
    await dialog("Edit task").waitFor({ state: "detached" });
    await details.getByRole("button", { name: "Edit…" }).click();
    await dialog("Edit task").getByRole("combobox", { name: "Project: infra" }).waitFor();
    expect(await described.inputValue()).toBe(before);
    // It needs something else, and is done when that is seen.
    const box = (name: string) => dialog("Edit task").getByRole("textbox", { name });
    expect(await box("Needs").inputValue()).toBe("api");
    await box("Needs").fill("api, nothing");
    await box("Done when").fill("The form fills itself\n\nThe tests pass");
    await box("Skills").fill("forms, a11y");
    await page.keyboard.press("Control+Enter");
    await dialog("Edit task").getByText("needs nothing, which is not in the plan").waitFor();
    await box("Needs").fill("schema");
    await page.keyboard.press("Control+Enter");
    await dialog("Edit task").waitFor({ state: "detached" });
    await details.getByText("The tests pass", { exact: true }).waitFor();
    await details.getByText("forms, a11y").waitFor();
    await details
      .getByRole("region", { name: "Needs" })
      .getByText("Tables for credentials")
      .waitFor();
    await open("view=plan:pl4");
    await page.getByRole("button", { name: "Resume" }).click();
    const budget = dialog("Resume the plan").getByRole("spinbutton", { name: "Budget" });
    expect(await budget.inputValue()).toBe("5");
    await budget.fill("10");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Pause" }).waitFor();
  });

  test("tasks are added to a plan that runs, and an unknown need is named", async () => {
    await open("view=plan:pl1");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Add tasks…" }).click();
    const field = dialog("Add tasks").getByRole("textbox", { name: "Tasks" });
    await field.fill("Write docs (id: docs) (depends_on: nothing)");
    await page.keyboard.press("Control+Enter");
    await dialog("Add tasks").getByText("needs nothing, which is not in the plan").waitFor();
    await field.fill("Write docs (id: docs) (depends_on: api)");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Write docs" }).waitFor();
    expect(await dialog("Add tasks").count()).toBe(0);
  });

  test("a prompt that is a list of tasks becomes a plan, if that is worthwhile", async () => {
    await open(`dialog=${encodeURIComponent(JSON.stringify({ kind: "newSession" }))}`);
    const session = dialog("New session");
    const prompt = session.getByRole("textbox", { name: "Task" });
    const hint = session.getByText("3 tasks can run at once, in 3 domains.");
    await prompt.fill("- Build login UI\n- Create JWT API\n- Write tests");
    await hint.waitFor();
    await prompt.fill("Build login UI, create the API, and write tests");
    await hint.waitFor({ state: "detached" });
    await prompt.fill("frontend: Build login UI | backend: Create JWT API | testing: Write tests");
    await hint.waitFor();
    await session.getByRole("button", { name: "Make a plan…" }).click();
    await tasks().waitFor();
    expect(await tasks().inputValue()).toContain("frontend: Build login UI |");
    await preview().getByText("3 workers for 3 tasks").waitFor();
    await dialog("New plan").getByLabel("Workers may have workers").check();
    // It is shown again before it can be run.
    await page.getByRole("button", { name: /^Run plan/ }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
  });

  test("a plan gets another priority by its menu, which shows the present one", async () => {
    await open("view=plan:pl1");
    const more = page.getByRole("button", { name: "More actions" });
    await more.click();
    await page.getByRole("menuitem", { name: "High priority" }).click();
    await page.getByText("High priority").waitFor();
    await more.click();
    const item = (name: string) => page.getByRole("menuitem", { name }).locator("svg");
    await page.getByRole("menuitem", { name: "High priority" }).waitFor();
    expect([await item("High priority").count(), await item("Normal priority").count()]).toEqual([
      1, 0,
    ]);
    await page.getByRole("menuitem", { name: "Normal priority" }).click();
    await page.getByText("High priority").waitFor({ state: "detached" });
  });

  test("cancelling asks first, and ends all that could be done", async () => {
    await open("view=plan:pl1");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Cancel plan…" }).click();
    await dialog("Cancel “Sign-in with passkeys”?")
      .getByRole("button", { name: "Cancel plan" })
      .click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
    expect(await share("backend").getAttribute("data-state")).toBe("stopped");
    expect(await share("security-2").getAttribute("data-state")).toBe("waiting");
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Actions for security/ }).count()).toBe(0);
  });

  test("the board, the session and the plan lead to each other", async () => {
    await open("group=plan");
    await page.getByText("Without a plan").first().waitFor();
    await page.locator("[data-card=s2] .what").click();
    await page.locator(".xterm-screen").waitFor();
    await page.getByRole("button", { name: "Sign-in with passkeys" }).click();
    await heading("Sign-in with passkeys").waitFor();
    await page.getByRole("button", { name: "Open session: auth-module" }).click();
    await heading("auth-module").waitFor();
    await page.keyboard.press("Alt+Shift+P");
    await heading("Plans").waitFor();
  });

  test("a change of one session redraws its row of the plan, and no other", async () => {
    await stopClock();
    await open("view=plan:pl1");
    await share("backend").getByText("Bash: npm run migrate:dev").waitFor();
    const touched = await page.evaluate(async () => {
      const rows = new Set<string>();
      const observer = new MutationObserver((all) => {
        for (const { target } of all) {
          const at = target instanceof Element ? target : target.parentElement;
          const name = at?.closest("[data-share]")?.getAttribute("data-share");
          if (name) rows.add(name);
        }
      });
      const line = () => document.querySelector("[data-share=backend] .line")?.textContent;
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(document.querySelector("main") ?? document.body, what);
      window.engine.edit("s3", {
        status: "running",
        question: null,
        reason: null,
        currentTask: "Reading the log",
      });
      window.engine.changed("session-changed", "s3");
      while (line() !== "Reading the log") await new Promise((done) => setTimeout(done, 20));
      observer.disconnect();
      return [...rows];
    });
    expect(touched).toEqual(["backend"]);
  });

  test("scrolling a graph of 300 tasks changes nothing in the document", async () => {
    await stopClock();
    await open("plans=300&view=plan:pl1&form=graph");
    expect(await page.locator("[data-task]").count()).toBe(300);
    const { scrolls, changes } = await page.evaluate(async () => {
      const graph = document.querySelector("[aria-label='What needs what']");
      let scrolls = 0;
      let changes: string[] = [];
      graph?.addEventListener("scroll", () => (scrolls += 1));
      const tell = ({ type, target, attributeName }: MutationRecord) => {
        const at = target instanceof Element ? target : target.parentElement;
        return `${type} ${attributeName ?? ""} in ${at?.tagName} ${at?.getAttribute("class")}`;
      };
      const observer = new MutationObserver((all) => changes.push(...all.map(tell)));
      const what = { subtree: true, childList: true, attributes: true, characterData: true };
      // The body: parts that are fetched meanwhile add their styles to the head.
      observer.observe(document.body, what);
      const frames = async (count: number, each?: (frame: number) => void) => {
        for (let frame = 0; frame < count; frame += 1) {
          each?.(frame);
          await new Promise((done) => requestAnimationFrame(done));
        }
        changes.push(...observer.takeRecords().map(tell));
      };
      // What opening the page still changes is over when it changes nothing for a while.
      do {
        changes = [];
        await frames(30);
      } while (changes.length > 0);
      await frames(60, (frame) =>
        graph?.scrollBy(frame < 30 ? 48 : -48, frame % 20 < 10 ? 24 : -24),
      );
      observer.disconnect();
      return { scrolls, changes };
    });
    expect(scrolls).toBeGreaterThan(40);
    expect(changes).toEqual([]);
  });

  test("of a graph of thousands of tasks, those in sight are drawn", async () => {
    await open("plans=3000&view=plan:pl1&form=graph");
    const count = await page.locator("[data-task]").count();
    expect(count).toBeGreaterThan(10);
    expect(count).toBeLessThan(400);
    await page.evaluate(() =>
      document.querySelector("[aria-label='What needs what']")?.scrollTo(9_000, 0),
    );
    const inSight = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll("[data-task]")].filter((at) => {
            const { left, right } = at.getBoundingClientRect();
            return left > 300 && right < 1_300;
          }).length,
      );
    await expect.poll(inSight).toBeGreaterThan(3);
  });
});
