import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StreamItem } from "~/wire/types";
import { follow } from "./follow";
import type { Proof } from "./proof";
import { isWebAddress } from "./system";
import type { Connection } from "./types";

class Socket {
  onopen = () => {};
  onmessage: (event: { data: string }) => void = () => {};
  onclose = () => {};
  closed = false;
  constructor(readonly since: number) {}
  close() {
    this.closed = true;
  }
}

const change = (seq: number): { data: string } => ({
  data: JSON.stringify({ type: "change", seq, at: "", kind: "notice", invalidates: [] }),
});

let sockets: Socket[] = [];
let items: StreamItem[] = [];
let states: Connection[] = [];
let proof: Proof = "proven";

/** Starts following and waits for the first connection. */
async function start() {
  const stop = follow({
    since: 5,
    handlers: { item: (item) => items.push(item), connection: (state) => states.push(state) },
    open: (since) => {
      const socket = new Socket(since);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    proof: () => Promise.resolve(proof),
  });
  await vi.advanceTimersByTimeAsync(0);
  return stop;
}

const seqs = () => items.map((item) => item.seq);

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  items = [];
  states = [];
  proof = "proven";
});
afterEach(() => void vi.useRealTimers());

it("resumes after the last change seen, and takes none twice", async () => {
  await start();
  sockets[0]?.onopen();
  sockets[0]?.onmessage(change(6));
  sockets[0]?.onmessage(change(7));
  sockets[0]?.onclose();
  await vi.advanceTimersByTimeAsync(300);
  expect(sockets.map(({ since }) => since)).toEqual([5, 7]);
  sockets[1]?.onopen();
  sockets[1]?.onmessage(change(7));
  sockets[1]?.onmessage(change(8));
  expect(seqs()).toEqual([6, 7, 8]);
  expect(states).toEqual(["connecting", "open", "lost", "open"]);
});

it("resumes from a resync, also with smaller numbers", async () => {
  await start();
  sockets[0]?.onmessage({ data: JSON.stringify({ type: "resync", seq: 2 }) });
  sockets[0]?.onmessage(change(3));
  expect(seqs()).toEqual([2, 3]);
});

it("opens no connection before the engine has proved itself, each time anew", async () => {
  proof = "silent";
  await start();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(0);
  expect(states.at(-1)).toBe("lost");
  proof = "proven";
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sockets).toHaveLength(1);
  proof = "silent";
  sockets[0]?.onclose();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(1);
});

it("waits longer each time, and stops at a stranger or when told to", async () => {
  const stop = await start();
  for (let i = 0; i < 8; i += 1) {
    sockets.at(-1)?.onclose();
    await vi.advanceTimersByTimeAsync(5_000);
  }
  expect(sockets).toHaveLength(9);
  proof = "stranger";
  sockets.at(-1)?.onclose();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(9);
  expect(states.at(-1)).toBe("refused");
  stop();
  expect(sockets.at(-1)?.closed).toBe(true);
});

it("allows only web addresses", () => {
  expect(["https://x.dev/a", "http://localhost:3000"].every(isWebAddress)).toBe(true);
  const bad = ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "nonsense", ""];
  expect(bad.some(isWebAddress)).toBe(false);
});
