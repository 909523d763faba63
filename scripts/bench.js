// `npm run bench [-- --quick] [-- ROW…]`: installs what is missing, builds a release, and compares
// it with tmux, git and bare terminals in one run on this machine. Runs all rows unless some are
// named; a wrong name lists them. The measuring code is in `bench/`; this script only builds and
// starts it.
import { join } from "node:path";
import { Failed, npm, root, run } from "./run.js";
import { modules } from "./setup/modules.js";
import { system } from "./setup/system.js";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
const packages = ["downbeat-cli", "downbeat-tests", "downbeat-bench"];

try {
  if (process.platform !== "linux")
    throw new Failed("The bench reads /proc and compares with tmux: it needs Linux.");
  await system({ forTests: true });
  await modules();
  // The loopback forge has packages of its own.
  await modules(join(root, "tests", "forge"));
  await run(npm("run", "--silent", "ui:build"));
  await run(["cargo", "build", "--release", ...packages.flatMap((name) => ["-p", name])]);
  await run([join(target, "release", "downbeat-bench"), ...process.argv.slice(2)]);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
