import { describe, expect, it } from "vitest";
import { CallError } from "~/wire/error";
import { Answer } from "./answer.svelte";

describe("the answer to a repeated request", () => {
  it("is that of the newest request, whichever comes last", async () => {
    const answer = new Answer<string>();
    let late: (text: string) => void = () => undefined;
    const first = answer.ask(() => new Promise((done) => (late = done)));
    await answer.ask(() => Promise.resolve("new"));
    late("old");
    await first;
    expect(answer.value).toBe("new");
  });

  it("stays while a later request fails, and its error goes with the next one", async () => {
    const answer = new Answer<string>();
    await answer.ask(() => Promise.resolve("known"));
    await answer.ask(() => Promise.reject(new CallError("failed", "It is gone.", "Look.")));
    expect([answer.value, answer.error]).toEqual(["known", "It is gone.\nLook."]);
    const seen: string[] = [];
    await answer.ask(
      () => Promise.resolve("again"),
      (text) => seen.push(`${answer.value} then ${text}`),
    );
    expect([answer.value, answer.error, seen]).toEqual(["again", null, ["known then again"]]);
  });
});
