import { expect, it } from "vitest";
import { namesOf, type Checked } from "./check-names";

const ran = (...names: string[]): Checked => ({
  last: { checks: names.map((name) => ({ name })) },
});

it("has one line for each check that any session ran, in their order", () => {
  expect(
    namesOf([ran("build", "test"), null, { last: null }, ran("build", "lint", "test")]),
  ).toEqual(["build", "test", "lint"]);
  expect(namesOf([null, { last: null }])).toEqual([]);
});
