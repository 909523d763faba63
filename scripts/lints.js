// Lets cargo compile the workspace with clippy's driver instead of rustc, so that one build yields
// both the lints and the programs. The driver is rustc plus lints: the programs it builds behave
// the same, and dependencies are compiled by rustc as usual.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failed, output } from "./run.js";

/** Returns the path of clippy's driver in the toolchain. */
function driver() {
  const sysroot = output(["rustc", "--print", "sysroot"])?.trim() ?? "";
  const program = process.platform === "win32" ? "clippy-driver.exe" : "clippy-driver";
  const path = join(sysroot, "bin", program);
  if (!existsSync(path)) {
    throw new Failed(`clippy is missing (${path}). Install it: rustup component add clippy`);
  }
  return path;
}

/** Returns the environment in which `cargo build` and `cargo test` treat every warning as an
 * error. Both must use it; otherwise cargo compiles the workspace once more. A failed test names its line without debug
 * information, and what is compiled this way is seldom compiled twice, so neither that nor the files for incremental builds are
 * written. */
export function linted() {
  return {
    RUSTC_WORKSPACE_WRAPPER: driver(),
    CARGO_PROFILE_DEV_DEBUG: "0",
    CARGO_INCREMENTAL: "0",
    // `cargo clippy` passes its arguments to the driver in this form.
    CLIPPY_ARGS: "-Dwarnings__CLIPPY_HACKERY__",
  };
}
