// @vitest-environment node
import { expect, test } from "vitest";
import { quoted } from "./system";

test("a path is quoted as one word for a shell", () => {
  expect(quoted("/home/ada/a-b_c.png", "linux")).toBe("/home/ada/a-b_c.png");
  expect(quoted("/home/ada/my pic's $(x).png", "linux")).toBe("'/home/ada/my pic'\\''s $(x).png'");
  expect(quoted("C:/Users/Ada B/x.png", "windows")).toBe('"C:/Users/Ada B/x.png"');
});
