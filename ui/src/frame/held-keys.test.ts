import { expect, it } from "vitest";
import { HeldKeys } from "./held-keys";

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  getModifierState: () => false,
  ...more,
});

it("types the held keys into the field, in order, once", () => {
  const held = new HeldKeys();
  for (const key of ["C", "a", "x", "Backspace", "r", "Enter", "Shift", "t", "🛒"]) {
    expect(held.take(press(key))).toBe(true);
  }
  const field = document.createElement("input");
  const told: string[] = [];
  field.addEventListener("input", () => told.push(field.value));
  held.release(field);
  held.release(field);
  expect(told).toEqual(["Cart🛒"]);
});

it("holds text typed with AltGr, and swallows the keys of a composition", () => {
  const held = new HeldKeys();
  const altGr = { ctrlKey: true, altKey: true, getModifierState: () => true };
  for (const pressed of [press("@", altGr), press("Dead"), press("Process"), press("e")]) {
    expect(held.take(pressed)).toBe(true);
  }
  const field = document.createElement("input");
  held.release(field);
  expect(field.value).toBe("@e");
});

it("leaves commands alone", () => {
  const held = new HeldKeys();
  for (const pressed of [
    press("k", { ctrlKey: true }),
    press("k", { metaKey: true }),
    press("f", { altKey: true }),
  ]) {
    expect(held.take(pressed)).toBe(false);
  }
});

it("drops held keys if no field takes them", () => {
  const held = new HeldKeys();
  held.take(press("y"));
  held.release(null);
  const field = document.createElement("textarea");
  held.release(field);
  expect(field.value).toBe("");
});
