// For the bench: `window.js ADDRESS PAGES LAST NAME…` opens a fresh Chromium page at ADDRESS, PAGES
// times, and in it the terminals of the sessions NAME one after another. Prints, as a JSON list for
// each page, three times in milliseconds: from when the page asks for a terminal until a frame is
// painted with the text LAST of its last row, and until xterm has taken the whole snapshot, which
// is when the page acknowledges it; and from the click on the session until that frame is painted. The
// page is the built one, unchanged: only its WebSockets and its document are watched.
//
// After each page, the floor: a blank page with as many terminals of xterm.js alone, each created and given
// the same bytes without any connection. First only those that fill a screen, until they are painted; then
// all of them, until they are parsed.
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { which } from "../run.js";
import { browsers } from "../setup/packages.js";
import { watchFrames } from "./paint.js";

const PATIENCE = 60_000;
const CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  // Without a graphics card the benchmark would measure its emulation.
  "--disable-3d-apis",
  "--no-first-run",
  "--disable-background-networking",
];

/** The rows of a bare terminal, about as many as the page has. */
const ROWS = 46;

/** How long a page rests before a terminal is opened, in milliseconds: a person looks at one before the next. */
const REST = 500;

const SNAPSHOT = 0;
const ACKNOWLEDGED = 2;

/** Runs in the page before its own scripts: records when a terminal is requested and when it is drawn. */
function watchTerminals({ snapshot, acknowledged, last }) {
  window.terminalTimes = [];
  let clicked = null;
  document.addEventListener("click", () => (clicked = performance.now()), { capture: true });
  const shows = () => document.querySelector(".xterm-rows")?.textContent.includes(last);
  window.WebSocket = class extends WebSocket {
    #times = null;
    constructor(address, protocols) {
      const asked = performance.now();
      super(address, protocols);
      if (!new URL(address).pathname.endsWith("/terminal")) return;
      // A page may open the last session by itself.
      const times = { clicked: clicked ?? asked, asked, bytes: 0, shown: 0, written: 0 };
      clicked = null;
      window.beforePaint(shows, () => (times.shown = performance.now()));
      this.#times = times;
      window.terminalTimes.push(times);
      this.addEventListener("message", ({ data }) => {
        if (times.bytes > 0 || !(data instanceof ArrayBuffer)) return;
        const view = new DataView(data);
        if (view.getUint8(0) !== snapshot) return;
        times.bytes = data.byteLength;
        window.lastSnapshot = new Uint8Array(data, 13);
        window.lastColumns = view.getUint16(9);
      });
    }
    send(data) {
      super.send(data);
      const kind = ArrayBuffer.isView(data) ? data[0] : -1;
      if (this.#times?.bytes > 0 && kind === acknowledged)
        this.#times.written ||= performance.now();
    }
  };
}

/** Runs in a blank page: creates a bare terminal, and returns the times until the end of the snapshot is painted and
 * until all of it is parsed. */
async function bareTerminal({ text, columns, rows, last }) {
  const create = () => {
    const parent = document.body.appendChild(document.createElement("div"));
    parent.style.cssText = "width:1100px;height:780px";
    const term = new window.Terminal({ cols: columns, rows, scrollback: 10_000 });
    term.open(parent);
    return { term, parent };
  };
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const screen = bytes.subarray(bytes.length - 2 * rows * columns);
  const from = performance.now();
  const { term, parent } = create();
  term.write(screen);
  const shown = await new Promise((done) =>
    window.beforePaint(
      () => parent.querySelector(".xterm-rows").textContent.includes(last),
      () => done(performance.now() - from),
    ),
  );
  term.dispose();
  parent.remove();
  const again = performance.now();
  const whole = create();
  await new Promise((done) => whole.term.write(bytes, done));
  const written = performance.now() - again;
  whole.term.dispose();
  whole.parent.remove();
  return [shown, written, shown];
}

/** Measures bare terminals one after another in a fresh page of `context`. */
async function bareTerminals(context, count, snapshot, last) {
  const page = await context.newPage();
  await page.setContent("<body></body>");
  const require = createRequire(import.meta.url);
  await page.addStyleTag({ path: require.resolve("@xterm/xterm/css/xterm.css") });
  await page.addScriptTag({ path: require.resolve("@xterm/xterm/lib/xterm.js") });
  await page.evaluate(watchFrames);
  const times = [];
  for (let number = 0; number < count; number += 1) {
    await page.waitForTimeout(REST);
    times.push(await page.evaluate(bareTerminal, { ...snapshot, rows: ROWS, last }));
  }
  return times;
}

const [address, pages, last, ...names] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? which(...browsers);
if (!executablePath) throw new Error("there is no Chromium; CHROMIUM may name one");
const browser = await chromium.launch({ executablePath, args: CHROMIUM });
try {
  const took = [];
  const bare = [];
  for (let number = 0; number < Number(pages); number += 1) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const watched = { snapshot: SNAPSHOT, acknowledged: ACKNOWLEDGED, last };
    await page.addInitScript(watchFrames);
    await page.addInitScript(watchTerminals, watched);
    await page.goto(address);
    for (const [at, name] of names.entries()) {
      await page.waitForTimeout(REST);
      await page.getByRole("treeitem", { name }).click();
      await page.waitForFunction((at) => {
        const { shown = 0, written = 0 } = window.terminalTimes[at] ?? {};
        return shown > 0 && written > 0;
      }, at);
    }
    const times = await page.evaluate(() => window.terminalTimes);
    const short = times.find(({ bytes }) => bytes < 500_000);
    if (short) throw new Error(`a snapshot of ${short.bytes} bytes has no 10,000 lines`);
    took.push(
      times.map(({ clicked, asked, shown, written }) => [
        shown - asked,
        written - asked,
        shown - clicked,
      ]),
    );
    const snapshot = await page.evaluate(() => ({
      text: Array.from(window.lastSnapshot, (byte) => String.fromCharCode(byte)).join(""),
      columns: window.lastColumns,
    }));
    await page.close();
    bare.push(await bareTerminals(context, names.length, snapshot, last));
    await context.close();
  }
  console.log(JSON.stringify({ took, bare }));
} finally {
  await browser.close();
}
