// The world of a test file: started before its tests, ended after them, with no error in its page.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { World } from "./world.js";

/** Starts one with these options, unless the tests are left out, and hands it to `prepare`. */
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
