// The worker that computes syntax colours. It gets text and answers positions, never markup.
import { common, createLowlight } from "lowlight";
import { languageOf } from "./language";
import type { Part, Reply, Request } from "./highlight";

const lowlight = createLowlight(common);

type Tree = ReturnType<typeof lowlight.highlight>;
type Child = Tree["children"][number];

function classOf(node: Child): string | null {
  if (node.type !== "element") return null;
  const names = node.properties.className;
  const first = Array.isArray(names) ? names[0] : null;
  return typeof first === "string" ? first.replace(/^hljs-/, "") : null;
}

/** The parts of each line of a text. */
function partsOf(tree: Tree): Part[][] {
  const lines: Part[][] = [[]];
  let at = 0;
  const walk = (node: Child, kind: string | null) => {
    if (node.type === "text") {
      node.value.split("\n").forEach((text, index) => {
        if (index > 0) {
          lines.push([]);
          at = 0;
        }
        if (kind !== null && text !== "") lines.at(-1)?.push([at, at + text.length, kind]);
        at += text.length;
      });
    } else if (node.type === "element") {
      const own = classOf(node) ?? kind;
      for (const child of node.children) walk(child, own);
    }
  };
  for (const child of tree.children) walk(child, null);
  return lines;
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  const language = languageOf(data.path);
  const known = language !== null && lowlight.registered(language);
  const texts = known
    ? data.texts.map((text) => partsOf(lowlight.highlight(language, text)))
    : null;
  self.postMessage({ id: data.id, texts } satisfies Reply);
};
