// @vitest-environment node
import { describe, expect, test } from "vitest";
import headless from "@xterm/headless";
import { swallowQueries } from "./queries";

const QUERIES: [string, string][] = [
  ["DA1", "\x1b[c"],
  ["DA1 with parameter", "\x1b[0c"],
  ["DA2", "\x1b[>c"],
  ["DA3", "\x1b[=c"],
  ["DECID", "\x1bZ"],
  ["DSR status", "\x1b[5n"],
  ["DSR cursor", "\x1b[6n"],
  ["DEC DSR cursor", "\x1b[?6n"],
  ["colour scheme", "\x1b[?996n"],
  ["XTVERSION", "\x1b[>q"],
  ["XTVERSION with parameter", "\x1b[>0q"],
  ["DECRQM", "\x1b[4$p"],
  ["DECRQM private", "\x1b[?2026$p"],
  ["keyboard protocol", "\x1b[?u"],
  ["window size in characters", "\x1b[18t"],
  ["window size in pixels", "\x1b[14t"],
  ["cell size", "\x1b[16t"],
  ["title report", "\x1b[21t"],
  ["DECRQSS", "\x1bP$qm\x1b\\"],
  ["DECRQSS cursor style", "\x1bP$q q\x1b\\"],
  ["XTGETTCAP", "\x1bP+q544e\x1b\\"],
  ["palette colour", "\x1b]4;1;?\x07"],
  ["several palette colours", "\x1b]4;1;?;2;?\x1b\\"],
  ["foreground", "\x1b]10;?\x07"],
  ["background", "\x1b]11;?\x1b\\"],
  ["cursor colour", "\x1b]12;?\x07"],
  ["foreground and background", "\x1b]10;?;?\x07"],
  ["checksum", "\x1b[1;1;1;1;1;1*y"],
  ["terminal parameters", "\x1b[x"],
];

function terminal(swallow: boolean) {
  const term = new headless.Terminal({
    allowProposedApi: true,
    windowOptions: { getWinSizeChars: true, getWinTitle: true },
  });
  const sent: string[] = [];
  term.onData((data) => sent.push(data));
  term.onBinary((data) => sent.push(data));
  if (swallow) swallowQueries(term.parser);
  const write = (text: string) => new Promise<void>((done) => term.write(text, done));
  return { term, sent, write };
}

describe("no query gets an answer from the viewer", () => {
  test.each(QUERIES)("%s", async (_name, query) => {
    const { sent, write, term } = terminal(true);
    await write(`before${query}after`);
    expect(sent).toEqual([]);
    expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe("beforeafter");
  });

  test("not even if a query is split in two", async () => {
    for (const [name, query] of QUERIES) {
      for (let cut = 1; cut < query.length; cut += 1) {
        const { sent, write } = terminal(true);
        await write(query.slice(0, cut));
        await write(query.slice(cut));
        expect(sent, `${name} cut at ${cut}`).toEqual([]);
      }
    }
  });
});

test("without swallowing there are answers, so the tests above can fail", async () => {
  const { sent, write } = terminal(false);
  for (const [, query] of QUERIES) await write(query);
  expect(sent.length).toBeGreaterThan(6);
});

test("requests that set something still work", async () => {
  const { term, write } = terminal(true);
  const titles: string[] = [];
  term.onTitleChange((title) => titles.push(title));
  await write("\x1b]0;one\x07\x1b[22;0t\x1b]0;two\x07\x1b[?2004h\x1b[4 q\x1b[23;0t");
  expect(titles.slice(0, 2)).toEqual(["one", "two"]);
  expect(term.modes.bracketedPasteMode).toBe(true);
});

test("typing, mouse and focus reports are still sent", async () => {
  const { term, sent, write } = terminal(true);
  await write("\x1b[?1004h");
  term.input("x");
  expect(sent).toEqual(["x"]);
});
