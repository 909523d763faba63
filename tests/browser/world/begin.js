// Starts a test file's world before its tests, ends it after them, and checks that its page had no
// errors.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { World } from "./world.js";

/** Starts a world with these options, unless the tests are skipped, and passes it to `prepare`. */
export function begin(prepare, { skip = false, ...options } = {}) {
  let world;
  before(async () => {
    if (skip) return;
    world = await World.start(options);
    await prepare(world);
  });
  after(async () => {
    await world?.end();
    assert.deepEqual(world?.errors ?? [], []);
  });
}
