// `node scripts/check-windows.js [CRATE…]`: cross-compiles and links for Windows on Debian 12, in a
// separate target directory. Default: the command line program and the desktop program; also
// compiles, but does not run, the tests of crates that have Windows tests. Takes some minutes when
// cold; not part of `npm test`.
import { cargo, packages } from "./cross.js";
import { Failed, npm, run } from "./run.js";
import { modules } from "./setup/modules.js";

const named = process.argv.slice(2);
const programs = named.length > 0 ? named : ["downbeat-cli", "downbeat-desktop"];
const tested = [
  "model",
  "files",
  "wire",
  "keeper",
  "git",
  "agents",
  "store",
  "engine",
  "server",
  "cli",
];
const windows = (subcommand, names, ...more) => {
  const select = names.flatMap((name) => ["-p", name]);
  return cargo(subcommand, "x86_64-pc-windows-gnu", "target-windows", [...select, ...more]);
};

try {
  await packages([
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "gcc-mingw-w64-x86-64-win32",
    "g++-mingw-w64-x86-64-win32",
  ]);
  await modules();
  await run(npm("run", "--silent", "ui:build"));
  await windows("build", programs);
  if (named.length === 0) {
    await windows(
      "check",
      tested.map((name) => `downbeat-${name}`),
      "--tests",
    );
  }
  console.log(`windows: ${programs.length} passed, 0 failed`);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
