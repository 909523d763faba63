// WebGL for the terminals that show, with a way back to the DOM for each one alone. A probe at
// start tells whether drawing works at all; a context that is lost later takes only its own
// terminal to the DOM, and that one gets another try when it is shown again.

import type { Terminal } from "@xterm/xterm";
import { WebglAddon } from "@xterm/addon-webgl";
import { Recent } from "./recent";

/**
 * Contexts held at once. Browsers allow 16 a page and then take the oldest away without asking;
 * the last few terminals keep theirs, so that going back and forth costs nothing.
 */
const CONTEXTS_AT_MOST = 4;

/** A terminal whose context was lost this often stays with the DOM until it is opened anew. */
const LOSSES_AT_MOST = 3;

/** The colour that the probe draws and reads back. */
const PROBE = [0.2, 0.4, 0.6, 1] as const;

let works: boolean | undefined;

/** Whether WebGL draws what it is told, at the speed of hardware. Probed once, at first use. */
export function webglWorks(): boolean {
  works ??= probe();
  return works;
}

function probe(): boolean {
  try {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 4;
    const gl = canvas.getContext("webgl2", { failIfMajorPerformanceCaveat: true });
    if (!gl || isSoftware(rendererOf(gl))) return false;
    gl.clearColor(...PROBE);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const pixel = new Uint8Array(4);
    gl.readPixels(1, 1, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return PROBE.every((part, n) => Math.abs((pixel[n] ?? -99) - part * 255) <= 2);
  } catch {
    return false;
  }
}

/** What draws, by its own name; "" where the browser keeps it to itself. */
function rendererOf(gl: WebGL2RenderingContext): string {
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = gl.getParameter(about?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  return typeof name === "string" ? name : "";
}

/**
 * Whether a processor draws in place of a graphics card: a tenth of what the DOM does. Not every
 * browser counts that as the major caveat that it is.
 */
export function isSoftware(renderer: string): boolean {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
}

const held = new Recent<Renderer>(CONTEXTS_AT_MOST, (_key, renderer) => renderer.toDom());
let count = 0;

/** How one terminal is drawn. */
export class Renderer {
  #key = String((count += 1));
  #term: Terminal;
  #addon: WebglAddon | null = null;
  #losses = 0;

  constructor(term: Terminal) {
    this.#term = term;
  }

  /** Which way it draws now. */
  get kind(): "webgl" | "dom" {
    return this.#addon ? "webgl" : "dom";
  }

  /** The terminal shows: takes a context, or makes sure that its glyphs are drawn afresh. */
  shown(): void {
    if (this.#addon) {
      held.put(this.#key, this);
      // Contexts that were hidden for long come back with stale glyphs on some drivers.
      this.#term.clearTextureAtlas();
      return;
    }
    if (!webglWorks() || this.#losses >= LOSSES_AT_MOST) return;
    try {
      const addon = new WebglAddon();
      addon.onContextLoss(() => this.#lost());
      this.#term.loadAddon(addon);
      this.#addon = addon;
      held.put(this.#key, this);
    } catch {
      this.#losses = LOSSES_AT_MOST;
      this.toDom();
    }
  }

  /** Draws with the DOM from now on; the context is free for another terminal. */
  toDom(): void {
    held.take(this.#key);
    this.#addon?.dispose();
    this.#addon = null;
  }

  #lost(): void {
    this.#losses += 1;
    this.toDom();
  }
}
