// @vitest-environment node
import { expect, test } from "vitest";
import { isSoftware } from "./webgl";

test.each([
  ["ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)", true],
  ["llvmpipe (LLVM 17.0.6, 256 bits)", true],
  ["Microsoft Basic Render Driver", true],
  ["ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)", false],
  ["Apple M2", false],
  ["", false],
])("%s: drawn by software %s", (renderer, software) => {
  expect(isSoftware(renderer)).toBe(software);
});
