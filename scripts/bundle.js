// `node scripts/bundle.js [--target TRIPLE] [--bundles deb,appimage…]`: builds the release bundles.
// The command line program and the agents' hook program are bundled next to the desktop program, as
// Tauri's external binaries.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { npm, output, root, run } from "./run.js";
import { modules } from "./setup/modules.js";
import { system } from "./setup/system.js";

const { values } = parseArgs({
  options: { target: { type: "string" }, bundles: { type: "string", default: "all" } },
});
const host = /^host: (.*)$/m.exec(output(["rustc", "-vV"]) ?? "")?.[1];
const target = values.target ?? host;
const suffix = target.includes("windows") ? ".exe" : "";
const build = process.env.CARGO_TARGET_DIR ?? join(root, "target");

await system({ forTests: false });
await modules();
await run(npm("run", "--silent", "ui:build"));
await run(["cargo", "build", "--release", "-p", "downbeat-cli", "--target", target]);

// Tauri expects the target triple in the file name and strips it in the bundle.
const beside = join(build, "bundle");
mkdirSync(beside, { recursive: true });
const programs = ["downbeat", "downbeat-hook"].map((name) => {
  const program = join(beside, name);
  copyFileSync(join(build, target, "release", `${name}${suffix}`), `${program}-${target}${suffix}`);
  return program;
});

// Passed as a file, because quotes in arguments are not always preserved on Windows.
const config = join(beside, "tauri.json");
writeFileSync(config, JSON.stringify({ bundle: { externalBin: programs } }));
await run(
  npm(
    "exec",
    "--",
    "tauri",
    "build",
    "--target",
    target,
    "--bundles",
    values.bundles,
    "--config",
    config,
  ),
);
