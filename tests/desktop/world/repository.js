// A small repository to add as a project.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Creates the repository at `path` with one commit and returns the path. */
export function makeRepository(path, env) {
  mkdirSync(join(path, "src"), { recursive: true });
  writeFileSync(join(path, "README.md"), "# Storefront\n");
  writeFileSync(join(path, "src", "main.rs"), "fn main() {}\n");
  writeFileSync(join(path, ".gitignore"), ".env\n");
  writeFileSync(join(path, ".env"), "KEY=value\n");
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    [...identity, "commit", "--quiet", "--message=first"],
  ]) {
    execFileSync("git", args, { cwd: path, env });
  }
  return path;
}
