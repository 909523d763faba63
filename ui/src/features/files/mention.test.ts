// @vitest-environment node
import { describe, expect, test } from "vitest";
import { matches, mentionAt, mentioned, mentionOf, spaced, type Edit } from "./mention";

/** The mention at the bar. */
const at = (text: string) => mentionAt(text.replace("|", ""), text.indexOf("|"));

/** The text after an edit, with a bar at the cursor. */
function after(text: string, { from, to, text: own, cursor }: Edit): string {
  const whole = text.slice(0, from) + own + text.slice(to);
  return `${whole.slice(0, cursor)}|${whole.slice(cursor)}`;
}

describe("the mention at the cursor", () => {
  test.each([
    ["@|", 0, ""],
    ["Look at @car|", 8, "car"],
    ["Look at @car|t.ts", 8, "car"],
    ["one\n@src/a|", 4, "src/a"],
    ["(@a|)", 1, "a"],
    ['"@a|', 1, "a"],
    ["@node_modules/@scope/a|", 0, "node_modules/@scope/a"],
    ['see @"my no|', 4, "my no"],
    ["@src\\a|", 0, "src/a"],
  ])("in %j begins at %i", (text, from, query) => {
    expect(at(text)).toEqual({ from, query });
  });

  test.each(["", "|", "car|", "ada@example|", "@car |", "@car\n|", '@"my notes" |', "|@car"])(
    "is absent in %j",
    (text) => expect(at(text)).toBeNull(),
  );

  test("is found at the end of a very long line", () => {
    expect(at(`${"x".repeat(5_000)} @a|`)).toEqual({ from: 5_001, query: "a" });
  });
});

test("a path with blanks is in quotes", () => {
  expect(mentionOf("src/a.ts")).toBe("@src/a.ts");
  expect(mentionOf("docs/my notes.md")).toBe('@"docs/my notes.md"');
});

test("a mention is replaced, with one blank after it", () => {
  const replaced = (text: string) => {
    const [whole, cursor] = [text.replace("|", ""), text.indexOf("|")];
    const mention = mentionAt(whole, cursor);
    return mention && after(whole, mentioned(whole, mention, cursor, "src/cart.ts"));
  };
  expect(replaced("Look at @ca|")).toBe("Look at @src/cart.ts |");
  expect(replaced("Look at @ca| now")).toBe("Look at @src/cart.ts |now");
  expect(replaced('Look at @"ca|')).toBe("Look at @src/cart.ts |");
  expect(replaced("@|then")).toBe("@src/cart.ts |then");
});

test("a path goes between blanks", () => {
  const put = (text: string) => {
    const [from, to] = [text.indexOf("["), text.indexOf("]") - 1];
    const whole = text.replace(/[[\]]/g, "");
    return after(whole, spaced(whole, from, to, "/a.png"));
  };
  expect(put("[]")).toBe("/a.png |");
  expect(put("see[]")).toBe("see /a.png |");
  expect(put("see []")).toBe("see /a.png |");
  expect(put("see [] now")).toBe("see /a.png |now");
  expect(put("see [this].")).toBe("see /a.png |.");
});

test("letters match in their order, whatever their case", () => {
  expect(matches("src/cart/Totals.ts", "SCtot")).toBe(true);
  expect(matches("src/cart/Totals.ts", "")).toBe(true);
  expect(matches("src/cart/Totals.ts", "tc")).toBe(false);
});
