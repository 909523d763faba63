// The copies of the programs that an engine makes in a new data directory: more than a hundred megabytes of a debug
// build. The first engine of a build makes them, and the worlds after it have links to them. Nothing writes to these
// files: an engine replaces what it finds wanting. The whole-program tests share them (`tests/src/programs.rs`).
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/run.js";

const built = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug");
const kept = join(built, "installed");
/** The engine's record of what it copied. */
const RECORD = "known.json";

/** Returns what `read` returns, or undefined if a file is missing. */
function found(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Links a file, or copies it where the file system has no links, or lies elsewhere. */
export function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Links all files below `from` into a new folder. */
function linkAll(from, to) {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [here, there] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkAll(here, there);
    else linkSync(here, there);
  }
}

/** Gives a new data directory the copies that an earlier engine made, unless the program was built anew. */
export function linkInstalled(data) {
  const changed = (path) => found(() => statSync(path).mtimeMs) ?? 0;
  if (changed(join(kept, RECORD)) <= changed(join(built, "downbeat"))) return;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Another process may replace them at this moment, or they lie on another disk; then this engine makes its own.
  found(() => linkAll(kept, join(data, "bin")));
}

/** Keeps the copies that an engine made, unless the same are kept already. */
export function keepInstalled(data) {
  const record = (bin) => found(() => readFileSync(join(bin, RECORD), "utf8"));
  const made = join(data, "bin");
  const now = record(made);
  if (now === undefined || now === record(kept)) return;
  const draft = mkdtempSync(join(built, "installed-"));
  found(() => {
    linkAll(made, join(draft, "bin"));
    found(() => renameSync(kept, join(draft, "old")));
    renameSync(join(draft, "bin"), kept);
  });
  rmSync(draft, { recursive: true, force: true });
}
