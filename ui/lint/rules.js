// Lint rules that only this code base needs: layers, circles of files and of folders, colours outside the theme.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const SRC = resolve(import.meta.dirname, "../src");
const STATIC = /^\s*(?:import|export)\s+(type\b\s*)?(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;
const DYNAMIC = /\bimport\(\s*["']([^"']+)["']\s*\)/g;

/** The file that a specifier names, or null for packages. */
function locate(source, from, specifier) {
  const base = specifier.startsWith("~/")
    ? join(source, specifier.slice(2))
    : specifier.startsWith(".")
      ? resolve(dirname(from), specifier)
      : null;
  if (base === null) return null;
  return (
    [base, `${base}.ts`, join(base, "index.ts")].find(
      (path) => /\.\w+$/.test(path) && existsSync(path),
    ) ?? null
  );
}

/** What a file imports: for its values, when it is loaded; and in any way, for its types or later, too. */
function importsOf(source, file) {
  const text = readFileSync(file, "utf8");
  const found = [
    ...[...text.matchAll(STATIC)].map(([, type, specifier]) => [specifier, !type]),
    ...[...text.matchAll(DYNAMIC)].map(([, specifier]) => [specifier, false]),
  ].map(([specifier, now]) => [locate(source, file, specifier), now]);
  const files = found.filter(([target]) => target !== null);
  return {
    values: new Set(files.filter(([, now]) => now).map(([target]) => target)),
    all: new Set(files.map(([target]) => target)),
  };
}

/** Every file below `source` with what it imports. Read once per run. */
const graphs = new Map();
function graphOf(source) {
  const known = graphs.get(source);
  if (known) return known;
  const graph = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|svelte)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    graph.set(file, importsOf(source, file));
  }
  graphs.set(source, graph);
  return graph;
}

/** The shortest way from one node to another along `next`, both ends included, by a step at least; null for none. */
function wayTo(end, start, next) {
  const before = new Map([[start, null]]);
  const queue = [start];
  while (queue.length > 0) {
    const at = queue.shift();
    for (const to of next(at)) {
      if (to === end) {
        const way = [to];
        for (let step = at; step !== null; step = before.get(step)) way.unshift(step);
        return way;
      }
      if (before.has(to)) continue;
      before.set(to, at);
      queue.push(to);
    }
  }
  return null;
}

const noCycles = {
  create: (context) => ({
    Program(node) {
      const file = context.filename;
      const way = wayTo(file, file, (one) => graphOf(SRC).get(one)?.values ?? []);
      if (!way) return;
      const path = way.map((one) => relative(SRC, one)).join(" → ");
      context.report({ node, message: `Import cycle: ${path}` });
    },
  }),
};

/** Which folders each folder imports from, with one import that makes the arrow: `a/x.ts imports b/y.ts`. */
const folderGraphs = new Map();
function foldersOf(source) {
  const known = folderGraphs.get(source);
  if (known) return known;
  const folders = new Map();
  const named = (file) => relative(source, file).split(sep).join("/");
  for (const [file, { all }] of graphOf(source)) {
    for (const target of all) {
      const [from, to] = [dirname(file), dirname(target)];
      if (from === to || relative(source, target).startsWith("..")) continue;
      if (!folders.has(from)) folders.set(from, new Map());
      const arrows = folders.get(from);
      if (!arrows.has(to)) arrows.set(to, `${named(file)} imports ${named(target)}`);
    }
  }
  folderGraphs.set(source, folders);
  return folders;
}

/**
 * No circle of folders: whoever changes one would have to know all of them. A folder and those inside it
 * are different ones. Each import that is part of a circle is told, with those that lead back.
 */
const noFolderCycles = {
  meta: {
    schema: [
      { type: "object", properties: { source: { type: "string" } }, additionalProperties: false },
    ],
  },
  create: (context) => {
    const source = context.options[0]?.source ?? SRC;
    const own = dirname(context.filename);
    function check(node) {
      const specifier = node.source?.value;
      if (typeof specifier !== "string" || !graphOf(source).has(context.filename)) return;
      const target = locate(source, context.filename, specifier);
      if (target === null || dirname(target) === own) return;
      const folders = foldersOf(source);
      const back = wayTo(own, dirname(target), (folder) => folders.get(folder)?.keys() ?? []);
      if (!back) return;
      const arrows = back.slice(1).map((to, at) => folders.get(back[at]).get(to));
      const here = relative(source, own).split(sep).join("/") || "the top folder";
      context.report({
        node,
        message: `A circle of folders: ${here} imports ${specifier}, and ${arrows.join(", ")}.`,
      });
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

const layers = {
  meta: { schema: [{ type: "object" }] },
  create: (context) => {
    function check(node) {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const target = locate(SRC, context.filename, specifier);
      const layer = target && relative(SRC, target).split(sep)[0];
      if (layer && context.options[0].forbidden.includes(layer)) {
        context.report({
          node,
          message: `This layer lies below ${layer}/ and must not import it.`,
        });
      }
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

const COLOUR =
  /(?:["'`][^"'`]*|:\s[^;]*)(?<![.\w&])(#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b|\b(?:rgba?|hsla?|oklch)\()/i;
const noColours = {
  create: (context) => ({
    Program(node) {
      if (/[\\/]src[\\/]theme[\\/]/.test(context.filename)) return;
      if (!/[\\/]src[\\/]/.test(context.filename) || /\.test\.ts$/.test(context.filename)) return;
      context.sourceCode.lines.forEach((line, index) => {
        const match = COLOUR.exec(line.replace(/\{#\w+/g, ""));
        if (match) {
          context.report({
            node,
            loc: { line: index + 1, column: 0 },
            message: `Colour ${match[1]} outside theme/: use a token.`,
          });
        }
      });
    },
  }),
};

export const local = {
  rules: {
    "no-cycles": noCycles,
    "no-folder-cycles": noFolderCycles,
    layers,
    "no-colours": noColours,
  },
};
