// The real Claude Code as a person sees it: a conductor that spawns its workers, a question, and
// the symbols that it draws. Only the model, on loopback, is scripted.
import { test } from "node:test";
import { begin } from "./world/begin.js";
import { without } from "./world/world.js";

const skip = without("claude");
const ORDER = "Rewrite the checkout; delegate the parts that do not touch each other";
const TASKS = {
  "auth-module": "Move sign-in to sessions",
  "api-endpoints": "Endpoints for orders",
  "unit-tests": "Unit tests for prices",
};
const FILES = {
  "src/auth/session.ts": "export const lifetime = 900;\n",
  "src/api/cart.ts": "export const cart = { lines: [] };\n",
  "src/prices.ts": "export const tax = (net) => Math.round(net * 19) / 100;\n",
};

const spawn = (name) => ["mcp__downbeat__spawn_worker", { name, task: TASKS[name] }];
const bash = (command, description) => ["Bash", { command, description }];
const COLOUR = "Ask which colour the button gets";
const colour = {
  header: "Colour",
  question: "Which colour?",
  multiSelect: false,
  options: ["Red", "Blue"].map((label) => ({ label, description: `It becomes ${label}` })),
};
const model = [
  {
    when: ORDER,
    steps: [
      { calls: Object.keys(TASKS).map(spawn) },
      { calls: [["mcp__downbeat__list_workers", {}]] },
      {
        say: "The checkout has three parts that do not touch each other, so three workers are at it:\n\n- **auth-module** moves sign-in to sessions\n- **api-endpoints** gives cart and orders their endpoints\n- **unit-tests** covers the price rules\n\nI look at what they hand in as soon as one is done.",
      },
    ],
  },
  {
    when: TASKS["auth-module"],
    steps: [
      { calls: [bash("cat src/auth/session.ts", "Read the session")] },
      { calls: [bash("ls src/auth", "Look for neighbours")] },
      { say: "Never said.", held: true },
    ],
  },
  {
    when: TASKS["api-endpoints"],
    steps: [
      { calls: [bash("cat src/api/cart.ts", "Read the cart")] },
      { calls: [bash("npm run migrate -- create-orders", "Create the table of orders")] },
    ],
  },
  {
    when: COLOUR,
    steps: [{ calls: [["AskUserQuestion", { questions: [colour] }]] }, { say: "Blue it is." }],
  },
  {
    when: TASKS["unit-tests"],
    steps: [
      { calls: [bash("cat src/prices.ts", "Read the price rules")] },
      {
        say: "Rounding and discounts are covered: 31 tests, all of them pass. Tax is left, since its rates come from the shop's settings.",
      },
    ],
  },
];

let world;
let page;

begin(
  async (started) => {
    world = started;
    page = world.page;
    const { id } = await world.storefront(FILES);
    const conductor = { title: "Checkout rewrite", prompt: ORDER, conductor: true };
    await world.session({ projectId: id, ...conductor });
  },
  { skip, model },
);

/** Returns the button that denies a question, once it can be pressed. */
const refusal = (within) =>
  within.getByRole("button", { name: /^No/ }).and(page.locator("[aria-disabled=false]"));
const card = (name) => page.getByRole("article", { name, exact: true });

test("a conductor spawns its workers and reports it", { skip }, async () => {
  await world.row(/^Checkout rewrite/).click();
  for (const [title, status] of [
    ["api-endpoints", "Waiting for you"],
    ["auth-module", "Running"],
    ["unit-tests", "Idle"],
    ["Checkout rewrite", "Idle"],
  ]) {
    await world.row(new RegExp(`^${title}, ${status}`)).waitFor({ timeout: 60_000 });
  }
  await world.terminal.getByText("I look at what they hand in").waitFor();
  await world.picture("conductor", { forGuide: true });
});

test("its workers appear as cards with the last lines of their screens", { skip }, async () => {
  await page.locator("label", { hasText: "Workers" }).click();
  await card("unit-tests").getByText("Tax is left").waitFor();
  await card("api-endpoints").getByText("create-orders").first().waitFor();
  await refusal(card("api-endpoints")).waitFor();
  await card("auth-module").getByText("ls src/auth").waitFor();
  await world.picture("workers", { forGuide: true });
});

test(
  "a question appears in the terminal and beside it, and a button answers it",
  { skip },
  async () => {
    await world.row(/^api-endpoints/).click();
    const question = page.getByRole("region", { name: "Open question" });
    await question.getByText("create-orders").first().waitFor();
    await world.terminal.getByText("create-orders").first().waitFor();
    await refusal(question).waitFor();
    await world.picture("question", { forGuide: true });
    await refusal(question).click();
    await question.waitFor({ state: "detached", timeout: 30_000 });
    await world.row(/^api-endpoints, Idle/).waitFor({ timeout: 30_000 });
  },
);

test("a choice is made by a button", { skip }, async () => {
  const { projectId } = (await world.call("GET", "/api/sessions"))[0];
  await world.session({ projectId, title: "Button", prompt: COLOUR });
  await world.row(/^Button, Waiting for you/).click({ timeout: 60_000 });
  const question = page.getByRole("region", { name: "Open question" });
  await question.getByText("Which colour?").waitFor();
  await question.getByRole("button", { name: "Blue" }).click();
  await world.terminal.getByText("Blue it is.").waitFor({ timeout: 30_000 });
  await question.waitFor({ state: "detached" });
  await world.row(/^Button, Idle/).waitFor({ timeout: 30_000 });
});
