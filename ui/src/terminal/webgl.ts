// WebGL for the visible terminals, with a separate fallback to the DOM for each. A probe at start
// finds out whether drawing works at all; a context that is lost later affects only its own
// terminal, which tries again when it is next shown.

import type { Terminal } from "@xterm/xterm";
import { WebglAddon } from "@xterm/addon-webgl";
import { Recent } from "./recent";

/**
 * The maximum number of contexts held. Browsers allow 16 per page and then drop the oldest without
 * notice; the last few terminals keep theirs, so that switching between them costs nothing.
 */
const CONTEXTS_AT_MOST = 4;

/** A terminal whose context was lost this often uses the DOM until it is opened anew. */
const LOSSES_AT_MOST = 3;

/** The colour that the probe draws and reads back. */
const PROBE = [0.2, 0.4, 0.6, 1] as const;

let works: boolean | undefined;

/** Whether WebGL draws correctly, with hardware acceleration. Probed once, at first use. */
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

/** Returns the renderer's name; "" if the browser hides it. */
function rendererOf(gl: WebGL2RenderingContext): string {
  const about = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = gl.getParameter(about?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
  return typeof name === "string" ? name : "";
}

/**
 * Whether WebGL is rendered in software, which is ten times slower than the DOM. Not every browser
 * reports that as a major performance caveat.
 */
export function isSoftware(renderer: string): boolean {
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer);
}

const held = new Recent<Renderer>(CONTEXTS_AT_MOST, (_key, renderer) => renderer.toDom());
let count = 0;

/** The renderer of one terminal. */
export class Renderer {
  #key = String((count += 1));
  #term: Terminal;
  #addon: WebglAddon | null = null;
  #losses = 0;

  constructor(term: Terminal) {
    this.#term = term;
  }

  /** The current renderer. */
  get kind(): "webgl" | "dom" {
    return this.#addon ? "webgl" : "dom";
  }

  /** The terminal is shown: takes a context, or makes sure that its glyphs are redrawn. */
  shown(): void {
    if (this.#addon) {
      held.put(this.#key, this);
      // On some drivers, contexts that were hidden for long return with stale glyphs.
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

  /** Switches to the DOM; the context is free for another terminal. */
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
