// Every text colour meets WCAG AA on every surface it is used on, in both themes.
import { describe, expect, it } from "vitest";
import css from "./tokens.css?raw";

type Rgb = [number, number, number];

function tokens(theme: string): (name: string) => string {
  const block = css.slice(css.indexOf(`[data-theme="${theme}"]`)).split("}")[0] ?? "";
  const values = new Map([...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((m) => [m[1], m[2]]));
  return (name) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`no token --${name}`);
    return value;
  };
}

const rgb = (hex: string): Rgb =>
  [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb;
const mix = (a: Rgb, b: Rgb, share: number) =>
  a.map((value, i) => value * share + (b[i] ?? 0) * (1 - share)) as Rgb;

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

const SURFACES = ["bg", "bg-side", "bg-raise", "bg-hover", "bg-active"];
const TEXTS = ["fg", "fg-2", "fg-3", "accent", "work", "need", "bad", "review", "ready"];
const TONES = ["work", "need", "bad", "review", "ready"];
const AA = 4.5;

describe.each(["dark", "light"])("the %s theme", (theme) => {
  const token = tokens(theme);
  const colour = (name: string) => rgb(token(name));

  it.each(TEXTS)("%s reads on every surface", (text) => {
    for (const surface of SURFACES) {
      const ratio = contrast(colour(text), colour(surface));
      expect(ratio, `${text} on ${surface}`).toBeGreaterThanOrEqual(AA);
    }
  });

  it.each(TONES)("%s reads on its own tint", (tone) => {
    const tint = parseInt(token("tint")) / 100;
    const ratio = contrast(colour(tone), mix(colour(tone), colour("bg"), tint));
    expect(ratio).toBeGreaterThanOrEqual(AA);
  });

  it("text on the accent colour is readable", () => {
    expect(contrast(colour("on-accent"), colour("accent"))).toBeGreaterThanOrEqual(AA);
    expect(contrast(colour("bg"), colour("bad"))).toBeGreaterThanOrEqual(AA);
    expect(contrast(colour("fg"), colour("accent-bg"))).toBeGreaterThanOrEqual(AA);
    expect(contrast(colour("fg-2"), colour("accent-bg"))).toBeGreaterThanOrEqual(AA);
  });

  it("fields and switches are seen by their edges", () => {
    for (const surface of ["bg", "bg-side", "bg-raise"]) {
      expect(contrast(colour("line-field"), colour(surface)), surface).toBeGreaterThanOrEqual(3);
    }
  });

  it("dots are visible", () => {
    const dotOf = (tone: string) =>
      token(`${tone}-dot`).startsWith("#") ? colour(`${tone}-dot`) : colour(tone);
    const dots = [colour("idle"), ...TONES.map(dotOf)];
    for (const surface of SURFACES) {
      for (const dot of dots) {
        expect(contrast(dot, colour(surface)), surface).toBeGreaterThanOrEqual(3);
      }
    }
  });
});
