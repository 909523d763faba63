// Lets cargo compile the workspace with clippy's driver instead of rustc, so that one build gives
// both the lints and the programs. The driver is rustc with lints; what it builds runs the same,
// and crates from elsewhere are compiled by rustc as always.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failed, output } from "./run.js";

/** Where the toolchain keeps clippy's driver. */
function driver() {
  const sysroot = output(["rustc", "--print", "sysroot"])?.trim() ?? "";
  const program = process.platform === "win32" ? "clippy-driver.exe" : "clippy-driver";
  const path = join(sysroot, "bin", program);
  if (!existsSync(path)) {
    throw new Failed(`clippy is missing (${path}). Install it: rustup component add clippy`);
  }
  return path;
}

/** The environment of a `cargo build` or `cargo test` in which every warning is an error. Both need
 * it: without it cargo compiles the workspace once more. */
export function linted() {
  return {
    RUSTC_WORKSPACE_WRAPPER: driver(),
    // `cargo clippy` hands its arguments to the driver in this form.
    CLIPPY_ARGS: "-Dwarnings__CLIPPY_HACKERY__",
  };
}
