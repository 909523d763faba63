// What a session changed in a real worktree: the files, their lines, comments for the agent.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../desktop/world/processes.js";
import { begin } from "./world/begin.js";

let world;
let page;
let session;

const CART = `export class Cart {
  readonly #items: Item[] = [];

  /** The sum of all prices. */
  total(): number {
    let total = 0;
    for (const item of this.#items) total += item.price * item.count;
    return total;
  }
}
`;

begin(async (started) => {
  world = started;
  page = world.page;
  const project = await world.storefront({ "src/cart.ts": CART, "src/old.ts": "export {};\n" });
  world.script("Tidy the cart", "say The cart is tidy.");
  const { id } = await world.session({
    projectId: project.id,
    title: "Tidy the cart",
    prompt: "Tidy the cart",
  });
  await world.status(id, "idle");
  session = await world.call("GET", `/api/sessions/${id}`);
  const place = session.workspacePath;
  const write = (name, text) => {
    mkdirSync(join(place, name, ".."), { recursive: true });
    writeFileSync(join(place, name), text);
  };
  const git = (...args) => execFileSync("git", args, { cwd: place, env: world.env });
  write(
    "src/cart.ts",
    CART.replace("all prices.", "all prices, in cents.").replace(
      "total(): number",
      "total(): Cents",
    ),
  );
  git("rm", "--quiet", "src/old.ts");
  git("commit", "--quiet", "--all", "--message=cart: amounts are cents");
  write("src/money.ts", "/** A whole number of cents. */\nexport type Cents = number;\n");
  write("docs/<img src=x onerror=alert(1)>.md", "# <script>alert(1)</script>\n");
});

const file = (path) => page.locator(`[data-path=${JSON.stringify(path)}]`);

test("the changes of a worktree are shown, with colours from the worker", async () => {
  await world.row(/^Tidy the cart/).click();
  // The number of files may already be beside the word.
  await page.locator('label:has(input[value="changes"])').click();
  await file("src/cart.ts").click();
  await page.locator(".lines").getByText("total(): Cents {").first().waitFor();
  await page.locator(".lines .key", { hasText: "let" }).first().waitFor();
  assert.equal(await page.locator(".plus .differs").last().textContent(), "Cents");
  await world.picture("changes", { forGuide: true });
  await file("src/old.ts").click();
  await page.locator(".lines .minus", { hasText: "export {};" }).waitFor();
  await file("docs/<img src=x onerror=alert(1)>.md").click();
  await page.locator(".lines .plus", { hasText: "<script>alert(1)</script>" }).waitFor();
});

test("comments are queued for the agent as one message", async () => {
  await file("src/money.ts").click();
  const line = page.locator(".lines .code", { hasText: "export type Cents" });
  await line.hover();
  await line.getByRole("button").click();
  await page.getByRole("textbox", { name: "Comment on src/money.ts:2" }).fill("Brand this type.");
  await page.getByRole("button", { name: "Add comment" }).click();
  await world.picture("changes-comment", { forGuide: true });
  await page.getByRole("button", { name: "Send comments" }).click();
  await until("the message", async () => {
    const all = await world.call("GET", `/api/sessions/${session.id}/messages`);
    return JSON.stringify(all).includes(
      "src/money.ts:2\\n> +export type Cents = number;\\nBrand this type.",
    );
  });
});

test("a hunk is discarded, and brought back", async () => {
  const path = join(session.workspacePath, "src/cart.ts");
  const changed = readFileSync(path, "utf8");
  await file("src/cart.ts").click();
  const hunk = page.locator(".line.hunk").first();
  await hunk.hover();
  await hunk.getByRole("button", { name: "Discard hunk" }).click();
  await until("the hunk is discarded", () => readFileSync(path, "utf8") === CART);
  await page.getByRole("button", { name: "Undo" }).click();
  await until("it is back", () => readFileSync(path, "utf8") === changed);
  await file("src/cart.ts").waitFor();
});

test("a review requests changes, and then approves exactly one commit", async () => {
  const bar = page.getByRole("region", { name: "Review" });
  await bar.getByRole("textbox", { name: "Summary for the agent" }).fill("Round half cents up.");
  await bar.getByRole("button", { name: "Request changes" }).click();
  await bar.getByText("Changes requested by you").waitFor();
  await until("the message", async () => {
    const all = await world.call("GET", `/api/sessions/${session.id}/messages`);
    return all.some(({ text, state }) => text.includes("half cents up") && state === "delivered");
  });
  await world.status(session.id, "idle");
  await bar.getByRole("button", { name: "Approve", exact: true }).click();
  await bar.getByText("Approved by you").waitFor();
  await file("src/cart.ts").click();
  await page.locator(".lines").getByText("total(): Cents {").first().waitFor();
  await world.picture("changes-approved", { forGuide: true });
  const { review } = await world.call("GET", `/api/sessions/${session.id}`);
  assert.deepEqual([review.verdict, review.isOutdated], ["approved", false]);
  assert.ok(review.uncommitted > 0, "what is not committed is said");
});
