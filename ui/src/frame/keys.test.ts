import { describe, expect, it } from "vitest";
import type { System } from "~/platform/types";
import {
  bindingsOf,
  keyTable,
  refusal,
  rivalOf,
  usualKeys,
  type Desk,
} from "~/state/keys/bindings";
import { chordOf, format, identity, matches, parse, write, type Pressed } from "~/state/keys/chord";
import { Commands } from "~/state/keys/commands.svelte";
import { COMMANDS } from "./commands";

const SYSTEMS: System[] = ["mac", "linux", "windows"];
const LINUX: Desk = { rows: COMMANDS, system: "linux", inBrowser: false };
const MAC: Desk = { rows: COMMANDS, system: "mac", inBrowser: false };

function press(key: string, held: Partial<Pressed> = {}): Pressed {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : "";
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

describe.each(SYSTEMS)("the key table of %s", (system) => {
  it.each([true, false])("has no collisions (in a browser: %s)", (inBrowser) => {
    for (const place of ["terminal", "elsewhere"] as const) {
      const here = keyTable({ rows: COMMANDS, system, inBrowser }).filter((b) =>
        b.places.includes(place),
      );
      const chords = here.map((b) => identity(b.chord));
      expect(chords.filter((chord, at) => chords.indexOf(chord) !== at)).toEqual([]);
    }
  });

  it("leaves terminal keys to the terminal", () => {
    for (const { chord, places, command } of keyTable({
      rows: COMMANDS,
      system,
      inBrowser: true,
    })) {
      if (!places.includes("terminal")) continue;
      if (system === "mac" && chord.meta) continue;
      const plainCtrl = chord.ctrl && !chord.shift && !chord.alt && /^[A-Z]$/.test(chord.key);
      const bare = !chord.ctrl && !chord.alt && !chord.meta;
      expect(plainCtrl || bare, command).toBe(false);
    }
  });

  it("avoids the keys of desktops and browsers", () => {
    const taken = ["Ctrl+Alt+ArrowUp", "Ctrl+Alt+ArrowDown", "Ctrl+Alt+ArrowLeft", "Alt+ArrowLeft"];
    const theirs = new Set(taken.map((text) => identity(parse(text, system))));
    for (const { chord } of keyTable({ rows: COMMANDS, system, inBrowser: true }))
      expect(theirs).not.toContain(identity(chord));
  });
});

describe("a chord", () => {
  it("turns a plain Ctrl+letter into Ctrl+Shift+letter inside a terminal", () => {
    const [own, inTerminal] = bindingsOf("palette", LINUX);
    expect(own && format(own.chord, "linux")).toBe("Ctrl K");
    expect(inTerminal && format(inTerminal.chord, "linux")).toBe("Ctrl Shift K");
    expect(bindingsOf("palette", MAC).map((b) => format(b.chord, "mac"))).toEqual(["⌘K"]);
  });

  it("of a terminal also works elsewhere", () => {
    const commands = new Commands(LINUX);
    const shifted = press("K", { ctrlKey: true, shiftKey: true });
    expect([true, false].map((inTerminal) => commands.match(shifted, inTerminal))).toEqual([
      "palette",
      "palette",
    ]);
    const f6 = (held: Partial<Pressed>, inTerminal: boolean) =>
      commands.match(press("F6", held), inTerminal);
    expect(f6({}, false)).toBe("nextRegion");
    expect(f6({}, true)).toBeNull();
    expect(f6({ ctrlKey: true }, true)).toBe("nextRegion");
    expect(f6({ ctrlKey: true, shiftKey: true }, true)).toBe("previousRegion");
  });

  it("that a browser has for the same is left to it", () => {
    expect(usualKeys("largerText", LINUX)).toEqual(["mod+="]);
    expect(usualKeys("largerText", { ...LINUX, inBrowser: true })).toEqual([]);
  });

  it("leaves Ctrl+/ to terminals, where it undoes", () => {
    const slash = press("/", { ctrlKey: true });
    const commands = new Commands(LINUX);
    expect([false, true].map((inTerminal) => commands.match(slash, inTerminal))).toEqual([
      "keys",
      null,
    ]);
  });

  it("matches by the letter, and by the key's position on layouts without Latin letters", () => {
    const chord = parse("mod+K", "linux");
    expect(matches(chord, press("k", { ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("л", { code: "KeyK", ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("t", { code: "KeyK", ctrlKey: true }))).toBe(false);
    expect(matches(chord, press("k", { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matches(chord, press("k", { metaKey: true }))).toBe(false);
  });

  it("matches a sign with or without Shift", () => {
    const chord = parse("mod+/", "windows");
    expect(matches(chord, press("/", { ctrlKey: true }))).toBe(true);
    expect(matches(chord, press("/", { ctrlKey: true, shiftKey: true }))).toBe(true);
  });
});

describe("commands", () => {
  it("exist only while they have a handler and are enabled", () => {
    const commands = new Commands(LINUX);
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

  it("can share a key between terminals and the rest", () => {
    const commands = new Commands(LINUX);
    const plain = press("k", { ctrlKey: true });
    expect(commands.match(plain, false)).toBe("palette");
    expect(commands.match(plain, true)).toBeNull();
    expect(commands.match(press("K", { ctrlKey: true, shiftKey: true }), true)).toBe("palette");
  });
});

describe("custom keys", () => {
  const own = { palette: "mod+P", find: "none" } as const;

  it("replace the default ones", () => {
    const commands = new Commands(LINUX, () => own);
    expect(commands.match(press("k", { ctrlKey: true }), false)).toBeNull();
    expect(commands.match(press("p", { ctrlKey: true }), false)).toBe("palette");
    expect(commands.match(press("P", { ctrlKey: true, shiftKey: true }), true)).toBe("palette");
    expect(commands.keys("palette")).toBe("Ctrl P");
    expect(commands.keys("find")).toBeUndefined();
    commands.recording = true;
    expect(commands.match(press("p", { ctrlKey: true }), false)).toBeNull();
  });

  it("also replace a browser's extra default keys", () => {
    const desk: Desk = { ...LINUX, inBrowser: true };
    expect(usualKeys("newSession", desk)).toEqual(["Alt+Shift+N", "mod+N"]);
    const bound = bindingsOf("newSession", desk, { newSession: "F7" });
    expect(bound.map(({ chord }) => format(chord, "linux"))).toEqual(["F7", "Ctrl F7"]);
  });

  it("take precedence over defaults of other commands", () => {
    const commands = new Commands(MAC, () => ({ readNotices: "mod+K" }));
    expect(commands.match(press("k", { metaKey: true }), false)).toBe("readNotices");
  });

  it("report the command that they collide with, also in a terminal", () => {
    expect(rivalOf("stop", LINUX, { stop: "mod+K" })).toBe("palette");
    expect(rivalOf("stop", LINUX, { stop: "mod+Shift+K" })).toBe("palette");
    expect(rivalOf("stop", MAC, { stop: "mod+Shift+K" })).toBeNull();
    expect(rivalOf("stop", LINUX, { stop: "mod+K", palette: "none" })).toBeNull();
    expect(rivalOf("palette", LINUX, { stop: "mod+K" })).toBe("stop");
  });

  it("are formatted as they are parsed, on every system", () => {
    for (const text of ["mod+P", "mod+Alt+ArrowUp", "F3", "mod++", "Alt+Shift+N", "mod+Space"]) {
      for (const system of SYSTEMS) expect(write(parse(text, system), system)).toBe(text);
    }
    expect(write(parse("Ctrl+Shift+p", "mac"), "mac")).toBe("Ctrl+Shift+P");
  });

  it("are read from a key press", () => {
    const recorded = (pressed: Pressed) => {
      const chord = chordOf(pressed);
      return chord && write(chord, "linux");
    };
    expect(recorded(press("Control", { ctrlKey: true }))).toBeNull();
    expect(recorded(press("P", { ctrlKey: true, shiftKey: true }))).toBe("mod+Shift+P");
    expect(recorded(press("л", { code: "KeyK", altKey: true }))).toBe("Alt+K");
    expect(recorded(press("?", { ctrlKey: true, shiftKey: true }))).toBe("mod+?");
    expect(recorded(press(" ", { ctrlKey: true }))).toBe("mod+Space");
    expect(recorded(press("+", { ctrlKey: true }))).toBe("mod++");
    const chord = chordOf(press("?", { ctrlKey: true, shiftKey: true }));
    expect(chord && matches(chord, press("?", { ctrlKey: true, shiftKey: true }))).toBe(true);
  });

  it("are refused if they would type, edit, or never arrive", () => {
    const why = (text: string, system: System) => refusal(parse(text, system), system);
    expect(["K", "Shift+K", "Backspace"].map((text) => why(text, "linux"))).toEqual(
      Array(3).fill("types"),
    );
    expect(["mod+C", "mod+Shift+V", "mod+Z", "mod+Enter"].map((k) => why(k, "mac"))).toEqual(
      Array(4).fill("edits"),
    );
    expect(["F5", "Alt+C", "mod+Alt+C", "mod+Shift+A"].map((k) => why(k, "windows"))).toEqual(
      Array(4).fill(null),
    );
    expect(refusal({ ...parse("K", "linux"), meta: true }, "linux")).toBe("system");
  });
});
