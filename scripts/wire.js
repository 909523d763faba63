// `npm run wire`: generates the TypeScript side of the table of operations.
import { run } from "./run.js";

await run(["cargo", "test", "--quiet", "-p", "downbeat-wire"], { env: { UPDATE_WIRE: "1" } });
