import { expect, test } from "vitest";
import { isListOfTasks } from "./listed";

test.each([
  ["- Build login page\n- Create API\n- Write tests", true],
  ["1. Build login page\n2. Create API\n3) Write tests", true],
  ["For the shop:\n\n* Build login page\n* Create API\n* Audit it", true],
  ["frontend: Build login page | backend: Create API | testing: Write tests", true],
  ["Build login UI, Create JWT API, Write tests, Security audit", true],
  ["Create API (id: api), Build UI (depends_on: api, db), Set up database (id: db)", true],
  ["Build login UI\nCreate JWT API\nWrite tests", true],
  ['"Set up database (id: db)" "Create API (id: api)" "Build UI"', true],
  ['"Set up database" "Create API"', false],
  ["Fix the parser, then write tests, and look at Windows", false],
  ["Read A, B, C", false],
  ["Build login UI.\nIt has a form.\nWrite tests.", false],
  ["- Build login page\n- Create API", false],
  ["Build login page, create API, and write tests", false],
  ["Fix the cart. It rounds wrongly:\n- 1.005\n- 2.675\n- 4.35\nRead a\nRead b\nRead c", false],
  ["cat a | sort | uniq", false],
  ["Note: see a | b | c", false],
  ["", false],
  [`${'"Task a" '.repeat(200)}"Tas`, false],
  [`Fix${", (a".repeat(5_000)}`, false],
])("%j is a list of tasks: %s", (text, wanted) => {
  expect(isListOfTasks(text)).toBe(wanted);
});
