// @vitest-environment node
import { expect, it } from "vitest";
import { lastWords } from "./last-words";

it("returns the last line that names an error, else the last nonempty line", () => {
  const npm = "npm error code E404\nnpm error 404 Not Found\n\nA complete log is in /tmp/x.log\n\n";
  expect(lastWords(npm)).toBe("npm error 404 Not Found");
  expect(lastWords("built\n  in 3 s \n❯ \n────\n")).toBe("in 3 s");
  expect(lastWords("\n \n")).toBe("");
  expect(lastWords("● Bash(npm test)\n  ⎿  14 passed, 1 failed\n")).toBe("14 passed, 1 failed");
});
