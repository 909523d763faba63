// Builds the fixture page and serves it, for all that open it in a real browser: tests, pictures, measurements. Built
// once: a development server would need seconds per load to serve every file.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const common = { configFile: here("../vite.config.ts"), logLevel: "error" };

/** Returns the address of the page, to which a query can be appended, and a function that ends it all. */
export async function serveFixtures() {
  const outDir = await mkdtemp(join(tmpdir(), "downbeat-page-"));
  const removed = () => rm(outDir, { recursive: true, force: true });
  try {
    await build({
      ...common,
      build: { outDir, minify: false, rolldownOptions: { input: here("./index.html") } },
    });
    const server = await preview({
      ...common,
      build: { outDir },
      preview: { port: 0, host: "127.0.0.1" },
    });
    const close = async () => {
      await server.close();
      await removed();
    };
    return { address: `${server.resolvedUrls.local[0]}dev/`, close };
  } catch (error) {
    await removed();
    throw error;
  }
}
