import { describe, expect, it } from "vitest";
import type { System } from "~/platform/types";
import { bindingsOf, keyTable } from "./bindings";
import { format, identity, matches, parse, type Pressed } from "./chord";
import { Commands } from "./commands.svelte";

const SYSTEMS: System[] = ["mac", "linux", "windows"];

function press(key: string, held: Partial<Pressed> = {}): Pressed {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : "";
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

describe.each(SYSTEMS)("the key table of %s", (system) => {
  it.each([true, false])("has no collisions (in a browser: %s)", (inBrowser) => {
    for (const place of ["terminal", "elsewhere"] as const) {
      const here = keyTable(system, inBrowser).filter((b) => b.places.includes(place));
      const chords = here.map((b) => identity(b.chord));
      expect(chords.filter((chord, at) => chords.indexOf(chord) !== at)).toEqual([]);
    }
  });

  it("leaves the terminal what is the terminal's", () => {
    for (const { chord, places, command } of keyTable(system, true)) {
      if (!places.includes("terminal")) continue;
      if (system === "mac" && chord.meta) continue;
      const plainCtrl = chord.ctrl && !chord.shift && !chord.alt && /^[A-Z]$/.test(chord.key);
      const bare = !chord.ctrl && !chord.alt && !chord.meta;
      expect(plainCtrl || bare, command).toBe(false);
    }
  });

  it("avoids what desktops and browsers take", () => {
    const taken = ["Ctrl+Alt+ArrowUp", "Ctrl+Alt+ArrowDown", "Ctrl+Alt+ArrowLeft", "Alt+ArrowLeft"];
    const theirs = new Set(taken.map((text) => identity(parse(text, system))));
    for (const { chord } of keyTable(system, true)) expect(theirs).not.toContain(identity(chord));
  });
});

describe("a chord", () => {
  it("turns a plain Ctrl+letter into Ctrl+Shift+letter inside a terminal", () => {
    const [own, inTerminal] = bindingsOf("palette", "linux", false);
    expect(own && format(own.chord, "linux")).toBe("Ctrl K");
    expect(inTerminal && format(inTerminal.chord, "linux")).toBe("Ctrl Shift K");
    expect(bindingsOf("palette", "mac", false).map((b) => format(b.chord, "mac"))).toEqual(["⌘K"]);
  });

  it("goes by the letter, and by the place of the key on layouts without Latin letters", () => {
    const chord = parse("mod+K", "linux");
    expect(matches(chord, press("k", { ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("л", { code: "KeyK", ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("t", { code: "KeyK", ctrlKey: true }))).toBe(false);
    expect(matches(chord, press("k", { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matches(chord, press("k", { metaKey: true }))).toBe(false);
  });

  it("takes a sign however the layout gives it", () => {
    const chord = parse("mod+/", "windows");
    expect(matches(chord, press("/", { ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("/", { ctrlKey: true, shiftKey: true }))).toBe(true);
  });
});

describe("commands", () => {
  it("exist only while someone carries them out and can", () => {
    const commands = new Commands("linux", false);
    expect(commands.run("palette")).toBe(false);
    let enabled = false;
    let runs = 0;
    const undo = commands.provide("palette", { run: () => (runs += 1), enabled: () => enabled });
    expect(commands.available()).toEqual([]);
    enabled = true;
    expect(commands.available()).toEqual(["palette"]);
    expect(commands.run("palette")).toBe(true);
    undo();
    expect(commands.run("palette")).toBe(false);
    expect(runs).toBe(1);
  });

  it("mean the same key differently in a terminal", () => {
    const commands = new Commands("linux", false);
    const plain = press("k", { ctrlKey: true });
    expect(commands.match(plain, false)).toBe("palette");
    expect(commands.match(plain, true)).toBeNull();
    expect(commands.match(press("K", { ctrlKey: true, shiftKey: true }), true)).toBe("palette");
  });
});
