// One xterm terminal with everything a session needs from it, independent of the session: no
// connection, no size policy. It never answers queries, opens links only after a click, and lets
// programs write the clipboard but not read it.

import type { Terminal } from "@xterm/xterm";
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon, type ISearchOptions } from "@xterm/addon-search";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { filesPasted, picturesOnClipboard } from "~/platform/transfer";
import { anchorOf, findAnchor, type Anchor } from "./anchor";
import { clipboardText, harmlessPaste } from "./clipboard";
import type { TerminalText } from "./font";
import { keyAction } from "./keys";
import { webAddress } from "./links";
import { placesOf, type Place } from "./places";
import { swallowQueries } from "./queries";
import type { Size } from "./size";
import { Restore } from "./restore";
import type { Canvas } from "./stream";
import { readTokens, searchMarks, terminalTheme, type TokenColours } from "./theme";
import { Renderer } from "./webgl";
import { terminalFamily, type Xterm } from "./xterm";

/** The callbacks that a screen needs. */
export interface ScreenHost {
  mac: boolean;
  /** Whether the application's keys want this press, so that the terminal must not handle it. */
  taken(event: KeyboardEvent): boolean;
  /** The person typed, pasted, or used the mouse in a program that requested it. */
  typed(data: Uint8Array): void;
  focused(): void;
  /** The person pasted files, or a picture, that are no text. */
  pastedFiles(files: File[]): void;
  /** The distance of the view from the end, in lines. */
  scrolled(above: number): void;
  /** The pointer is over a link to this address; null when it left. */
  hovered(address: string | null): void;
  copy(text: string): void;
  /** The program put text on the clipboard; called only while the person is in this terminal. */
  programCopies(text: string): void;
  openUrl(address: string): void;
  openPlace(place: Place): void;
}

export class Screen implements Canvas {
  readonly term: Terminal;
  readonly element: HTMLElement;
  #host: ScreenHost;
  #fit = new FitAddon();
  #search = new SearchAddon();
  #renderer: Renderer;
  #tokens: TokenColours;
  #reading: Anchor | null = null;
  #restore: Restore;
  /** Whether a snapshot was ever drawn here. */
  #drawn = false;
  /**
   * The size that the last screen of an ended program is laid out for; null while a program may
   * draw.
   */
  #rests: Size | null = null;
  #focusReport = false;
  #encoder = new TextEncoder();

  /** A screen on an xterm that has had no session, open or not. */
  constructor(host: ScreenHost, { term, tokens, element }: Xterm) {
    this.#host = host;
    this.#tokens = tokens;
    this.term = term;
    this.element = element;
    term.options.linkHandler = {
      activate: (_event, text) => this.#openLink(text),
      hover: (_event, text) => this.#hoverLink(text),
      leave: () => host.hovered(null),
    };
    this.#renderer = new Renderer(this.term);
    this.#restore = new Restore(this.term, () => this.element.isConnected && !document.hidden);
    this.#load();
    this.#listen();
  }

  // Called by the stream.

  write(data: Uint8Array, done: () => void): void {
    this.term.write(data, done);
  }

  preview(cols: number, rows: number, screen: Uint8Array): void {
    const { term } = this;
    if (this.#drawn) {
      // What was drawn before stays until the snapshot is complete.
      if (term.cols === cols && term.rows === rows) return;
      this.#reading ??= anchorOf(term.buffer.active);
    }
    this.resize(cols, rows);
    this.#restore.preview(screen);
  }

  restore(cols: number, rows: number, snapshot: Uint8Array, done: () => void): void {
    const { term } = this;
    this.#reading ??= anchorOf(term.buffer.active);
    this.#rests = null;
    term.options.reflowCursorLine = false;
    const isOnScreen = this.#drawn && term.cols === cols && term.rows === rows;
    if (!isOnScreen) {
      // A new one has nothing to reset.
      if (this.#drawn) term.reset();
      this.resize(cols, rows);
    }
    this.#restore.draw(snapshot, isOnScreen, () => {
      this.#drawn = true;
      if (this.#reading) term.scrollToLine(findAnchor(term.buffer.active, this.#reading));
      this.#reading = null;
      if (this.#rests !== null) this.#layOut();
      done();
    });
  }

  resize(cols: number, rows: number): void {
    this.term.resize(Math.max(2, cols), Math.max(1, rows));
  }

  // Called by the view.

  /** Shows the terminal in `parent`, in the state in which it was hidden. */
  show(parent: HTMLElement): void {
    parent.append(this.element);
    if (this.term.element) {
      this.#renderer.shown();
      this.term.refresh(0, this.term.rows - 1);
      return;
    }
    this.term.open(this.element);
    this.#renderer.shown();
  }

  /** Removes the terminal from the page, keeping its state. */
  hide(): void {
    this.element.remove();
  }

  /** Returns the size that fits the available space; null while there is none. */
  fits(): Size | null {
    const size = this.#fit.proposeDimensions();
    if (!size || !Number.isFinite(size.cols) || !Number.isFinite(size.rows)) return null;
    return { cols: size.cols, rows: size.rows };
  }

  /** The number of lines between the view and the end. */
  get above(): number {
    const { baseY, viewportY } = this.term.buffer.active;
    return baseY - viewportY;
  }

  /**
   * Lays out the last screen of an ended program for the space here, without its cursor. Output
   * that is not parsed yet was made for the current size, so it is parsed first.
   */
  rest(size: Size): void {
    if (this.#rests === null) this.term.write("\x1b[?25l");
    this.#rests = size;
    // A partly drawn snapshot is laid out once it is complete.
    if (!this.#restore.isBusy) this.#layOut();
  }

  #layOut(): void {
    this.term.write("", () => {
      if (this.#rests === null || this.isFixed) return;
      const atEnd = this.above === 0;
      this.term.options.reflowCursorLine = true;
      this.resize(this.#rests.cols, this.#rests.rows);
      if (atEnd) this.toEnd();
    });
  }

  /** Leaves the ended state: a program draws again, at this size. */
  goOn(size: Size): void {
    if (this.#rests === null) return;
    this.#rests = null;
    this.term.options.reflowCursorLine = false;
    this.term.write("\x1b[?25h");
    this.resize(size.cols, size.rows);
  }

  /**
   * Whether the size is fixed: an alternate screen has no scrollback, so text that is cut off is
   * lost.
   */
  get isFixed(): boolean {
    return this.term.buffer.active.type === "alternate";
  }

  set text({ size, font }: TerminalText) {
    const { options } = this.term;
    if (options.fontSize !== size) options.fontSize = size;
    const family = terminalFamily(font);
    if (options.fontFamily !== family) options.fontFamily = family;
  }

  retheme(): void {
    this.#tokens = readTokens();
    this.term.options.theme = terminalTheme(this.#tokens);
  }

  focus(): void {
    this.term.focus();
  }

  toEnd(): void {
    this.term.scrollToBottom();
  }

  /**
   * Finds text; `back` searches upwards. Reports through `found` how many matches there are and
   * which one is shown.
   */
  find(
    text: string,
    back: boolean,
    options: Pick<ISearchOptions, "caseSensitive" | "incremental">,
  ): void {
    const all = { ...options, decorations: searchMarks(this.#tokens) };
    if (back) this.#search.findPrevious(text, all);
    else this.#search.findNext(text, all);
  }

  onFound(found: (index: number, count: number) => void): () => void {
    const listening = this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      found(resultIndex, resultCount),
    );
    return () => listening.dispose();
  }

  endFind(): void {
    this.#search.clearDecorations();
    this.term.clearSelection();
  }

  /** Passes text to the program as a paste, without control characters. */
  insert(text: string): void {
    this.term.paste(harmlessPaste(text));
    this.toEnd();
  }

  /** Pastes the pictures on the clipboard, if the page may read it and has some. */
  async pastePictures(): Promise<void> {
    const pictures = await picturesOnClipboard();
    if (pictures.length > 0) this.#host.pastedFiles(pictures);
  }

  copySelection(): void {
    const text = this.term.getSelection();
    if (text !== "") this.#host.copy(text);
  }

  get rendering(): "webgl" | "dom" {
    return this.#renderer.kind;
  }

  dispose(): void {
    this.#renderer.toDom();
    this.#restore.stop();
    this.term.dispose();
    this.element.remove();
  }

  #load(): void {
    this.term.loadAddon(this.#fit);
    this.term.loadAddon(this.#search);
    this.term.loadAddon(new UnicodeGraphemesAddon());
    this.term.loadAddon(
      new WebLinksAddon((_event, text) => this.#openLink(text), {
        hover: (_event, text) => this.#hoverLink(text),
        leave: () => this.#host.hovered(null),
      }),
    );
    this.term.registerLinkProvider({
      provideLinks: (y, give) => {
        const line = this.term.buffer.active.getLine(y - 1);
        const places = line ? placesOf(line) : [];
        const shown = ({ path, line: number }: Place) => `${path}:${number}`;
        give(
          places.map((place) => ({
            range: { start: { x: place.from, y }, end: { x: place.to, y } },
            text: shown(place),
            activate: () => this.#host.openPlace(place),
            hover: () => this.#host.hovered(shown(place)),
            leave: () => this.#host.hovered(null),
          })),
        );
      },
    });
    swallowQueries(this.term.parser);
    this.term.parser.registerOscHandler(52, (data) => {
      const text = clipboardText(data);
      // Only for a terminal with the focus: another program could replace what the person has just
      // copied.
      if (text !== null && this.#attended()) this.#host.programCopies(text);
      return true;
    });
    // When focus reports are switched on, xterm sends one immediately, even while a snapshot is
    // replayed and from a viewer without the focus. Reports of real focus changes are still sent.
    this.term.parser.registerCsiHandler({ prefix: "?", final: "h" }, (params) => {
      if (params.includes(1004)) {
        this.#focusReport = true;
        queueMicrotask(() => (this.#focusReport = false));
      }
      return false;
    });
  }

  #attended(): boolean {
    return document.hasFocus() && this.element.contains(document.activeElement);
  }

  #listen(): void {
    const { term, element } = this;
    term.onData((data) => {
      if (this.#focusReport && (data === "\x1b[I" || data === "\x1b[O")) return;
      this.#host.typed(this.#encoder.encode(data));
    });
    term.onBinary((data) => this.#host.typed(Uint8Array.from(data, (char) => char.charCodeAt(0))));
    term.onScroll(() => this.#host.scrolled(this.above));
    term.onWriteParsed(() => this.#host.scrolled(this.above));
    term.attachCustomKeyEventHandler((event) => this.#key(event));
    element.addEventListener("focusin", () => this.#host.focused());
    element.addEventListener("paste", (event) => this.#paste(event), { capture: true });
  }

  #key(event: KeyboardEvent): boolean {
    const action = keyAction(event, this.#host.mac, this.#host.taken(event));
    const down = event.type === "keydown";
    switch (action.do) {
      case "pass":
        return true;
      case "type":
        if (down) this.term.input(action.bytes);
        event.preventDefault();
        return false;
      case "copy":
        if (down) this.copySelection();
        event.preventDefault();
        return false;
      // The browser's own paste event follows, and is handled in #paste.
      case "paste":
      case "leave":
        return false;
    }
  }

  #paste(event: ClipboardEvent): void {
    const files = filesPasted(event.clipboardData);
    const text = event.clipboardData?.getData("text/plain") ?? "";
    event.preventDefault();
    event.stopPropagation();
    if (files.length > 0) this.#host.pastedFiles(files);
    else if (text !== "") this.insert(text);
    else void this.pastePictures();
  }

  #openLink(text: string): void {
    const address = webAddress(text);
    if (address !== null) this.#host.openUrl(address);
  }

  #hoverLink(text: string): void {
    this.#host.hovered(webAddress(text));
  }
}
