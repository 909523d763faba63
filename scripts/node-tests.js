// Runs the Node tests of a folder, one file at a time: they share the display or the processor.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Failed, root, run } from "./run.js";

const NODE = [process.execPath, "--test", "--test-concurrency=1", "--test-reporter=spec"];

const start = (folder, names) =>
  run([...NODE, ...names.map((name) => join(folder, name))], { keep: true });

const testsOf = (folder) =>
  readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.js"));

/** Runs the tests of a folder. */
export const nodeTests = (folder) => start(folder, testsOf(folder));

/** Runs the tests of a folder that drive the whole program: every file, also after one that failed. Files that failed are run once
 * more, to tell a broken test from an unsteady one. Returns a remark that names the unsteady files. */
export async function programTests(folder) {
  const failed = [];
  for (const name of testsOf(folder)) {
    try {
      await start(folder, [name]);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      failed.push(name);
    }
  }
  if (failed.length === 0) return "";
  console.log(`\n── once more, to tell what is broken from what is unsteady: ${failed.join(", ")}`);
  await start(folder, failed);
  return `  unsteady, failed once: ${failed.join(", ")}`;
}
