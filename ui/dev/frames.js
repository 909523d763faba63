// How smoothly the interface is drawn, in a real Chromium over fixtures: `npm run bench:frames`. Measures each case and an
// empty page alternately, some rounds each, and prints medians. No figure fails: what must not be redrawn, the tests count
// (`ui/test/smooth.test.ts`).
import { measuredInChromium, median, VIEWPORT } from "./measured.js";

const ROUNDS = 3;
/** How long a page is left alone before it is measured, and how long it is measured, in milliseconds. */
const SETTLING = 2_000;
const MEASURED = 5_000;

/** What each case shows, what is on the page when it is ready, and what it scrolls by for each frame. */
const FLOOR = { name: "empty page (the floor)", query: null };
const CASES = [
  {
    name: "board of 300 sessions, 50 changes a second",
    query: "world=board-300&storm=50",
    ready: () => document.querySelectorAll("[data-card]").length > 200,
  },
  {
    name: "60 sessions, 120 changes a second",
    query: "world=60&storm=120",
    ready: () => document.querySelector("[role=treeitem]") !== null,
  },
  {
    name: "graph of 300 tasks, scrolled",
    query: "plans=300&view=plan:pl1&form=graph",
    ready: () => document.querySelectorAll("[data-task]").length === 300,
    scrolled: { selector: "[aria-label='What needs what']", left: 24, top: 0 },
  },
  {
    name: "diff of 40,000 lines, scrolled",
    query: "view=session:s3&tab=changes&changes=long",
    ready: () => document.querySelector(".lines .all")?.clientHeight > 800_000,
    scrolled: { selector: ".lines", left: 0, top: 120 },
  },
];

/** Runs in the page: draws frames for some time, scrolling to and fro, and returns when each began. */
function drawFrames({ length, scrolled }) {
  const area = scrolled && document.querySelector(scrolled.selector);
  let way = 1;
  const scroll = () => {
    const { scrollLeft, scrollTop } = area;
    area.scrollBy(way * scrolled.left, way * scrolled.top);
    if (area.scrollLeft === scrollLeft && area.scrollTop === scrollTop) way = -way;
  };
  return new Promise((done) => {
    const times = [];
    const changesBefore = window.engine?.seq ?? 0;
    const frame = (now) => {
      times.push(now);
      if (now - times[0] >= length)
        return done({ times, changes: (window.engine?.seq ?? 0) - changesBefore });
      if (area) scroll();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Returns the seconds that the page's thread has computed: what else the machine does is not in it. */
async function workOf(tools) {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value;
}

async function measure(browser, address, { query, ready, scrolled }) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  try {
    const page = await context.newPage();
    await page.goto(query === null ? "about:blank" : `${address}?${query}`);
    if (ready) await page.waitForFunction(ready);
    await page.waitForTimeout(SETTLING);
    const tools = await context.newCDPSession(page);
    await tools.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await workOf(tools);
    const { times, changes } = await page.evaluate(drawFrames, { length: MEASURED, scrolled });
    const work = (await workOf(tools)) - before;
    const seconds = (times.at(-1) - times[0]) / 1000;
    const gaps = times.slice(1).map((at, index) => at - times[index]);
    gaps.sort((a, b) => a - b);
    return {
      rate: gaps.length / seconds,
      p95: gaps[Math.floor(gaps.length * 0.95)],
      work: (work / gaps.length) * 1000,
      changes: changes / seconds,
    };
  } finally {
    await context.close();
  }
}

/** Returns a row of the table: the medians, and the median ratio to the floor of the same round. */
function rowOf(name, rounds, floors) {
  const of = (figure) => median(rounds.map((round) => round[figure]));
  const ratio = median(rounds.map(({ rate }, at) => rate / floors[at].rate));
  const changes = of("changes");
  return [
    name,
    of("rate").toFixed(1),
    `${of("p95").toFixed(1)} ms`,
    `${of("work").toFixed(1)} ms`,
    ratio.toFixed(2),
    changes > 0 ? changes.toFixed(0) : "",
  ];
}

async function measureAll(browser, address) {
  const all = [FLOOR, ...CASES].map((one) => ({ ...one, rounds: [] }));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const one of all) {
      console.error(`round ${round} of ${ROUNDS}: ${one.name}`);
      one.rounds.push(await measure(browser, address, one));
    }
  }
  const [floor] = all;
  return all.map(({ name, rounds }) => rowOf(name, rounds, floor.rounds));
}

await measuredInChromium(
  ["", "frames/s", "p95 gap", "work per frame", "of the floor", "changes/s"],
  measureAll,
);
console.log(
  `Medians of ${ROUNDS} rounds. Work: time that the page's thread computed, which includes the fake engine's.`,
);
