import { describe, expect, it } from "vitest";
import {
  apart,
  found,
  isDamaged,
  nameFor,
  parse,
  PARTS,
  put,
  renamed,
  withName,
  without,
  written,
  type Prompt,
} from "./saved";

const bytes = (text: string) => new TextEncoder().encode(text).length;
const prompt = (name: string, text = `text of ${name}`): Prompt => ({ name, text });
const names = (prompts: readonly Prompt[]) => prompts.map(({ name }) => name);

describe("how they are kept", () => {
  it.each([
    ["one", [prompt("Review", 'Read "it"\nagain')]],
    ["long ones of many bytes", [prompt("a", "é日🎼".repeat(600)), prompt("b", "x".repeat(5_000))]],
  ])("%s comes back, in values that the engine takes", (_, prompts) => {
    const values = written(prompts) ?? {};
    expect(parse(values)).toEqual(prompts);
    for (const value of Object.values(values)) expect(bytes(value)).toBeLessThanOrEqual(4_096);
  });

  it("leaves nothing of more prompts that another window wrote", () => {
    const many = written([prompt("a", "x".repeat(9_000))]) ?? {};
    expect(parse({ ...many, ...written([prompt("a")]) })).toEqual([prompt("a")]);
    expect(parse({ ...many, ...written([]) })).toEqual([]);
    expect(Object.keys(many)).toEqual([...PARTS]);
  });

  it("tells what is damaged from what is empty", () => {
    const two = written([prompt("a", "x".repeat(5_000))]) ?? {};
    expect(isDamaged({ ...two, [PARTS[0]]: two[PARTS[1]] })).toBe(true);
    for (const values of [{}, two, written([]) ?? {}]) expect(isDamaged(values)).toBe(false);
  });

  it("refuses what does not fit", () => {
    expect(written([prompt("a", "x".repeat(16_300))])).not.toBeNull();
    expect(written([prompt("a", "x".repeat(16_400))])).toBeNull();
  });

  it("has none in what is not its own", () => {
    for (const text of ["{", "7", "[[1,2],3,null]"])
      expect(parse({ [PARTS[0]]: text })).toEqual([]);
  });
});

it("has one prompt of each name, in the order of names", () => {
  const all = put(put(put([], prompt("tests")), prompt("Docs")), prompt("  Review \n it ", " a\n"));
  expect(names(all)).toEqual(["Docs", "Review it", "tests"]);
  expect(withName(all, "review IT")?.text).toBe("a");
  const replaced = put(all, prompt("TESTS", "other"));
  expect(names(replaced)).toEqual(["Docs", "Review it", "TESTS"]);
  expect(names(without(replaced, "tests"))).toEqual(["Docs", "Review it"]);
  expect(names(renamed(all, "tests", "Checks"))).toEqual(["Checks", "Docs", "Review it"]);
  expect(names(renamed(all, "tests", "Tests"))).toEqual(["Docs", "Review it", "Tests"]);
  expect(renamed(all, "gone", "x")).toEqual(all);
});

it("is found by words of its name, then of its text", () => {
  const all = [prompt("Docs", "Write the guide"), prompt("Guide", "for people"), prompt("Tests")];
  expect(names(found(all, "GUIDE"))).toEqual(["Guide", "Docs"]);
  expect(names(found(all, "write docs"))).toEqual(["Docs"]);
  expect(names(found(all, " "))).toEqual(["Docs", "Guide", "Tests"]);
  expect(found(all, "nothing")).toEqual([]);
});

it.each([
  ["\n\n  Fix  the tests\nand more", "Fix the tests"],
  [
    "Move the discounts out of the cart and into a module",
    "Move the discounts out of the cart and",
  ],
  ["", ""],
])("names %j by its beginning", (text, name) => {
  expect(nameFor(text)).toBe(name);
});

it.each<[string, number, string, string]>([
  ["", 0, "Do it", "Do it"],
  ["Now", 3, "Do it", " Do it"],
  ["Now ", 4, "Do it", "Do it"],
  ["ab", 1, "Do it", " Do it "],
  ["Now", 3, "Do\nit", "\n\nDo\nit"],
])("into %j at %i, %j goes apart from the rest", (text, at, own, inserted) => {
  expect(apart(text, at, own)).toBe(inserted);
});
