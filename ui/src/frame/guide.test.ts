// @vitest-environment node
/// <reference types="node" />
// The guide's key table is the one that the keys run on. `UPDATE_GUIDE=1` writes it anew.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import type { System } from "~/platform/types";
import { usualKeys } from "~/state/keys/bindings";
import { format, parse } from "~/state/keys/chord";
import { idsOf, type CommandId, type CommandRows } from "~/state/keys/table";
import { COMMANDS } from "./commands";

const PATH = fileURLToPath(new URL("../../../docs/guide/keys.md", import.meta.url));
const ROWS: CommandRows = COMMANDS;
const COMMAND_IDS = idsOf(ROWS);
const [FROM, TO] = ["<!-- keys: generated -->\n", "<!-- /keys -->\n"];

function shown(id: CommandId, system: System): string {
  const read = (text: string) => {
    const words = format(parse(text, system), system);
    return system === "mac" ? words : words.replaceAll(" ", "+");
  };
  const [usual] = usualKeys(id, { rows: ROWS, system, inBrowser: false });
  const { browser } = ROWS[id];
  if (usual === undefined) return "";
  return browser === undefined ? read(usual) : `${read(usual)}; in a browser ${read(browser)}`;
}

function table(): string {
  const rows = COMMAND_IDS.filter((id) => shown(id, "linux") !== "").map(
    (id) => `| ${ROWS[id].title} | \`${id}\` | ${shown(id, "linux")} | ${shown(id, "mac")} |\n`,
  );
  return `| command | in the file | Linux, Windows | macOS |\n|---|---|---|---|\n${rows.join("")}`;
}

function others(): string {
  const ids = COMMAND_IDS.filter((id) => shown(id, "linux") === "").map((id) => `\`${id}\``);
  return `\nWithout keys until you choose some: ${ids.join(", ")}.\n`;
}

it("matches the key table in the guide", () => {
  const text = readFileSync(PATH, "utf8");
  const [from, to] = [text.indexOf(FROM) + FROM.length, text.indexOf(TO)];
  const now = text.slice(0, from) + table() + others() + text.slice(to);
  if (process.env.UPDATE_GUIDE !== undefined) writeFileSync(PATH, now);
  expect(readFileSync(PATH, "utf8")).toBe(now);
});

it("is the same on Linux and Windows", () => {
  for (const id of COMMAND_IDS) expect(shown(id, "windows")).toBe(shown(id, "linux"));
});
