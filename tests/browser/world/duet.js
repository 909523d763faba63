// A second agent beside the scripted Claude Code, declared in the configuration: it writes other
// files, prints what it did, and waits.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../desktop/world/processes.js";

const PROGRAM = `#!/bin/sh
if [ "$1" = --version ]; then echo 1.2.0; exit; fi
for told; do :; done
printf '%s\n' "$told" > "$(dirname "$0")/../duet-was-told"
printf 'export const totals = (cart) => cart;\\n' > src/totals.ts
printf 'export const total = 1;\\n' >> src/checkout.ts
printf '\\033[2J\\033[HTotals come from a wrapper now.\\n'
exec cat
`;
const CONFIG = `agents:
  duet:
    name: Duet
    command: [duet]
    prompt: argument
    spawnable: true
`;

/**
 * Puts the agent on the PATH and into the configuration of `world`, and waits until it is listed.
 */
export async function declareDuet(world) {
  writeFileSync(world.at("bin", "duet"), PROGRAM);
  chmodSync(world.at("bin", "duet"), 0o755);
  writeFileSync(join(world.data, "downbeat.yaml"), CONFIG);
  await until("the second agent", async () =>
    (await world.call("GET", "/api/agents")).find(
      ({ id, installed }) => id === "duet" && installed,
    ),
  );
}
