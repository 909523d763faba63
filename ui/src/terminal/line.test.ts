// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TerminalHandlers, TerminalPipe } from "~/platform/types";
import { Line } from "./line";

/** A fake keeper at the other end: opens on demand and exchanges bytes. */
class Far {
  handlers: TerminalHandlers[] = [];
  sent: number[][] = [];
  closed = 0;
  refuse = false;
  open = (handlers: TerminalHandlers): Promise<TerminalPipe> => {
    if (this.refuse) return Promise.reject(new Error("nobody there"));
    this.handlers.push(handlers);
    return Promise.resolve({
      send: (bytes) => this.sent.push([...bytes]),
      close: () => (this.closed += 1),
    });
  };
  get now(): TerminalHandlers {
    const last = this.handlers.at(-1);
    if (!last) throw new Error("never opened");
    return last;
  }
  snapshot(seq: number, text = "") {
    this.#frame(0, seq, [0, 80, 0, 24], text);
  }
  output(seq: number, text: string) {
    this.#frame(1, seq, [], text);
  }
  #frame(kind: number, seq: number, head: number[], text: string) {
    const bytes = [kind, 0, 0, 0, 0, 0, 0, 0, seq, ...head, ...new TextEncoder().encode(text)];
    this.now.frame(Uint8Array.from(bytes));
  }
}

function setUp(persistent = true) {
  const far = new Far();
  const drawn: string[] = [];
  const states: string[] = [];
  const canvas = {
    write: (data: Uint8Array, done: () => void) => {
      drawn.push(new TextDecoder().decode(data));
      done();
    },
    preview: () => undefined,
    restore: (_cols: number, _rows: number, snapshot: Uint8Array, done: () => void) => {
      drawn.splice(0);
      drawn.push(new TextDecoder().decode(snapshot));
      done();
    },
    resize: () => undefined,
  };
  const line = new Line(
    (handlers) => far.open(handlers),
    canvas,
    {
      state: (state, reason) => states.push(reason ? `${state}: ${reason}` : state),
      previewed: () => undefined,
      sized: () => undefined,
      exited: () => undefined,
    },
    persistent,
  );
  return { far, drawn, states, line };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a size that is asked for before the pipe is handed over is sent then, the newest only", async () => {
  const { far, line } = setUp();
  let hand: () => void = () => undefined;
  const { open } = far;
  far.open = async (handlers) => {
    const pipe = await open(handlers);
    return new Promise<TerminalPipe>((done) => (hand = () => done(pipe)));
  };
  line.nudge();
  await vi.advanceTimersByTimeAsync(0);
  far.snapshot(5, "hello");
  line.resize(100, 30);
  line.resize(90, 28);
  expect(far.sent).toEqual([]);
  hand();
  await vi.advanceTimersByTimeAsync(0);
  expect(far.sent).toContainEqual([1, 0, 90, 0, 28]);
  expect(far.sent).not.toContainEqual([1, 0, 100, 0, 30]);
});

test("opens, draws and acknowledges", async () => {
  const { far, drawn, states, line } = setUp();
  line.nudge();
  await vi.advanceTimersByTimeAsync(0);
  far.snapshot(5, "hello");
  far.output(5, "!");
  expect(drawn.join("")).toBe("hello!");
  expect(states).toEqual(["connecting", "open"]);
  expect(far.sent.at(-1)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 6]);
});

test("acknowledges frames that arrive before the pipe once it is there", async () => {
  const { far, line } = setUp();
  line.nudge();
  far.snapshot(7);
  expect(far.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(0);
  expect(far.sent).toEqual([[2, 0, 0, 0, 0, 0, 0, 0, 7]]);
});

test("reconnects after a loss with a fresh snapshot, without duplicate lines", async () => {
  const { far, drawn, states, line } = setUp();
  line.nudge();
  await vi.advanceTimersByTimeAsync(0);
  far.snapshot(0);
  far.output(0, "one\n");
  const old = far.now;
  old.lost("network");
  await vi.advanceTimersByTimeAsync(400);
  expect(far.handlers).toHaveLength(2);
  far.snapshot(4, "one\n");
  old.frame(Uint8Array.from([1, 0, 0, 0, 0, 0, 0, 0, 4, 120]));
  far.output(4, "two\n");
  expect(drawn.join("")).toBe("one\ntwo\n");
  expect(states).toEqual(["connecting", "open", "lost: network", "connecting", "open"]);
});

test("hangs up after a gap and attaches anew", async () => {
  const { far, drawn, line } = setUp();
  line.nudge();
  await vi.advanceTimersByTimeAsync(0);
  far.snapshot(0);
  far.output(3, "late");
  expect(far.closed).toBe(1);
  await vi.advanceTimersByTimeAsync(400);
  far.snapshot(7, "all of it");
  expect(drawn.join("")).toBe("all of it");
});

test("retries with growing pauses, and immediately when nudged", async () => {
  const { far, line, states } = setUp();
  far.refuse = true;
  line.nudge();
  await vi.advanceTimersByTimeAsync(60_000);
  const tries = states.filter((state) => state === "connecting").length;
  expect(tries).toBeGreaterThan(8);
  expect(tries).toBeLessThan(18);
  far.refuse = false;
  line.nudge();
  expect(far.handlers).toHaveLength(1);
});

test("tries an ended session once, and again when the session lives", async () => {
  const { far, line, states } = setUp(false);
  far.refuse = true;
  line.nudge();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(states).toEqual(["connecting", "closed: nobody there"]);
  far.refuse = false;
  line.persistent = true;
  await vi.advanceTimersByTimeAsync(0);
  expect(far.handlers).toHaveLength(1);
});

test("closes a pipe that opens after hanging up", async () => {
  const { far, line } = setUp();
  line.nudge();
  line.stop();
  await vi.advanceTimersByTimeAsync(0);
  expect(far.closed).toBe(1);
});

test("sends a large paste in pieces, in order", async () => {
  const { far, line } = setUp();
  line.nudge();
  await vi.advanceTimersByTimeAsync(0);
  line.type(new Uint8Array(100_000).fill(120));
  const data = far.sent.filter(([kind]) => kind === 0);
  expect(data.length).toBe(4);
  expect(data.reduce((sum, piece) => sum + piece.length - 1, 0)).toBe(100_000);
});

test("sends what was typed during the first connection, but not during a reconnect", async () => {
  const { far, line } = setUp();
  line.nudge();
  line.type(new TextEncoder().encode("ls"));
  await vi.advanceTimersByTimeAsync(0);
  const data = (text: string) => [...new TextEncoder().encode(text)];
  expect(far.sent.map((frame) => frame.slice(-2))).toContainEqual(data("ls"));
  far.sent.splice(0);
  far.now.lost("gone");
  line.type(new TextEncoder().encode("rm"));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(far.sent.flat().join()).not.toContain(data("rm").join());
});
