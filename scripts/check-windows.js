// `node scripts/check-windows.js [CRATE…]`: cross-compiles and links for Windows on Debian 12, in a
// target directory of its own. Default: the command line program and the desktop. Some minutes
// when cold; not part of `npm test`.
import { Failed, npm, output, root, run } from "./run.js";
import { modules } from "./setup/modules.js";
import { join } from "node:path";

const packages = [
  "rustc-web",
  "cargo-web",
  "rust-web-src",
  "gcc-mingw-w64-x86-64-win32",
  "g++-mingw-w64-x86-64-win32",
];
const crates = process.argv.slice(2);
const chosen = crates.length > 0 ? crates : ["downbeat-cli", "downbeat-desktop"];

const missing = packages.filter(
  (name) => output(["dpkg-query", "-W", "-f=${db:Status-Status}", name]) !== "installed",
);
if (missing.length > 0) {
  console.log(`Missing system packages: ${missing.join(" ")}`);
  const sudo = process.getuid() === 0 ? [] : ["sudo"];
  await run([...sudo, "apt-get", "update"]);
  await run([...sudo, "apt-get", "install", "-y", "--no-install-recommends", ...missing]);
}
await modules();
await run(npm("run", "--silent", "ui:build"));

// Debian's own compiler, since only its sources hold the standard library for this target.
const env = {
  RUSTC_BOOTSTRAP: "1",
  RUSTC: "/usr/bin/rustc",
  PATH: "/usr/bin:/bin",
  CARGO_TARGET_DIR: join(root, "target-windows"),
};
const select = chosen.flatMap((crate) => ["-p", crate]);
const target = ["-Zbuild-std=std,panic_abort", "--target", "x86_64-pc-windows-gnu"];
try {
  await run(["/usr/bin/cargo", "build", ...target, ...select], { env });
  console.log(`windows: ${chosen.length} passed, 0 failed`);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
