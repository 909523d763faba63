import { expect, test } from "vitest";
import type { SessionIssue } from "~/wire/types";
import { issueText } from "./issue";

const issue = (more: Partial<SessionIssue> = {}): SessionIssue => ({
  host: "github.com",
  repository: "acme/shop",
  number: 17,
  title: "Round half cents",
  url: "https://github.com/acme/shop/issues/17",
  ...more,
});

test("an issue stands with its number and its title, which is said once", () => {
  const rows: [SessionIssue | null, string, string | null][] = [
    [null, "Totals", null],
    [issue(), "Totals", "#17 Round half cents"],
    [issue(), "Round half cents", "#17"],
    [issue({ title: "" }), "Totals", "#17"],
    [issue({ key: "ENG-123" }), "Totals", "ENG-123 Round half cents"],
  ];
  for (const [one, title, text] of rows) expect(issueText({ issue: one, title })).toBe(text);
});
