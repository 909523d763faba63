import { expect, test } from "vitest";
import type { SessionPull } from "~/wire/types";
import { accountsIn, hasTeams, namesIn, teamsIn } from "./changes";

test("names are separated by commas and counted once", () => {
  const rows: [string, string[]][] = [
    ["", []],
    [" , ", []],
    ["bug", ["bug"]],
    ["needs tests,  bug ,bug", ["needs tests", "bug"]],
  ];
  for (const [text, names] of rows) expect(namesIn(text)).toEqual(names);
});

test("accounts and teams are understood with and without @", () => {
  expect(accountsIn("@ada, grace alan")).toEqual(["ada", "grace", "alan"]);
  expect(teamsIn("@acme/platform, web")).toEqual(["platform", "web"]);
});

test("GitLab has no teams that review", () => {
  const at = (url: string) => hasTeams({ url } as SessionPull);
  expect(at("https://github.com/acme/shop/pull/1")).toBe(true);
  expect(at("https://gitlab.com/acme/shop/-/merge_requests/1")).toBe(false);
});
