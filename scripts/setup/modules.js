// Installs the npm packages of a lockfile, once per lockfile.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm, root, run } from "../run.js";

/** Installs the packages of `folder`: those of the project, or of a package of its own for tests. */
export async function modules(folder = root) {
  const lockfile = readFileSync(join(folder, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  const stamp = join(folder, "node_modules", ".downbeat-lockfile");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await run(npm("ci", "--no-audit", "--no-fund"), { cwd: folder });
  writeFileSync(stamp, wanted);
}
