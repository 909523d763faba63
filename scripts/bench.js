// `npm run bench [-- NAME…]`: measures keepers against tmux and a bare PTY reader, in one run on
// this machine, and prints medians. Names: drain, idle, attach, echo; all without arguments.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Failed, root, run } from "./run.js";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function measure(names) {
  const program = join(target, "release", "examples", "measure");
  const done = spawnSync(program, names, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (done.status !== 0)
    throw new Failed(`The measuring program failed: ${done.error ?? done.status}`);
  const measured = new Map();
  for (const line of done.stdout.split("\n").filter(Boolean)) {
    const { name, value } = JSON.parse(line);
    measured.set(name, [...(measured.get(name) ?? []), value]);
  }
  return measured;
}

try {
  await run(["cargo", "build", "--release", "-p", "downbeat-keeper", "--examples"]);
  const measured = measure(process.argv.slice(2));
  const width = Math.max(...[...measured.keys()].map((name) => name.length));
  for (const [name, values] of measured) {
    const runs = values.length > 1 ? `  (median of ${values.length})` : "";
    console.log(`${name.padEnd(width)}  ${median(values)}${runs}`);
  }
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
