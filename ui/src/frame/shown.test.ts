import { expect, it } from "vitest";
import type { App } from "~/state/app.svelte";
import type { View } from "~/state/view.svelte";
import { ShownView } from "./shown.svelte";

/** What shows of a view, in an app that has read its sessions and knows `known` alone. */
function shownOf(view: View | { kind: "board" }, loaded = true) {
  const session = (id: string) => (id === "known" ? { id } : undefined);
  const app = { view: { view }, fleet: { loaded, session } } as unknown as App;
  return new ShownView(app);
}

it("shows the home view in place of a session that is gone, once that is known", () => {
  expect(shownOf({ kind: "session", id: "known" }).view.kind).toBe("session");
  expect(shownOf({ kind: "session", id: "gone" }).view.kind).toBe("home");
  expect(shownOf({ kind: "session", id: "gone" }, false).view.kind).toBe("session");
});

it("shows the home view in place of one that another version kept", () => {
  const shown = shownOf({ kind: "board" });
  expect(shown.view.kind).toBe("home");
  expect(shown.component).not.toBeNull();
});

it("begins anew with another session, and stays the same with another page of the settings", () => {
  const page = (view: View) => shownOf(view, false).page;
  expect(page({ kind: "session", id: "a" })).not.toBe(page({ kind: "session", id: "b" }));
  expect(page({ kind: "settings", page: "keys" })).toBe(page({ kind: "settings", page: "power" }));
});

it("has at once what the first paint shows, and the rest once it was fetched", async () => {
  expect(shownOf({ kind: "attention" }).component).not.toBeNull();
  const cost = shownOf({ kind: "cost" });
  expect(cost.component).toBeNull();
  await cost.load();
  expect(cost.component).not.toBeNull();
});
