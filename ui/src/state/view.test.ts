// The view and its panes together: what opening, changes, steps back and a restart make of the layouts.
import { beforeEach, describe, expect, it } from "vitest";
import type { Call } from "~/wire/client";
import { Kept } from "./kept";
import { single, split } from "./panes/layout";
import { ViewState } from "./view.svelte";

/** The project of a session is the first letter of its name. */
const projectOf = (id: string) => id.slice(0, 1);

/** Returns the view of a window that starts with what the previous one kept. */
function started(): ViewState {
  const call = (() => Promise.resolve({})) as unknown as Call;
  const view = new ViewState(new Kept(call));
  view.panes.projectOf = projectOf;
  return view;
}

/** Returns a window with these panes beside each other; the last one has the focus. */
function withPanes(view: ViewState, first: string, ...others: string[]): ViewState {
  view.open(first);
  for (const id of others) view.openBeside(id);
  return view;
}

const rows = (view: ViewState) => view.panes.layout?.rows;
const splitRight = (view: ViewState) => view.arrange((layout) => split(layout, null, "right"));

/** Goes to a state of the history, as a step back does. */
function back(id: string) {
  const state = { kind: "session", id };
  history.replaceState(state, "");
  window.dispatchEvent(new PopStateEvent("popstate", { state }));
}

beforeEach(() => {
  localStorage.clear();
  history.replaceState(null, "");
});

describe("who takes the keyboard", () => {
  it.each<[string, (view: ViewState) => void]>([
    ["a press into the pane that has the focus", (view) => view.focusPane(1)],
    ["a press into another pane", (view) => view.focusPane(0)],
    ["a change of the panes", (view) => void splitRight(view)],
  ])("a session shown with the focus left behind no longer holds it after %s", (_, act) => {
    const view = withPanes(started(), "p1", "p2");
    view.open("p3", undefined, { stay: true });
    expect(view.staysBehind).toBe(true);
    act(view);
    expect(view.staysBehind).toBe(false);
  });
});

describe("panes of several projects", () => {
  it("are back after a restart as the person left them", () => {
    const first = withPanes(started(), "p1", "p2");
    first.open("q1");
    first.openBeside("q2");
    first.open("p1");
    first.open("q2");
    history.replaceState(null, "");
    const next = started();
    expect(next.view).toEqual({ kind: "session", id: "q2" });
    expect(next.split?.rows).toEqual([["q1", "q2"]]);
    expect(splitRight(next)).toBe(true);
    expect(rows(next)).toEqual([["q1", "q2", null]]);
  });

  it("are not overwritten by a change if the view was kept by another page", () => {
    const first = withPanes(started(), "q1", "q2");
    withPanes(first, "p1", "p2");
    localStorage.setItem("downbeat.view", JSON.stringify({ kind: "session", id: "q2" }));
    history.replaceState(null, "");
    const next = started();
    expect(splitRight(next)).toBe(true);
    expect(rows(next)).toEqual([["q1", "q2", null]]);
    next.focusPane(0);
    next.open("p2");
    expect(rows(next)).toEqual([["p1", "p2"]]);
  });

  it("of which the kept ones are full take no other", () => {
    const first = withPanes(started(), "q1", "q2", "q3", "q4", "q5", "q6");
    withPanes(first, "p1", "p2");
    localStorage.setItem("downbeat.view", JSON.stringify({ kind: "session", id: "q2" }));
    history.replaceState(null, "");
    const next = started();
    expect(next.canArrange((layout) => split(layout, null, "right"))).toBe(false);
    expect(splitRight(next)).toBe(false);
    expect(rows(next)).toEqual([["p1", "p2"]]);
  });
});

describe("a step back", () => {
  it("shows a session that lost its pane alone, and keeps the panes", () => {
    const view = withPanes(started(), "p1", "p2");
    view.open("p3");
    view.focusPane(0);
    back("p2");
    expect(view.sessionId).toBe("p2");
    expect(view.split).toBeNull();
    expect(rows(view)).toEqual([["p1", "p3"]]);
    back("p1");
    expect(view.split?.rows).toEqual([["p1", "p3"]]);
  });

  it("focuses the pane of its session, asks it to take the keyboard, and fills an empty pane", () => {
    const view = withPanes(started(), "p1", "p2");
    const { asked } = view.panes;
    back("p1");
    expect(view.split?.focus).toBe(0);
    expect(view.panes.asked).toBe(asked + 1);
    splitRight(view);
    back("p3");
    expect(rows(view)).toEqual([["p1", "p3", "p2"]]);
  });

  it("follows a session with the whole view", () => {
    const view = started();
    view.open("p1");
    view.open("p2");
    back("p1");
    expect(view.panes.layout).toEqual(single("p1"));
  });

  it("numbers the pane that a session shown alone would take, so that a drop there goes beside it", () => {
    const view = withPanes(started(), "p1", "p2");
    view.open("p3");
    view.focusPane(0);
    view.focusPane(1);
    back("p2");
    expect(view.pane).toBe(1);
    expect(view.dropOn("p4", view.pane ?? -1, "right")).toBe(true);
    expect(rows(view)).toEqual([["p1", "p2", "p4"]]);
  });
});
