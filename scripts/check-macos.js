// `node scripts/check-macos.js [CRATE…]`: checks on Debian 12 that the Rust code compiles for macOS. Nothing
// is linked, and C code is not compiled at all. Default: the crates with macOS-specific code and their
// dependencies. Takes some minutes when cold; not part of `npm test`.
import { join } from "node:path";
import { cargo, packages } from "./cross.js";
import { Failed, root } from "./run.js";

const named = process.argv.slice(2);
const crates = named.length > 0 ? named : ["downbeat-keeper", "downbeat-agents"];
const target = "aarch64-apple-darwin";

try {
  await packages(["rustc-web", "cargo-web", "rust-web-src", "gcc", "binutils"]);
  const select = crates.flatMap((name) => ["-p", name]);
  await cargo("check", target, "target-macos", select, {
    // A stand-in that writes empty objects and answers queries that only Apple's tools can.
    [`CC_${target.replaceAll("-", "_")}`]: join(root, "scripts/stand-ins/cc"),
    [`AR_${target.replaceAll("-", "_")}`]: "/usr/bin/ar",
    SDKROOT: "/",
    MACOSX_DEPLOYMENT_TARGET: "12.0",
  });
  console.log(`macos: ${crates.length} passed, 0 failed`);
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
