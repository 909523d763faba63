import { expect, it } from "vitest";
import { CallError } from "./error";

it("formats the problem and the advice as sentences", () => {
  const held = new CallError("conflict", "api has a shell that runs vim", "end it first");
  expect(held.told).toBe("api has a shell that runs vim.\nEnd it first.");
  const command = new CallError("not_found", "no “x”", "`downbeat list` shows the others");
  expect(command.told).toBe("No “x”.\n`downbeat list` shows the others.");
});

it("leaves complete sentences unchanged, and a missing advice out", () => {
  expect(new CallError("failed", "Is its disk away?").told).toBe("Is its disk away?");
  expect(new CallError("failed", "Gone.", "").told).toBe("Gone.");
  expect(CallError.from(new Error("boom")).advice).toBeNull();
});
