/// <reference types="vitest/config" />
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// One bundle for two hosts: the desktop window and a browser. `ui/dev` (the fixture host) is only
// reachable under `vite dev`; it is no input of the build.
export default defineConfig({
  root: here("."),
  base: "./",
  plugins: [svelte({ configFile: false })],
  resolve: {
    alias: { "~": here("./src") },
    ...(process.env.VITEST ? { conditions: ["browser"] } : {}),
  },
  build: {
    outDir: here("./dist"),
    emptyOutDir: true,
    target: ["es2022", "safari15"],
    // The largest is the terminal, which comes after the first paint.
    chunkSizeWarningLimit: 650,
    // How long plugins took is nobody's concern who starts the application.
    rolldownOptions: { checks: { bundlerTimings: false } },
    // Data URIs would need `font-src data:` in the content security policy.
    assetsInlineLimit: 0,
  },
  server: { port: 5199, strictPort: false, host: "127.0.0.1" },
  test: {
    environment: "happy-dom",
    css: true,
    // Some tests drive a browser, on machines that build something else meanwhile.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "parts", include: ["src/**/*.test.ts", "lint/*.test.js"] } },
      {
        extends: true,
        // A test that failed is run once more; the report names those that then pass.
        test: {
          name: "browser",
          include: ["test/**/*.test.ts"],
          globalSetup: here("./test/page.ts"),
          // What is waited for is there at once on a fast machine; the default is a second.
          expect: { poll: { timeout: 20_000 } },
          // Each has a browser of its own, which is idle about half of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          retry: 1,
        },
      },
    ],
  },
});
