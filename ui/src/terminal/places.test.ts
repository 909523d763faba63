// @vitest-environment node
import type { IBufferLine } from "@xterm/xterm";
import { expect, test } from "vitest";
import { inWorkspace, placesIn, placesOf } from "./places";

const found = (text: string) => placesIn(text).map(({ path, line }) => `${path} ${line}`);

test("places in files are found as programs print them", () => {
  expect(found(" ❯ src/cart/totals.test.ts:41:23")).toEqual(["src/cart/totals.test.ts 41"]);
  expect(found("  --> crates/engine/src/lib.rs:7:1")).toEqual(["crates/engine/src/lib.rs 7"]);
  expect(found("at checkout (/home/ada/shop/src/a.ts:3:9)")).toEqual(["/home/ada/shop/src/a.ts 3"]);
  expect(found("./a.py:12: warning, ../b.go:4")).toEqual(["./a.py 12", "../b.go 4"]);
  expect(found("Update(src/a-b/c.d.tsx:10)")).toEqual(["src/a-b/c.d.tsx 10"]);
});

test.each([
  "see src/cart/totals.ts",
  "https://example.com/a.ts:3",
  "http://localhost:3000 and 127.0.0.1:3100",
  "example.com:443",
  "at 12:41:05, ratio 16:9",
  "v1.2.3:4",
  "src/a.ts:12abc",
  "key: value.x: 3",
])("no place: %s", (text) => {
  expect(found(text)).toEqual([]);
});

test("a long line without a place is read in no time", () => {
  const began = performance.now();
  for (const text of ["../", "a.", "a.b/", "-.-/"]) placesIn(text.repeat(2_000));
  expect(performance.now() - began).toBeLessThan(2_000);
});

test("cells count, also after wide letters", () => {
  const cells = [
    ...Array.from("漢 ").flatMap((letter) =>
      letter === " " ? [{ chars: letter, width: 1 }] : [{ chars: letter, width: 2 }, null],
    ),
    ...Array.from("a/b.ts:7 ").map((chars) => ({ chars, width: 1 })),
  ];
  const line = {
    length: cells.length,
    getCell: (x: number) => ({
      getChars: () => cells[x]?.chars ?? "",
      getWidth: () => cells[x]?.width ?? 0,
    }),
  } as unknown as IBufferLine;
  expect(placesOf(line)).toEqual([{ path: "a/b.ts", line: 7, from: 4, to: 11 }]);
});

test("only paths of the workspace are opened", () => {
  const open = (path: string) => inWorkspace(path, "/w/shop");
  expect(open("src/a.ts")).toBe("src/a.ts");
  expect(open("./src/a.ts")).toBe("src/a.ts");
  expect(open("/w/shop/src/a.ts")).toBe("src/a.ts");
  for (const path of ["/w/shopping/a.ts", "/etc/a.conf", "../a.ts", "src/../../a.ts"]) {
    expect(open(path), path).toBeNull();
  }
  expect(inWorkspace("src/a.ts", null)).toBe("src/a.ts");
});
