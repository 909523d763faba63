// @vitest-environment node
import { expect, test } from "vitest";
import type { HostAsk } from "~/platform/types";
import type { App } from "~/state/app.svelte";
import { follow, placeOf } from "./follow-host";

test("the host leads to a session or a plan, and a dialog makes way", () => {
  const done: unknown[] = [];
  let ask: (ask: HostAsk) => void = () => undefined;
  const app = {
    platform: {
      onAsk: (handler: typeof ask) => {
        ask = handler;
        return () => done.push("left");
      },
      onFolderDrop: () => () => undefined,
    },
    dialogs: { close: () => done.push("closed") },
    view: { open: (id: string) => done.push(id), show: (view: unknown) => done.push(view) },
  } as unknown as App;
  const leave = follow(app, () => undefined);
  ask({ type: "openPlan", id: "pl1" });
  ask({ type: "openSession", id: "s1" });
  leave();
  expect(done).toEqual(["closed", { kind: "plan", id: "pl1" }, "closed", "s1", "left"]);
});

test("a file belongs to the project whose folder it is in", () => {
  const projects = [
    { id: "p1", path: "/home/ada/shop" },
    { id: "p2", path: "C:\\code\\infra" },
  ];
  const of = (path: string) => placeOf(path, projects);
  expect(of("/home/ada/shop/docs/plan.md")).toEqual({ projectId: "p1", path: "docs/plan.md" });
  expect(of("C:\\code\\infra\\plan.md")).toEqual({ projectId: "p2", path: "plan.md" });
  expect(of("/home/ada/shop-2/plan.md")).toBeNull();
});
