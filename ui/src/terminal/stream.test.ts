// @vitest-environment node
import { describe, expect, test } from "vitest";
import { WINDOW, type Frame } from "./frames";
import { Stream, type Canvas } from "./stream";

/** A screen that parses only when the test says so. */
class SlowCanvas implements Canvas {
  log: string[] = [];
  #pending: { text: string; done: () => void }[] = [];
  write(data: Uint8Array, done: () => void) {
    this.#pending.push({ text: new TextDecoder().decode(data), done });
  }
  parse(count = Number.POSITIVE_INFINITY) {
    for (let n = 0; n < count; n += 1) {
      const next = this.#pending.shift();
      if (!next) return;
      this.log.push(next.text);
      next.done();
    }
  }
  preview(cols: number, rows: number, screen: Uint8Array) {
    this.log.push(`preview ${cols}x${rows} ${new TextDecoder().decode(screen)}`);
  }
  restore(cols: number, rows: number, snapshot: Uint8Array, done: () => void) {
    this.log.push(`restore ${cols}x${rows}`);
    this.write(snapshot, done);
  }
  resize(cols: number, rows: number) {
    this.log.push(`resize ${cols}x${rows}`);
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);
const snapshot = (seq: number, text = ""): Frame => ({
  kind: "snapshot",
  seq,
  cols: 80,
  rows: 24,
  data: bytes(text),
});
const output = (seq: number, text: string): Frame => ({ kind: "output", seq, data: bytes(text) });

function setUp() {
  const canvas = new SlowCanvas();
  const told: string[] = [];
  const stream = new Stream(canvas, {
    ack: (seq) => told.push(`ack ${seq}`),
    broken: (why) => told.push(`broken: ${why}`),
    previewed: () => told.push("previewed"),
    sized: (cols, rows, first) => told.push(`sized ${cols}x${rows}${first ? " first" : ""}`),
    exited: (code) => told.push(`exited ${code}`),
    closed: (reason) => told.push(`closed ${reason}`),
  });
  const feed = (...frames: Frame[]) => {
    for (const frame of frames) stream.accept(frame);
  };
  return { canvas, told, stream, feed };
}

describe("order", () => {
  test("everything after a snapshot waits until it was drawn", () => {
    const { canvas, feed } = setUp();
    feed(snapshot(5, "hello"), output(5, " world"));
    canvas.parse(1);
    expect(canvas.log).toEqual(["restore 80x24", "hello"]);
    canvas.parse();
    expect(canvas.log).toEqual(["restore 80x24", "hello", " world"]);
  });

  test("the screen alone is shown at once, and its snapshot does not wait for it", () => {
    const { canvas, told, feed } = setUp();
    feed({ ...snapshot(5, "screen"), kind: "screen" } as Frame, snapshot(5, "hello"));
    expect(canvas.log).toEqual(["preview 80x24 screen", "restore 80x24"]);
    canvas.parse();
    expect(canvas.log.at(-1)).toBe("hello");
    expect(told).toEqual(["previewed", "exited null", "sized 80x24 first", "ack 5"]);
  });

  test("a resize waits for the output before it, and holds back the output after it", () => {
    const { canvas, feed } = setUp();
    feed(snapshot(0, "s"));
    canvas.parse();
    feed(output(0, "old"), { kind: "resize", seq: 3, cols: 100, rows: 30 }, output(3, "new"));
    expect(canvas.log).toEqual(["restore 80x24", "s"]);
    canvas.parse();
    expect(canvas.log.slice(2)).toEqual(["old", "resize 100x30", "new"]);
  });

  test("an exit is reported after the last output was drawn; later output means a new process", () => {
    const { canvas, told, feed } = setUp();
    feed(snapshot(0), output(0, "bye"), { kind: "exit", seq: 3, code: 1 }, output(3, "again"));
    expect(told).not.toContain("exited 1");
    canvas.parse();
    expect(told.filter((line) => line.startsWith("exited"))).toEqual([
      "exited null",
      "exited 1",
      "exited null",
    ]);
  });

  test("a resync snapshot in mid-stream waits for output that is being parsed", () => {
    const { canvas, feed, told } = setUp();
    feed(snapshot(0), output(0, "abc"), snapshot(900, "later"), output(900, "!"));
    canvas.parse();
    expect(canvas.log).toEqual(["restore 80x24", "", "abc", "restore 80x24", "later", "!"]);
    expect(told.at(-1)).toBe("ack 901");
  });
});

describe("a frame that does not fit requests one new attach and draws nothing more", () => {
  test.each<[string, Frame[], string]>([
    ["a gap", [output(1, "b")], "broken: output at 1 where 0 was due"],
    ["doubled output", [output(0, "ab"), output(0, "ab")], "broken: output at 0 where 2 was due"],
    [
      "a resize out of place",
      [{ kind: "resize", seq: 9, cols: 1, rows: 1 }],
      "broken: resize at 9 where 0 was due",
    ],
    [
      "an exit after missing output",
      [{ kind: "exit", seq: 9, code: 0 }],
      "broken: exit at 9 where 0 was due",
    ],
  ])("%s", (_name, frames, expected) => {
    const { canvas, told, feed } = setUp();
    feed(snapshot(0));
    canvas.parse();
    feed(...frames, output(0, "x"), snapshot(0));
    canvas.parse();
    expect(told.filter((line) => line.startsWith("broken"))).toEqual([expected]);
    expect(canvas.log).not.toContain("x");
  });

  test("such as output before any snapshot", () => {
    const { told, feed } = setUp();
    feed(output(0, "x"));
    expect(told).toEqual(["broken: output before a snapshot"]);
  });
});

describe("acknowledgements", () => {
  test("are sent after parsing, coalesced to the last byte drawn", () => {
    const { canvas, told, feed } = setUp();
    feed(snapshot(10, "s"), output(10, "a"), output(11, "b"), output(12, "c"));
    expect(told.some((line) => line.startsWith("ack"))).toBe(false);
    canvas.parse();
    expect(told.filter((line) => line.startsWith("ack"))).toEqual(["ack 10", "ack 13"]);
  });

  test("are sent during a flood, long before the window is full", () => {
    const { canvas, told, feed } = setUp();
    const chunk = "x".repeat(WINDOW / 32);
    feed(snapshot(0));
    for (let n = 0; n < 32; n += 1) feed(output(n * chunk.length, chunk));
    canvas.parse(4);
    expect(told.some((line) => line.startsWith("ack"))).toBe(true);
    canvas.parse();
    const acks = told.filter((line) => line.startsWith("ack"));
    expect(acks.length).toBeLessThanOrEqual(17);
    expect(acks.at(-1)).toBe(`ack ${WINDOW}`);
  });

  test("are not sent for a stream that was dropped", () => {
    const { canvas, told, stream, feed } = setUp();
    feed(snapshot(0), output(0, "abc"));
    stream.drop();
    canvas.parse();
    expect(told.some((line) => line.startsWith("ack"))).toBe(false);
  });
});

test("closed reports why, after the last output was drawn, and ends the stream", () => {
  const { canvas, told, feed } = setUp();
  feed(snapshot(0), { kind: "closed", reason: "keeper gone" }, output(0, "x"));
  canvas.parse();
  expect(told).toContain("closed keeper gone");
  expect(canvas.log).not.toContain("x");
});
