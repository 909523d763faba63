// For the bench: `window.js ADDRESS PAGES NAME…` opens a fresh Chromium page at ADDRESS, PAGES times,
// and in it the terminals of the sessions NAME one after another. Prints, as a JSON list for each
// page, the milliseconds from when the page asks for a terminal until xterm has taken its whole
// snapshot, which is when the page acknowledges it. The page is the built one, unchanged: only its
// WebSockets are watched.
import { chromium } from "playwright-core";
import { which } from "../run.js";
import { browsers } from "../setup/packages.js";

const PATIENCE = 60_000;
const CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  // Without a graphics card its emulation would be what is measured.
  "--disable-3d-apis",
  "--no-first-run",
  "--disable-background-networking",
];

const SNAPSHOT = 0;
const ACKNOWLEDGED = 2;

/** Runs in the page before anything of it: notes when a terminal is asked for and when drawn. */
function watchTerminals({ snapshot, acknowledged }) {
  window.terminalTimes = [];
  window.WebSocket = class extends WebSocket {
    #times = null;
    constructor(address, protocols) {
      const asked = performance.now();
      super(address, protocols);
      if (!new URL(address).pathname.endsWith("/terminal")) return;
      const times = { asked, bytes: 0, written: 0 };
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

const [address, pages, ...names] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? which(...browsers);
if (!executablePath) throw new Error("there is no Chromium; CHROMIUM may name one");
const browser = await chromium.launch({ executablePath, args: CHROMIUM });
try {
  const took = [];
  for (let number = 0; number < Number(pages); number += 1) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await page.addInitScript(watchTerminals, { snapshot: SNAPSHOT, acknowledged: ACKNOWLEDGED });
    await page.goto(address);
    for (const [at, name] of names.entries()) {
      await page.getByRole("treeitem", { name }).click();
      await page.waitForFunction((at) => window.terminalTimes[at]?.written > 0, at);
    }
    const times = await page.evaluate(() => window.terminalTimes);
    const short = times.find(({ bytes }) => bytes < 500_000);
    if (short) throw new Error(`a snapshot of ${short.bytes} bytes has no 10,000 lines`);
    took.push(times.map(({ asked, written }) => written - asked));
    await context.close();
  }
  console.log(JSON.stringify(took));
} finally {
  await browser.close();
}
