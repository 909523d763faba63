// What the measurements of the interface share: a real Chromium over fixtures, medians and a printed table. It
// measures nothing itself: see `frames.js` and `openings.js`.
import { cpus, loadavg, release, type } from "node:os";
import { chromium } from "playwright-core";
import { which } from "../../scripts/run.js";
import { browsers } from "../../scripts/setup/packages.js";
import { serveFixtures } from "./served.js";

export const VIEWPORT = { width: 1360, height: 860 };

export const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];

/** Prints the rows in aligned columns, the first of them to the left. */
function print(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  for (const row of rows) {
    const cells = row.map((cell, at) =>
      (at === 0 ? cell.padEnd : cell.padStart).call(cell, widths[at]),
    );
    console.log(cells.join("   "));
  }
}

/** Opens the fixtures, lets `measureAll(browser, address)` return the rows of a table, and prints it below `head` with
 * the machine it was measured on. Needs a Chromium (CHROMIUM, else the one on the PATH). */
export async function measuredInChromium(head, measureAll) {
  const executablePath = process.env.CHROMIUM ?? which(...browsers);
  if (!executablePath) throw new Error("There is no Chromium. CHROMIUM may name one.");
  const load = loadavg()[0].toFixed(1);
  const { address, close } = await serveFixtures();
  try {
    const browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
    try {
      const rows = await measureAll(browser, address);
      const [{ model }] = cpus();
      console.log(
        `${cpus().length} cores (${model.trim()}), no GPU, ${type()} ${release()}, Chromium ${browser.version()}, ` +
          `${VIEWPORT.width} × ${VIEWPORT.height}; load at the start ${load}, at the end ${loadavg()[0].toFixed(1)}`,
      );
      print([head, ...rows]);
    } finally {
      await browser.close();
    }
  } finally {
    await close();
  }
}
