// Finds missing system packages and installs them with apt; on other systems, prints what to run.
import { existsSync, readFileSync } from "node:fs";
import { Failed, output, run, which } from "../run.js";
import * as packages from "./packages.js";

/** Returns `ID` and `ID_LIKE` of /etc/os-release, as words. */
function distribution() {
  const path = "/etc/os-release";
  if (!existsSync(path)) return [];
  const text = readFileSync(path, "utf8");
  const values = [...text.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].map(([, value]) => value);
  return values.join(" ").split(" ");
}

function isInstalled(name) {
  return output(["dpkg-query", "-W", "-f=${db:Status-Status}", name]) === "installed";
}

function atLeast(text, [major, minor]) {
  const found = /(\d+)\.(\d+)/.exec(text ?? "");
  if (!found) return false;
  const [a, b] = [Number(found[1]), Number(found[2])];
  return a > major || (a === major && b >= minor);
}

/** Checks Rust and Node but never installs them: the choice is the person's. */
function checkTools() {
  const rust = output(["rustc", "--version"]);
  if (!atLeast(rust, packages.rust)) {
    throw new Failed(
      `Rust ${packages.rust.join(".")} or newer is needed; found: ${rust?.trim() ?? "none"}.\n  ${packages.rustHint}`,
    );
  }
  if (!atLeast(process.version, packages.node)) {
    throw new Failed(
      `Node ${packages.node.join(".")} or newer is needed; found: ${process.version}.`,
    );
  }
}

async function apt(missing) {
  const isRoot = process.getuid() === 0;
  const command = ["apt-get", "install", "-y", "--no-install-recommends", ...missing];
  console.log(`Missing system packages: ${missing.join(" ")}`);
  if (!isRoot && !which("sudo")) {
    throw new Failed(`Neither root nor sudo. Please run as root:\n  ${command.join(" ")}`);
  }
  const quiet = ["env", "DEBIAN_FRONTEND=noninteractive"];
  const prefix = isRoot ? quiet : ["sudo", ...(process.stdin.isTTY ? [] : ["-n"]), ...quiet];
  const wait = ["-o", "DPkg::Lock::Timeout=300"];
  await run([...prefix, "apt-get", "update", ...wait]);
  await run([...prefix, ...command, ...wait]);
}

function sayElsewhere(names) {
  const known = ["fedora", "arch", "suse"].find((name) => names.includes(name));
  const hint = packages.elsewhere[known ?? process.platform];
  if (!hint) return;
  console.log(`If the build misses system libraries, install them with:\n  ${hint}`);
}

/** Ensures that the system has what building (and, if asked, testing) needs. */
export async function system({ forTests }) {
  checkTools();
  const names = process.platform === "linux" ? distribution() : [];
  if (!names.includes("debian") && !names.includes("ubuntu")) {
    if (!which("git")) throw new Failed("git 2.34 or newer is needed.");
    return sayElsewhere(names);
  }
  const wanted = forTests ? [...packages.build, ...packages.test] : packages.build;
  const missing = wanted.filter((name) => !isInstalled(name));
  if (forTests && !which(...packages.browsers)) {
    missing.push(packages.browserPackage[names.includes("ubuntu") ? "ubuntu" : "debian"]);
  }
  if (missing.length > 0) await apt(missing);
}
