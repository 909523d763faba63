// Installs the npm packages of the lockfile, once per lockfile.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npm, root, run } from "../run.js";

export async function modules() {
  const lockfile = readFileSync(join(root, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  const stamp = join(root, "node_modules", ".downbeat-lockfile");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await run(npm("ci", "--no-audit", "--no-fund"));
  writeFileSync(stamp, wanted);
}
