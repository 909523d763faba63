import { expect, it } from "vitest";
import { familyOf } from "./font";

it("puts the person's font before its own, as one name", () => {
  expect(familyOf(null, "A, monospace")).toBe("A, monospace");
  expect(familyOf("  ", "A")).toBe("A");
  expect(familyOf("Fira Code", "A")).toBe('"Fira Code", A');
  expect(familyOf('x", url(y); "', "A")).toBe('"x urly ", A');
});
