// @vitest-environment node
import { expect, it } from "vitest";
import { Part } from "./part.svelte";

const component = () => ({});

it("is fetched once, and again after a failure", async () => {
  let fetches = 0;
  const answers = [Promise.reject(new Error("away")), Promise.resolve({ default: component })];
  const part = new Part(() => answers[fetches++] ?? Promise.reject(new Error("too often")));
  await expect(part.load()).rejects.toThrow("away");
  expect(part.shown).toBeNull();
  await Promise.all([part.load(), part.load()]);
  await part.load();
  expect(part.shown).toBe(component);
  expect(fetches).toBe(2);
});

it("fetches nothing if the component is already loaded", async () => {
  const part = Part.of(component);
  expect(part.shown).toBe(component);
  await part.load();
  expect(part.shown).toBe(component);
});
