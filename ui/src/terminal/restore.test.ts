import { expect, test, vi } from "vitest";
import headless from "@xterm/headless";
import { Restore } from "./restore";

const COLS = 40;
const ROWS = 6;
const LINES = Array.from({ length: 6_000 }, (_, n) =>
  n % 7 === 0 ? `\x1b[0;31m${n} ${"wide ".repeat(12)}\x1b[0m` : `${n} ${"─".repeat(n % 30)}`,
).join("\r\n");
const SNAPSHOTS: Record<string, string> = {
  short: "one\r\ntwo\x1b[2;2H",
  long: `\x1b]2;title\x1b\\${LINES}\x1b[?2004h\x1b[0m\x1b[4;7H\x1b[33m`,
  "an alternate screen": `${LINES}\x1b[?1049h\x1b[Heditor\r\n~\x1b[1;2H`,
  "one that ends within a sequence": `${LINES}\x1b[0m\x1b[3;1H\x1b[3`,
};

const make = () =>
  new headless.Terminal({ allowProposedApi: true, cols: COLS, rows: ROWS, scrollback: 10_000 });
type Made = ReturnType<typeof make>;

const written = (term: Made, text: string) =>
  new Promise<void>((done) => {
    term.write(text, done);
  });
const drawn = (restore: Restore, snapshot: string, over: boolean) =>
  new Promise<void>((done) => {
    restore.draw(new TextEncoder().encode(snapshot), over, () => {
      done();
    });
  });

function stateOf(term: Made) {
  const { active } = term.buffer;
  const lines = Array.from({ length: active.length }, (_, y) => {
    const line = active.getLine(y);
    return `${line?.isWrapped ? "+" : " "}${line?.translateToString(true) ?? ""}`;
  });
  const { type, baseY, cursorX, cursorY } = active;
  const colours = active.getLine(active.baseY)?.getCell(0)?.getFgColor();
  return { lines, type, baseY, cursorX, cursorY, colours, modes: term.modes };
}

test.each(Object.entries(SNAPSHOTS))(
  "%s: all of it is there, whatever was before",
  async (_, of) => {
    const once = make();
    await written(once, of);
    // The output continues, also within a sequence that was cut.
    await written(once, "1mred");
    for (const [over, seen] of [
      [false, true],
      [true, true],
      [false, false],
    ] as const) {
      const term = make();
      await written(term, "before\x1b[?1049h\x1b[?1000h\x1b]2;unfinished");
      await drawn(new Restore(term, () => seen), of, over);
      await written(term, "1mred");
      expect(stateOf(term)).toEqual(stateOf(once));
    }
  },
);

test("the screen is drawn first, and the final state equals the whole snapshot", async () => {
  const of = SNAPSHOTS.long ?? "";
  const [term, once] = [make(), make()];
  await written(once, of);
  const first: string[] = [];
  const listening = term.onWriteParsed(() => {
    const { active } = term.buffer;
    first.push(`${active.baseY} ${active.getLine(0)?.translateToString(true) ?? ""}`);
  });
  const restore = new Restore(term, () => true);
  restore.preview(new TextEncoder().encode("the screen"));
  await drawn(restore, of, false);
  listening.dispose();
  expect(first[0]).toBe("0 the screen");
  expect(stateOf(term)).toEqual(stateOf(once));
});

test("a terminal that nobody sees is not drawn in steps", async () => {
  const term = make();
  const restore = new Restore(term, () => false);
  restore.preview(new TextEncoder().encode("the screen"));
  await drawn(restore, "one", false);
  expect(stateOf(term).lines.join("").trim()).toBe("one");
});

test("a later snapshot replaces one that is being drawn", async () => {
  vi.useFakeTimers();
  try {
    const term = make();
    const restore = new Restore(term, () => true);
    const told: string[] = [];
    restore.preview(new TextEncoder().encode("the screen"));
    restore.draw(new TextEncoder().encode(SNAPSHOTS.long), false, () => told.push("long"));
    restore.draw(new TextEncoder().encode("later"), false, () => told.push("later"));
    // Runs everything that is still pending in both, including xterm's own work.
    await vi.runAllTimersAsync();
    expect(stateOf(term).lines.join("").trim()).toBe("later");
    expect(told).toEqual(["later"]);
  } finally {
    vi.useRealTimers();
  }
});
