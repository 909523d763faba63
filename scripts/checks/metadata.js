// What `cargo metadata` says about the workspace. Not a test.
import { output } from "../run.js";

let cached;

/** Returns `cargo metadata` for all platforms, with the resolved graph. */
export function metadata() {
  if (cached) return cached;
  const text = output(["cargo", "metadata", "--format-version", "1", "--locked"]);
  if (text === null) throw new Error("cargo metadata --locked failed: is Cargo.lock up to date?");
  cached = JSON.parse(text);
  return cached;
}

/** Returns the names of workspace packages, each with the workspace packages that it uses. */
export function ours({ withDev = true } = {}) {
  const { packages, workspace_members: members } = metadata();
  const own = packages.filter(({ id }) => members.includes(id));
  const names = new Set(own.map(({ name }) => name));
  const uses = ({ dependencies }) =>
    dependencies
      .filter(({ name, kind }) => names.has(name) && (withDev || kind !== "dev"))
      .map(({ name }) => name);
  return new Map(own.map((p) => [p.name, new Set(uses(p))]));
}

/** Returns all packages that `name` needs to run or to be built, at any depth. */
export function closure(name) {
  const { packages, resolve } = metadata();
  const byId = new Map(packages.map((p) => [p.id, p]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const first = packages.find((p) => p.name === name && p.source === null);
  const seen = new Set();
  const queue = [first.id];
  while (queue.length > 0) {
    const id = queue.pop();
    if (seen.has(id)) continue;
    seen.add(id);
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind !== "dev")) queue.push(pkg);
    }
  }
  return new Set([...seen].map((id) => byId.get(id).name));
}
