// @vitest-environment node
import { expect, test } from "vitest";
import { placeOf, quoted } from "./follow-host";

test("a dropped path is quoted as one word for a shell", () => {
  expect(quoted("/home/ada/a-b_c.png", "linux")).toBe("/home/ada/a-b_c.png");
  expect(quoted("/home/ada/my pic's $(x).png", "linux")).toBe("'/home/ada/my pic'\\''s $(x).png'");
  expect(quoted("C:/Users/Ada B/x.png", "windows")).toBe('"C:/Users/Ada B/x.png"');
});

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
