// How long the interface takes to show what a person asked for, in a real Chromium over fixtures: `npm run bench:openings`.
// Each time runs until right before the frame is painted that shows it. Prints medians and the slowest beside the
// target, and what an empty page takes to paint a click. No figure fails. With a real engine and its terminals, `npm run
// bench -- attach` measures the same.
import { watchFrames } from "../../scripts/bench/paint.js";
import { measuredInChromium, median, VIEWPORT } from "./measured.js";

const ROUNDS = 5;
/** How long a page is left alone before something is opened in it, in milliseconds. */
const SETTLING = 1_000;

/** What each case opens, when the page is ready for it, and what shows that it is open. */
const FLOOR = {
  name: "a click in an empty page (the floor)",
  query: null,
  open: () => document.body.append("shown"),
  shows: () => document.body.textContent.includes("shown"),
};
const CASES = [
  {
    name: "the page with 300 sessions, from its address",
    query: "world=board-300",
    target: 1_000,
    shows: () => document.querySelectorAll("[data-card]").length > 200,
  },
  {
    name: "a session for the first time",
    query: "world=60",
    target: 100,
    ready: () => document.querySelector("[data-card]") !== null,
    open: () => window.openSession("s3"),
    shows: () => window.shownTerminal() !== "",
  },
  {
    name: "a session again",
    query: "world=60&view=session:s2",
    target: 50,
    ready: () => window.shownTerminal() !== "",
    before: () => {
      window.keepers.get("s2").print("\r\nit is this one");
      window.openSession("s3");
    },
    between: () => {
      const text = window.shownTerminal();
      return text !== "" && !text.endsWith("it is this one");
    },
    open: () => window.openSession("s2"),
    shows: () => window.shownTerminal().endsWith("it is this one"),
  },
  {
    name: "the tree of 500 changed files",
    query: "view=session:s3&changes=500",
    target: 150,
    ready: () => window.shownTerminal() !== "",
    open: () => window.downbeat.view.setTab("s3", "changes"),
    shows: () => document.querySelectorAll("[data-path]").length > 10,
  },
  {
    name: "a diff of 40,000 lines",
    query: "view=session:s3&changes=long",
    target: 300,
    ready: () => window.shownTerminal() !== "",
    open: () => window.downbeat.view.setTab("s3", "changes"),
    shows: () => document.querySelectorAll(".lines .line").length > 20,
  },
];

/** Runs in the page before its own scripts: what the cases call there. */
function prepare() {
  window.openSession = (id) => window.downbeat.view.show({ kind: "session", id });
  window.shownTerminal = () => {
    const all = [...document.querySelectorAll(".xterm-rows")];
    const shown = all.find((rows) => rows.checkVisibility({ visibilityProperty: true }));
    return (shown?.textContent ?? "").trim();
  };
}

/** Runs in the page: opens something, and returns when it is painted, in milliseconds from `begins`. */
function timeOpening({ open, shows, begins }) {
  const from = begins ?? performance.now();
  if (open) new Function(`(${open})()`)();
  const shown = new Function(`return (${shows})()`);
  return new Promise((done) => window.beforePaint(shown, () => done(performance.now() - from)));
}

async function measure(browser, address, { query, ready, before, between, open, shows }) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    await page.addInitScript(prepare);
    const timed = { open: open?.toString(), shows: shows.toString() };
    if (!open) {
      // The page itself is what opens: its time begins with its address.
      await page.goto(`${address}?${query}`, { waitUntil: "commit" });
      await page.waitForFunction(() => document.body !== null);
      await page.evaluate(watchFrames);
      return await page.evaluate(timeOpening, { ...timed, begins: 0 });
    }
    await page.goto(query === null ? "about:blank" : `${address}?${query}`);
    await page.evaluate(watchFrames);
    if (ready) await page.waitForFunction(ready);
    await page.waitForTimeout(SETTLING);
    if (before) await page.evaluate(before);
    if (between) await page.waitForFunction(between);
    if (before) await page.waitForTimeout(SETTLING);
    return await page.evaluate(timeOpening, timed);
  } finally {
    await context.close();
  }
}

async function measureAll(browser, address) {
  const all = [FLOOR, ...CASES].map((one) => ({ ...one, times: [] }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    console.error(`round ${round} of ${ROUNDS}`);
    for (const one of all) one.times.push(await measure(browser, address, one));
  }
  return all.map(({ name, target, times }) => [
    name,
    `${median(times).toFixed(0)} ms`,
    `${Math.max(...times).toFixed(0)} ms`,
    target ? `≤ ${target} ms` : "",
  ]);
}

await measuredInChromium(["", "median", "slowest", "target"], measureAll);
console.log(
  `${ROUNDS} rounds. The fake engine answers each request after 30 ms, which is included.`,
);
