// Lint rules that only this code base needs: layers, import cycles, colours outside the theme.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const SRC = resolve(import.meta.dirname, "../src");
const IMPORT = /^\s*(?:import|export)\s+(?!type\b)(?:[^"';]*?\sfrom\s+)?["']([^"']+)["']/gm;

/** The file that a specifier names, or null for packages. */
function locate(from, specifier) {
  const base = specifier.startsWith("~/")
    ? join(SRC, specifier.slice(2))
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

/** Every file with the files it imports for their values. Read once per run. */
let graph;
function imports() {
  if (graph) return graph;
  graph = new Map();
  for (const entry of readdirSync(SRC, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(ts|svelte)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const found = [...readFileSync(file, "utf8").matchAll(IMPORT)].map((match) =>
      locate(file, match[1]),
    );
    graph.set(file, new Set(found.filter(Boolean)));
  }
  return graph;
}

function pathBack(start) {
  const seen = new Map([[start, null]]);
  const queue = [start];
  while (queue.length > 0) {
    const file = queue.shift();
    for (const next of imports().get(file) ?? []) {
      if (next === start) {
        const path = [];
        for (let at = file; at; at = seen.get(at)) path.unshift(relative(SRC, at));
        return [...path, relative(SRC, start)];
      }
      if (!seen.has(next)) {
        seen.set(next, file);
        queue.push(next);
      }
    }
  }
  return null;
}

const noCycles = {
  create: (context) => ({
    Program(node) {
      const path = pathBack(context.filename);
      if (path) context.report({ node, message: `Import cycle: ${path.join(" → ")}` });
    },
  }),
};

const layers = {
  meta: { schema: [{ type: "object" }] },
  create: (context) => ({
    ImportDeclaration(node) {
      const target = locate(context.filename, node.source.value);
      const layer = target && relative(SRC, target).split(sep)[0];
      if (layer && context.options[0].forbidden.includes(layer)) {
        context.report({
          node,
          message: `This layer lies below ${layer}/ and must not import it.`,
        });
      }
    },
  }),
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

export const local = { rules: { "no-cycles": noCycles, layers, "no-colours": noColours } };
