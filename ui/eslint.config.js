// Lint is policy: what a reviewer would have to look for by eye is here instead.
import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import { local } from "./lint/rules.js";

/** Who may import whom, from the bottom up. A folder sees itself and the folders before it. */
const LAYERS = [
  "wire",
  "theme",
  "platform",
  "kit",
  "terminal",
  "state",
  "features",
  "views",
  "frame",
];

const layered = LAYERS.map((layer, index) => ({
  files: [`src/${layer}/**`],
  rules: {
    "local/layers": ["error", { forbidden: LAYERS.slice(index + 1) }],
  },
}));

export default ts.config(
  { ignores: ["dist/**", "src/wire/types.ts", "src/wire/operations.ts"] },
  js.configs.recommended,
  ts.configs.strictTypeChecked,
  svelte.configs.recommended,
  {
    plugins: { local },
    languageOptions: {
      globals: { ...globals.browser },
      parserOptions: {
        projectService: {
          allowDefaultProject: ["*.js", "lint/*.js", "dev/*.js", "vite.config.ts"],
        },
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: [".svelte"],
      },
    },
    rules: {
      "local/no-colours": "error",
      "local/no-cycles": "error",
      "local/no-folder-cycles": "error",
      "no-restricted-imports": [
        "error",
        {
          patterns: [{ regex: "^@tauri-apps/", message: "Only platform/ knows which host runs." }],
        },
      ],
      // Does not see `??=` as a use.
      "no-unused-private-class-members": "off",
      "svelte/no-at-html-tags": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": "off",
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { attributes: false, properties: false, arguments: false } },
      ],
    },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      // What a component hands to a callback prop is typed by svelte-check, which this parser does
      // not see. Written `any` stays forbidden.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      // Props and bindables are reassigned by the framework.
      "prefer-const": "off",
      "svelte/prefer-const": ["error", { destructuring: "all" }],
      "svelte/no-navigation-without-resolve": "off",
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
  { files: ["src/platform/**"], rules: { "no-restricted-imports": "off" } },
  ...layered,
  { files: ["**/*.js"], ...ts.configs.disableTypeChecked },
  { files: ["dev/*.js"], languageOptions: { globals: globals.node } },
);
