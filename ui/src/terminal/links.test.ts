// @vitest-environment node
import { expect, test } from "vitest";
import { webAddress } from "./links";

test("only web addresses open", () => {
  expect(webAddress("https://example.com/a?b=c")).toBe("https://example.com/a?b=c");
  expect(webAddress("http://localhost:3000")).toBe("http://localhost:3000/");
  for (const bad of [
    "javascript:alert(1)",
    "file:///etc/passwd",
    "ftp://x",
    "data:text/html,x",
    "vscode://x",
    "not a link",
    "",
    "//example.com",
  ]) {
    expect(webAddress(bad), bad).toBeNull();
  }
});
