import { expect, it } from "vitest";
import type { App } from "~/state/app.svelte";
import type { View } from "~/state/view.svelte";
import { ShownView } from "./shown.svelte";

/** Returns what is shown for a view, in an app that has read its sessions and has only `known`. */
function shownOf(view: View | { kind: "board" }, loaded = true) {
  const session = (id: string) => (id === "known" ? { id } : undefined);
  const app = { view: { view, split: null }, fleet: { loaded, session } } as unknown as App;
  return new ShownView(app);
}

it("shows the home view in place of a session that is gone, once that is known", () => {
  expect(shownOf({ kind: "session", id: "known" }).view.kind).toBe("session");
  expect(shownOf({ kind: "session", id: "gone" }).view.kind).toBe("home");
  expect(shownOf({ kind: "session", id: "gone" }, false).view.kind).toBe("session");
});

it("shows the home view in place of a view kept by another version", () => {
  const shown = shownOf({ kind: "board" });
  expect(shown.view.kind).toBe("home");
  expect(shown.component).not.toBeNull();
});

it("recreates the view for another session, but not for another page of the settings", () => {
  const page = (view: View) => shownOf(view, false).page;
  expect(page({ kind: "session", id: "a" })).not.toBe(page({ kind: "session", id: "b" }));
  expect(page({ kind: "settings", page: "keys" })).toBe(page({ kind: "settings", page: "power" }));
});

it("has the views of the first paint immediately, and the others once fetched", async () => {
  expect(shownOf({ kind: "attention" }).component).not.toBeNull();
  const cost = shownOf({ kind: "cost" });
  expect(cost.component).toBeNull();
  await cost.load();
  expect(cost.component).not.toBeNull();
});
