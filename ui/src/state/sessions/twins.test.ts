// @vitest-environment node
import { expect, it } from "vitest";
import { twinsOf } from "./twins";

it("finds sessions with the same title in one project", () => {
  const one = (id: string, projectId: string, title: string) => ({ id, projectId, title });
  const all = [
    one("a", "p", "Shell"),
    one("b", "p", "shell "),
    one("c", "q", "Shell"),
    one("d", "p", "Cart"),
    one("e", "p", "Shell"),
  ];
  expect([...twinsOf(all)]).toEqual(["a", "b", "e"]);
});
