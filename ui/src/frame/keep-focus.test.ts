import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepFocus } from "./keep-focus";

let stop: () => void;
beforeEach(() => {
  document.body.innerHTML = `
    <div id="app">
      <ul>
        <li><button>Open</button><button>Drop</button></li>
        <li><button>Open</button><button>Drop</button></li>
      </ul>
      <p class="answers"><button>Yes</button></p>
      <button class="danger">Kill</button>
      <input id="field" />
    </div>`;
  stop = keepFocus();
});
afterEach(() => stop());

const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
const at = () => document.activeElement;
const focus = (element: HTMLElement | undefined) => element?.focus();

it("moves the focus to the matching element of the next row, then of the previous one", async () => {
  focus(all("li button")[1]);
  all("li")[0]?.remove();
  await vi.waitFor(() => expect(at()).toBe(all("li button")[1]));
  const row = all("li")[0];
  if (row) row.before(row.cloneNode(true));
  focus(all("li button")[2]);
  all("li")[1]?.remove();
  await vi.waitFor(() => expect(at()).toBe(all("li button")[0]));
});

it("never moves the focus to an answer or to a destructive button", async () => {
  focus(all("li button")[0]);
  all("ul")[0]?.remove();
  await vi.waitFor(() => expect(at()?.id).toBe("field"));
});

it("moves the focus to the element that opened a dialog, or to its replacement", async () => {
  focus(all("li button")[0]);
  const dialog = document.createElement("div");
  dialog.innerHTML = `<div role="dialog"><button>Remove</button></div>`;
  document.body.append(dialog);
  focus(all("[role=dialog] button")[0]);
  all("li")[0]?.remove();
  dialog.remove();
  await vi.waitFor(() => expect(at()).toBe(all("li button")[0]));
});

it("moves the focus from the last toast back to its previous place", async () => {
  focus(all("li button")[2]);
  const toaster = document.createElement("div");
  toaster.className = "toaster";
  toaster.innerHTML = `<p><button>Dismiss</button></p>`;
  document.body.append(toaster);
  focus(all(".toaster button")[0]);
  toaster.replaceChildren();
  await vi.waitFor(() => expect(at()).toBe(all("li button")[2]));
});

it("does nothing if something else took the focus", async () => {
  vi.useFakeTimers();
  focus(all("li button")[0]);
  all("li")[0]?.remove();
  await vi.advanceTimersByTimeAsync(50);
  focus(all("#field")[0]);
  await vi.advanceTimersByTimeAsync(1_000);
  vi.useRealTimers();
  expect(at()?.id).toBe("field");
});

it("marks the element that took over, until it loses the focus", async () => {
  focus(all("li button")[0]);
  expect(at()?.matches("[data-took-over]")).toBe(false);
  all("ul")[0]?.remove();
  await vi.waitFor(() => expect(at()?.id).toBe("field"));
  expect(at()?.matches("[data-took-over]")).toBe(true);
  focus(all(".danger")[0]);
  expect(all("[data-took-over]")).toEqual([]);
});
