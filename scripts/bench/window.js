// For the bench: `window.js ADDRESS PAGES LAST NAME…` opens a fresh Chromium page at ADDRESS, PAGES
// times, and in it the terminals of the sessions NAME one after another. Prints, as a JSON list for
// each page, two times in milliseconds from when the page asks for a terminal: until a frame is
// painted with the text LAST of its last row, and until xterm has taken the whole snapshot, which
// is when the page acknowledges it. The page is the built one, unchanged: only its WebSockets and its
// frames are watched.
import { chromium } from "playwright-core";
import { which } from "../run.js";
import { browsers } from "../setup/packages.js";

const PATIENCE = 60_000;
const CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  // Without a graphics card the benchmark would measure its emulation.
  "--disable-3d-apis",
  "--no-first-run",
  "--disable-background-networking",
];

const SNAPSHOT = 0;
const ACKNOWLEDGED = 2;

/** Runs in the page before its own scripts: records when a terminal is requested and when it is drawn. */
function watchTerminals({ snapshot, acknowledged, last }) {
  window.terminalTimes = [];
  /** Calls `look` right before each frame is painted: resize observers run after everything that draws. */
  const beforePaint = (look) => {
    const probe = document.body.appendChild(document.createElement("div"));
    probe.style.cssText = "position:fixed;height:1px;width:1px";
    const observer = new ResizeObserver(() => {
      if (!look()) return;
      observer.disconnect();
      probe.remove();
    });
    observer.observe(probe);
    const frame = () => {
      if (!probe.isConnected) return;
      probe.style.width = probe.style.width === "1px" ? "2px" : "1px";
      requestAnimationFrame(frame);
    };
    frame();
  };
  const shows = () => document.querySelector(".xterm-rows")?.textContent.includes(last);
  window.WebSocket = class extends WebSocket {
    #times = null;
    constructor(address, protocols) {
      const asked = performance.now();
      super(address, protocols);
      if (!new URL(address).pathname.endsWith("/terminal")) return;
      const times = { asked, bytes: 0, shown: 0, written: 0 };
      beforePaint(() => shows() && (times.shown = performance.now()));
      this.#times = times;
      window.terminalTimes.push(times);
      this.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer && new DataView(data).getUint8(0) === snapshot)
          times.bytes ||= data.byteLength;
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

const [address, pages, last, ...names] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? which(...browsers);
if (!executablePath) throw new Error("there is no Chromium; CHROMIUM may name one");
const browser = await chromium.launch({ executablePath, args: CHROMIUM });
try {
  const took = [];
  for (let number = 0; number < Number(pages); number += 1) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const watched = { snapshot: SNAPSHOT, acknowledged: ACKNOWLEDGED, last };
    await page.addInitScript(watchTerminals, watched);
    await page.goto(address);
    for (const [at, name] of names.entries()) {
      await page.getByRole("treeitem", { name }).click();
      await page.waitForFunction((at) => {
        const { shown = 0, written = 0 } = window.terminalTimes[at] ?? {};
        return shown > 0 && written > 0;
      }, at);
    }
    const times = await page.evaluate(() => window.terminalTimes);
    const short = times.find(({ bytes }) => bytes < 500_000);
    if (short) throw new Error(`a snapshot of ${short.bytes} bytes has no 10,000 lines`);
    took.push(times.map(({ asked, shown, written }) => [shown - asked, written - asked]));

    await context.close();
  }
  console.log(JSON.stringify(took));
} finally {
  await browser.close();
}
