// `npm run wire`: writes the TypeScript side of the table of operations anew.
import { run } from "./run.js";

await run(["cargo", "test", "--quiet", "-p", "downbeat-wire"], { env: { UPDATE_WIRE: "1" } });
