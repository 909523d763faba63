// Finds which file of a crate imports which. Not a test.
//
// A file imports another if it names it, in a `use` or by its path, after `crate`, `self`, `super` or a
// module that it declares. Declaring a module is not importing it. Comments, strings and tests are ignored.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|b?r(#*)"[^]*?"\1|b?"(?:\\[^]|[^"\\])*"|'(?:\\[^']+|[^'\\])'|\w+|::|[^\s]/g;

/** Returns the words and signs of a Rust text without comments and strings. */
function tokens(text) {
  const all = text.match(TOKEN) ?? [];
  return all.filter((token) => !/^(\/[/*]|b?r?#*"|'.)/.test(token));
}

/** Returns the index just past the bracket that closes the one at `at`. */
function behind(all, at) {
  let depth = 0;
  for (let i = at; i < all.length; i += 1) {
    if ("([{".includes(all[i])) depth += 1;
    if (")]}".includes(all[i])) depth -= 1;
    if (depth === 0) return i + 1;
  }
  return all.length;
}

/** Returns the tokens without test-only items, and the names of test-only modules. */
function withoutTests(all) {
  const kept = [];
  const tests = new Set();
  let at = 0;
  while (at < all.length) {
    const end = all[at] === "#" && all[at + 1] === "[" ? behind(all, at + 1) : at;
    const attribute = all.slice(at, end);
    const isTest = attribute.includes("test") && (attribute[2] === "cfg" || attribute.length === 4);
    if (!isTest || attribute.includes("not")) {
      kept.push(all[at]);
      at += 1;
      continue;
    }
    at = end;
    while (all[at] === "#") at = behind(all, at + 1);
    const from = at;
    // Skips to the end of the item: a semicolon, or its body.
    while (at < all.length && all[at] !== ";" && all[at] !== "{") {
      at = "([".includes(all[at]) ? behind(all, at) : at + 1;
    }
    const item = all.slice(from, at);
    if (all[at] === ";" && item.includes("mod")) tests.add(item[item.indexOf("mod") + 1]);
    at = all[at] === "{" ? behind(all, at) : at + 1;
  }
  return { kept, tests };
}

/** Returns the words and signs of a Rust text, separated by blanks, without comments, strings and tests. */
export function code(text) {
  return withoutTests(tokens(text)).kept.join(" ");
}

/** Returns the paths that begin at `at`, with a group in braces expanded, and the index where they end. */
function pathsAt(all, at) {
  const path = [all[at]];
  let next = at + 1;
  while (all[next] === "::") {
    if (all[next + 1] !== "{") {
      path.push(all[next + 1]);
      next += 2;
      continue;
    }
    const found = [];
    const end = behind(all, next + 1);
    let inner = next + 2;
    while (inner < end - 1) {
      if (all[inner] === "as") inner += 2;
      else if (/^\w/.test(all[inner])) {
        const group = pathsAt(all, inner);
        found.push(...group.paths);
        inner = group.end;
      } else inner += 1;
    }
    return { paths: found.map((tail) => [...path, ...tail]), end };
  }
  return { paths: [path], end: next };
}

/** Returns all paths that a file names, each in full from the crate root, and its re-exports by name. */
function named(all, module) {
  const declared = new Set();
  all.forEach((token, i) => token === "mod" && all[i + 2] === ";" && declared.add(all[i + 1]));
  const paths = [];
  const passed = new Map();
  let at = 0;
  while (at < all.length) {
    const isFirst = /^\w/.test(all[at]) && all[at - 1] !== "::" && all[at + 1] === "::";
    if (!isFirst) {
      at += 1;
      continue;
    }
    const found = pathsAt(all, at);
    for (const path of found.paths) {
      let base = [...module];
      const rest = [...path];
      if (rest[0] === "crate") base = [];
      else if (rest[0] !== "self" && rest[0] !== "super" && !declared.has(rest[0])) continue;
      while (["crate", "self", "super"].includes(rest[0])) {
        if (rest.shift() === "super") base.pop();
      }
      paths.push([...base, ...rest]);
      if (all[at - 1] === "use" && [")", "pub"].includes(all[at - 2])) {
        const alias = all[found.end] === "as" ? all[found.end + 1] : rest.at(-1);
        passed.set(alias, [...base, ...rest]);
      }
    }
    at = found.end;
  }
  return { paths, passed };
}

/** Returns the modules that a file declares under other names, with their paths: `#[path = "…"] mod …`. */
function renamed(text) {
  const declared = /((?:#\[[^\]]*path = "[^\]]*\]\s*)+)(?:pub(?:\([^)]*\))? )?mod (\w+);/g;
  return [...text.matchAll(declared)].flatMap(([, attributes, name]) =>
    [...attributes.matchAll(/path = "([^"]+)"/g)].map(([, path]) => ({ path, name })),
  );
}

/**
 * Returns the modules that the file head lists in lines such as "//! * `host`: this machine", in their order.
 */
function listed(text) {
  return [...text.matchAll(/^\/\/! \* `(\w+)`/gm)].map(([, name]) => name);
}

/**
 * Returns, for each module below `source` ("" is `lib.rs` or `main.rs`), what it imports and the order of its
 * modules if its head lists them. Files that implement one module for different systems count as one.
 */
export function imports(source) {
  const found = readdirSync(source, { recursive: true }).map((file) => file.replaceAll("\\", "/"));
  const isFolder = (file) => /(^|\/)(mod|lib|main)\.rs$/.test(file);
  const ours = found.filter((name) => name.endsWith(".rs") && !name.startsWith("bin/"));
  const texts = new Map(ours.map((file) => [file, readFileSync(join(source, file), "utf8")]));
  const plain = (file) =>
    file
      .replace(/\/?\b(mod|lib|main)\.rs$|\.rs$/, "")
      .split("/")
      .filter(Boolean);
  const modules = new Map(ours.map((file) => [file, plain(file)]));
  for (const [file, text] of texts)
    for (const { path, name } of renamed(text))
      modules.set(posix.join(posix.dirname(file), path), [...plain(file), name]);
  const files = new Map();
  const tests = new Set();
  for (const [file, text] of texts) {
    const module = modules.get(file);
    const { kept, tests: own } = withoutTests(tokens(text));
    for (const name of own) tests.add([...module, name].join("/"));
    const read = { ...named(kept, module), order: listed(text), file };
    const other = files.get(module.join("/"));
    const [first, second] = read.order.length > 0 || !other ? [read, other] : [other, read];
    first.paths.push(...(second?.paths ?? []));
    files.set(module.join("/"), first);
  }
  const isTest = (module) =>
    [...tests].some((test) => module === test || module.startsWith(`${test}/`));
  for (const module of files.keys()) if (isTest(module)) files.delete(module);
  // A re-export is attributed to the file that defines the item.
  const fileOf = (path) => {
    for (let length = path.length; length >= 0; length -= 1) {
      const module = path.slice(0, length).join("/");
      const passed = files.get(module)?.passed.get(path[length]);
      if (passed && passed.join() !== path.join())
        return fileOf([...passed, ...path.slice(length + 1)]);
      if (files.has(module)) return module;
    }
    return null;
  };
  const all = new Map();
  for (const [name, { paths, passed, order, file }] of files) {
    const passes = new Set([...passed.values()].map((path) => path.join()));
    const own = paths.filter((path) => !passes.has(path.join()));
    const uses = new Set(own.map(fileOf));
    uses.delete(name);
    uses.delete(null);
    all.set(name, { uses, order, file });
  }
  return all;
}

/** Returns the groups of names that import each other in a circle. */
export function circles(graph) {
  const reach = (from) => {
    const seen = new Set();
    const next = [...graph.get(from)];
    while (next.length > 0) {
      const one = next.pop();
      if (seen.has(one) || !graph.has(one)) continue;
      seen.add(one);
      next.push(...graph.get(one));
    }
    return seen;
  };
  const reached = new Map([...graph.keys()].map((name) => [name, reach(name)]));
  const groups = new Map();
  for (const [name, from] of reached) {
    if (!from.has(name)) continue;
    const group = [...from].filter((other) => reached.get(other).has(name)).sort();
    groups.set(group.join(), group);
  }
  return [...groups.values()];
}
