// @vitest-environment node
import { expect, test } from "vitest";
import { placeOf } from "./follow-host";

test("a file belongs to the project whose folder it is in", () => {
  const projects = [
    { id: "p1", path: "/home/ada/shop" },
    { id: "p2", path: "C:\\code\\infra" },
  ];
  const of = (path: string) => placeOf(path, projects);
  expect(of("/home/ada/shop/docs/plan.md")).toEqual({ projectId: "p1", path: "docs/plan.md" });
  expect(of("C:\\code\\infra\\plan.md")).toEqual({ projectId: "p2", path: "plan.md" });
  expect(of("/home/ada/shop-2/plan.md")).toBeNull();
});
