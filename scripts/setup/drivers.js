// Installs tauri-driver, which lets tests operate the real window, into a cached folder.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run, which } from "../run.js";

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const tools = join(cache, "downbeat", "tools");

/** Returns the path where tauri-driver is or will be installed. */
export function driver() {
  return which("tauri-driver") ?? join(tools, "bin", "tauri-driver");
}

export async function drivers() {
  if (existsSync(driver())) return;
  console.log("Missing: tauri-driver");
  await run(["cargo", "install", "tauri-driver", "--version", "^2", "--locked", "--root", tools], {
    // A folder of its own: a CARGO_TARGET_DIR of the caller is meant for the project.
    env: { CARGO_TARGET_DIR: join(tools, "target") },
  });
}
