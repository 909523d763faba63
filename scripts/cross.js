// Shared by the checks for other systems. They use Debian's compiler, because only Debian's packages include
// the standard library for those systems, and leave the files of the usual build alone.
import { join } from "node:path";
import { output, root, run } from "./run.js";

/** Installs those of `names` that are missing, with apt. */
export async function packages(names) {
  const missing = names.filter(
    (name) => output(["dpkg-query", "-W", "-f=${db:Status-Status}", name]) !== "installed",
  );
  if (missing.length === 0) return;
  console.log(`Missing system packages: ${missing.join(" ")}`);
  const sudo = process.getuid() === 0 ? [] : ["sudo"];
  await run([...sudo, "apt-get", "update"]);
  await run([...sudo, "apt-get", "install", "-y", "--no-install-recommends", ...missing]);
}

/** Runs Debian's cargo for `target`, in the target directory `folder` unless the environment names one. */
export function cargo(subcommand, target, folder, args, more = {}) {
  const env = {
    RUSTC_BOOTSTRAP: "1",
    RUSTC: "/usr/bin/rustc",
    PATH: "/usr/bin:/bin",
    CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? join(root, folder),
    ...more,
  };
  const std = ["-Zbuild-std=std,panic_abort", "--target", target];
  return run(["/usr/bin/cargo", subcommand, ...std, ...args], { env });
}
