// Builds the fixture page (`ui/dev`) once for all browser tests and serves it while they run: a
// development server would need seconds per load to serve every file.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";
import type { TestProject } from "vitest/node";
import { chromiumPath } from "./chromium";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the fixture page; a query can be appended. */
    fixturePage: string;
  }
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const common = { configFile: here("../vite.config.ts"), logLevel: "error" } as const;

export default async function page(project: TestProject) {
  if (chromiumPath === undefined) {
    project.provide("fixturePage", "");
    return;
  }
  const outDir = await mkdtemp(join(tmpdir(), "downbeat-page-"));
  await build({
    ...common,
    build: { outDir, minify: false, rolldownOptions: { input: here("../dev/index.html") } },
  });
  const server = await preview({
    ...common,
    build: { outDir },
    preview: { port: 0, host: "127.0.0.1" },
  });
  project.provide("fixturePage", `${server.resolvedUrls?.local[0] ?? ""}dev/`);
  return async () => {
    await server.close();
    await rm(outDir, { recursive: true, force: true });
  };
}
