import { beforeEach, expect, it } from "vitest";
import { Drafts } from "~/state/drafts.svelte";
import { keep, keptIn } from "./kept";

beforeEach(() => localStorage.clear());

it("offers the task and the title again, in the next window too", () => {
  keep(new Drafts(), { prompt: "Fix “it”\nsoon", title: "Fix" });
  expect(keptIn(new Drafts())).toEqual({ prompt: "Fix “it”\nsoon", title: "Fix" });
  keep(new Drafts(), { prompt: " ", title: "" });
  expect(localStorage.length).toBe(0);
  expect(keptIn(new Drafts())).toEqual({ prompt: "", title: "" });
});

it.each(["", "no JSON", "null", '"text"', '{"prompt":1,"title":""}'])(
  "begins empty if what was kept is %j",
  (text) => {
    const drafts = new Drafts();
    drafts.write("newSession", "", text);
    expect(keptIn(drafts)).toEqual({ prompt: "", title: "" });
  },
);
