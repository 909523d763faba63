// Builds and serves the fixture page (`ui/dev`) once for all browser tests, while they run.
import type { TestProject } from "vitest/node";
import { serveFixtures } from "../dev/served.js";
import { chromiumPath } from "./chromium";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the fixture page; a query can be appended. */
    fixturePage: string;
  }
}

export default async function page(project: TestProject) {
  if (chromiumPath === undefined) {
    project.provide("fixturePage", "");
    return;
  }
  const { address, close } = await serveFixtures();
  project.provide("fixturePage", address);
  return close;
}
