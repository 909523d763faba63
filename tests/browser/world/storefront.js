// The repository that the tests work on: small, but realistic enough for pictures.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const FILES = {
  "README.md": "# Storefront\n",
  "package.json": '{ "name": "storefront", "private": true }\n',
  "src/checkout.ts": "export const checkout = () => undefined;\n",
  ".gitignore": ".env\nnode_modules\n",
};

/** Creates the repository with one commit and returns its path. */
export function makeStorefront(path, env, files = {}) {
  for (const [name, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  writeFileSync(join(path, ".env"), "STRIPE_KEY=test\n");
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    ["commit", "--quiet", "--message=Begin the storefront"],
  ]) {
    execFileSync("git", args, { cwd: path, env });
  }
  return path;
}
