// `npm start [-- FOLDER]`: installs what is missing, builds, and opens the window; without a
// display it serves the same interface and prints the link to it.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Failed, npm, root, run } from "./run.js";
import { modules } from "./setup/modules.js";
import { system } from "./setup/system.js";

const folders = process.argv.slice(2);
const suffix = process.platform === "win32" ? ".exe" : "";
const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");

function hasDisplay() {
  if (process.platform !== "linux") return true;
  return Boolean(process.env.WAYLAND_DISPLAY || process.env.DISPLAY);
}

/** Runs the program in this terminal; signals are handled by the program. */
async function become(program, args) {
  const child = spawn(program, args, { stdio: "inherit", cwd: process.env.INIT_CWD ?? root });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}

try {
  await system({ forTests: false });
  await modules();
  await run(npm("run", "--silent", "ui:build"));
  await run(["cargo", "build", "-p", "downbeat-cli", "-p", "downbeat-desktop"]);
  if (hasDisplay()) {
    await become(join(target, "debug", `downbeat-desktop${suffix}`), folders);
  } else {
    console.log("No display: serving the interface instead.");
    await become(join(target, "debug", `downbeat${suffix}`), ["serve", "--link"]);
  }
} catch (error) {
  if (!(error instanceof Failed)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
