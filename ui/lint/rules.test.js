// @vitest-environment node
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Linter } from "eslint";
import { afterEach, beforeEach, expect, it } from "vitest";
import { local } from "./rules.js";

let source = "";
beforeEach(() => (source = mkdtempSync(join(tmpdir(), "rules-"))));
afterEach(() => rmSync(source, { recursive: true }));

function plant(files) {
  for (const [name, text] of Object.entries(files)) {
    const file = join(source, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** What the rule says of one planted file. */
function told(name) {
  const file = join(source, name);
  const linter = new Linter({ cwd: source });
  const config = {
    files: ["**/*.ts"],
    plugins: { local },
    rules: { "local/no-folder-cycles": ["error", { source }] },
  };
  return linter
    .verify(readFileSync(file, "utf8"), config, { filename: file })
    .map(({ message, line }) => `${line}: ${message}`);
}

it("names each arrow of a circle of folders, also where no file is in one", () => {
  plant({
    "low/a.ts": 'import "~/high/c";\n',
    "low/b.ts": "export const b = 1;\n",
    "high/c.ts": "export const c = 1;\n",
    "high/d.ts": 'import "./c";\nimport { b } from "../low/b";\nb;\n',
    "top.ts": 'import "./high/d";\nimport "./low/a";\n',
  });
  expect(told("low/a.ts")).toEqual([
    "1: A circle of folders: low imports ~/high/c, and high/d.ts imports low/b.ts.",
  ]);
  expect(told("high/d.ts")).toEqual([
    "2: A circle of folders: high imports ../low/b, and low/a.ts imports high/c.ts.",
  ]);
  expect(told("top.ts")).toEqual([]);
});

it("goes along types and parts that are loaded later, and all the way round", () => {
  plant({
    "one/a.ts": 'export const later = () => import("~/two/b");\n',
    "two/b.ts": 'import { c } from "~/three/c";\nc;\n',
    "three/c.ts": 'import type { later } from "~/one/a";\nexport const c = 1;\n',
  });
  expect(told("one/a.ts")).toEqual([
    "1: A circle of folders: one imports ~/two/b, and two/b.ts imports three/c.ts, three/c.ts imports one/a.ts.",
  ]);
});

it("leaves folders alone that look one way", () => {
  plant({
    "views/index.ts": 'import "./board/board";\n',
    "views/board/board.ts": 'import "~/state/fleet";\n',
    "state/fleet.ts": "export const fleet = 1;\n",
  });
  expect(["views/index.ts", "views/board/board.ts", "state/fleet.ts"].flatMap(told)).toEqual([]);
});
