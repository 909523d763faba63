// Answers are sent once, for the question under which they were pressed, and failures are reported.
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { App } from "~/state/app.svelte";
import type { ToastMessage } from "~/state/toasts.svelte";
import { CallError } from "~/wire/error";
import type { AnswerReceipt, SessionSummary } from "~/wire/types";
import { Answering, choiceOf, questionKey } from "./answering.svelte";

const OPTIONS = ["Yes", "Yes, and don't ask again", "No"];

function asks(text: string, since = "2026-11-21T10:00:00Z", options = OPTIONS): SessionSummary {
  const question = { kind: "permission", text, options };
  return { id: "s1", title: "Search", statusSince: since, question } as SessionSummary;
}

function receipt(delivery: AnswerReceipt["delivery"]): AnswerReceipt {
  return { answer: "Yes", delivery, detail: "the question still shows" };
}

let answering: Answering;
let sent: unknown[];
let toasts: ToastMessage[];
let opened: string[];
let asked: string[];
let reply: { done(answer: AnswerReceipt): void; fail(error: unknown): void };

beforeEach(() => {
  [sent, toasts, opened, asked] = [[], [], [], []];
  answering = new Answering({
    call: (_: string, request: unknown) => {
      sent.push(request);
      return new Promise<AnswerReceipt>((done, fail) => (reply = { done, fail }));
    },
    toasts: { show: (toast: ToastMessage) => toasts.push(toast) },
    view: { open: (id: string, tab: string) => opened.push(`${id} ${tab}`) },
    fleet: { invalidate: () => undefined, changed: (id: string) => asked.push(id) },
  } as unknown as App);
});

test("an answer is sent once, by its text, and stays in flight until the question changes", async () => {
  const session = asks("Bash: ls");
  const given = answering.give(session, 1);
  void answering.give(session, 1);
  void answering.give(session, 0);
  expect(sent).toEqual([{ id: "s1", choice: "Yes, and don't ask again", question: "Bash: ls" }]);
  expect(answering.under(session)).toEqual({ answer: "Yes, and don't ask again" });
  // The next question is already open, but the engine is still processing the first.
  expect(answering.under(asks("Bash: rm"))).toEqual({ answer: null });
  reply.done(receipt("taken"));
  await given;
  expect(answering.under(session)).toEqual({ answer: "Yes, and don't ask again" });
  expect(answering.under(asks("Bash: rm"))).toBeNull();
  expect(toasts).toEqual([]);
});

test("an accepted answer without visible effect can be given again", async () => {
  vi.useFakeTimers();
  const given = answering.give(asks("Bash: ls"), 0);
  reply.done(receipt("taken"));
  await given;
  vi.advanceTimersByTime(4_000);
  expect(answering.under(asks("Bash: ls"))).not.toBeNull();
  vi.advanceTimersByTime(1_001);
  expect(answering.under(asks("Bash: ls"))).toBeNull();
  vi.useRealTimers();
});

test("an uncertain answer is reported with a link to the terminal, and never sent again by itself", async () => {
  const given = answering.give(asks("Bash: ls"), 0);
  reply.done(receipt("uncertain"));
  await given;
  expect(toasts).toMatchObject([{ tone: "need", text: "the question still shows" }]);
  toasts[0]?.action?.run();
  expect(opened).toEqual(["s1 terminal"]);
  expect(sent).toHaveLength(1);
  expect(answering.under(asks("Bash: ls"))).toBeNull();
});

test("a refused answer is reported with its advice, and sessions are read again", async () => {
  const given = answering.give(asks("Bash: ls"), 2);
  reply.fail(new CallError("conflict", "search asks nothing", "hand it a message instead"));
  await given;
  expect(toasts[0]?.text).toBe("search asks nothing.\nHand it a message instead.");
  expect(toasts[0]?.action?.label).toBe("Open terminal");
  expect(asked).toEqual(["s1"]);
  expect(answering.under(asks("Bash: ls"))).toBeNull();
});

test("an answer that is not offered is not sent", async () => {
  await answering.give(asks("Bash: ls"), 3);
  await answering.give({ ...asks("Bash: ls"), question: null }, 0);
  expect(sent).toEqual([]);
});

describe("keys", () => {
  test("the same question asked later has another key, as has one whose answers arrived", () => {
    const first = questionKey(asks("Bash: ls"));
    expect(questionKey(asks("Bash: ls"))).toBe(first);
    expect(questionKey(asks("Bash: ls", "2026-11-21T10:00:01Z"))).not.toBe(first);
    expect(questionKey(asks("Bash: ls", undefined, []))).not.toBe(first);
  });

  test("an answer is identified by its text, or by its number if the text is ambiguous", () => {
    expect(choiceOf(OPTIONS, 0)).toBe("Yes");
    expect(choiceOf(["3", "2", "1"], 0)).toBe("1");
    expect(choiceOf(["Same", "same "], 1)).toBe("2");
    expect(choiceOf(["", "b"], 0)).toBe("1");
  });
});
