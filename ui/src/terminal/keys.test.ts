// @vitest-environment node
import { describe, expect, test } from "vitest";
import { keyAction, type Press } from "./keys";

const press = (key: string, code = "", more: Partial<Press> = {}): Press => ({
  key,
  code,
  ctrlKey: false,
  shiftKey: false,
  altKey: false,
  metaKey: false,
  type: "keydown",
  isComposing: false,
  ...more,
});

test("Shift+Enter is a newline for the agent; Enter and Ctrl+Enter are left to xterm", () => {
  expect(keyAction(press("Enter", "Enter", { shiftKey: true }), false, false)).toEqual({
    do: "type",
    bytes: "\x1b\r",
  });
  expect(keyAction(press("Enter", "Enter"), false, false).do).toBe("pass");
  expect(keyAction(press("Enter", "Enter", { ctrlKey: true }), false, false).do).toBe("pass");
});

describe("copy and paste", () => {
  test("use Shift on Linux and Windows; a plain Ctrl+letter stays the agent's", () => {
    expect(keyAction(press("C", "KeyC", { ctrlKey: true, shiftKey: true }), false, false).do).toBe(
      "copy",
    );
    expect(keyAction(press("V", "KeyV", { ctrlKey: true, shiftKey: true }), false, false).do).toBe(
      "paste",
    );
    for (const letter of "abcdefghijklmnopqrstuvwxyz") {
      expect(
        keyAction(press(letter, `Key${letter.toUpperCase()}`, { ctrlKey: true }), false, false).do,
      ).toBe("pass");
    }
  });

  test("use Cmd on a Mac; Ctrl+C stays the agent's", () => {
    expect(keyAction(press("c", "KeyC", { metaKey: true }), true, false).do).toBe("copy");
    expect(keyAction(press("v", "KeyV", { metaKey: true }), true, false).do).toBe("paste");
    expect(keyAction(press("c", "KeyC", { ctrlKey: true }), true, false).do).toBe("pass");
  });
});

test("Ctrl+/ undoes in shells and editors, on every layout", () => {
  const undo = { do: "type", bytes: "\x1f" };
  for (const mac of [true, false]) {
    expect(keyAction(press("/", "Slash", { ctrlKey: true }), mac, false)).toEqual(undo);
    expect(keyAction(press("/", "Digit7", { ctrlKey: true, shiftKey: true }), mac, false)).toEqual(
      undo,
    );
  }
  expect(keyAction(press("/", "Slash"), false, false).do).toBe("pass");
});

test("keys that the application takes are left to it, except while composing", () => {
  expect(keyAction(press("k", "KeyK", { ctrlKey: true, shiftKey: true }), false, true).do).toBe(
    "leave",
  );
  expect(keyAction(press("k", "KeyK", { isComposing: true }), false, true).do).toBe("pass");
});
