// For the bench: `window.js ADDRESS NAME TURNS` opens the page at ADDRESS in a fresh Chromium page,
// TURNS times, and in it the terminal of the session NAME. Prints as a JSON list the milliseconds
// from when the page asks for the terminal until xterm has taken the whole snapshot, which is when
// the page acknowledges it. The page is the built one, unchanged: only its WebSockets are watched.
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
  window.terminalTimes = { asked: 0, bytes: 0, written: 0 };
  const times = window.terminalTimes;
  window.WebSocket = class extends WebSocket {
    #terminal = false;
    constructor(address, protocols) {
      const asked = performance.now();
      super(address, protocols);
      if (!new URL(address).pathname.endsWith("/terminal")) return;
      this.#terminal = true;
      times.asked ||= asked;
      this.addEventListener("message", ({ data }) => {
        if (data instanceof ArrayBuffer && new DataView(data).getUint8(0) === snapshot)
          times.bytes ||= data.byteLength;
      });
    }
    send(data) {
      super.send(data);
      const kind = ArrayBuffer.isView(data) ? data[0] : -1;
      if (this.#terminal && times.bytes > 0 && kind === acknowledged)
        times.written ||= performance.now();
    }
  };
}

const [address, name, turns] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? which(...browsers);
if (!executablePath) throw new Error("there is no Chromium; CHROMIUM may name one");
const browser = await chromium.launch({ executablePath, args: CHROMIUM });
try {
  const took = [];
  for (let turn = 0; turn < Number(turns); turn += 1) {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await page.addInitScript(watchTerminals, { snapshot: SNAPSHOT, acknowledged: ACKNOWLEDGED });
    await page.goto(address);
    await page.getByRole("treeitem", { name }).click();
    await page.waitForFunction(() => window.terminalTimes.written > 0);
    const { asked, written, bytes } = await page.evaluate(() => window.terminalTimes);
    if (bytes < 500_000) throw new Error(`a snapshot of ${bytes} bytes has no 10,000 lines`);
    took.push(written - asked);
    await context.close();
  }
  console.log(JSON.stringify(took));
} finally {
  await browser.close();
}
