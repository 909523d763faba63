// Terminal queries that xterm.js would answer by itself. The keeper owns the terminal and is the
// only one to answer; a second answer from a viewer would be typed into the agent's prompt. So
// each query is swallowed by a parser handler before xterm's own. Requests that *set* something
// (a title, a colour) still pass.

/** The part of a parser that swallowing needs; `Terminal["parser"]` of xterm is one. */
export interface QueryParser {
  registerCsiHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (params: (number | number[])[]) => boolean,
  ): { dispose(): void };
  registerDcsHandler(
    id: { prefix?: string; intermediates?: string; final: string },
    callback: (data: string) => boolean,
  ): { dispose(): void };
  registerEscHandler(id: { final: string }, callback: () => boolean): { dispose(): void };
  registerOscHandler(ident: number, callback: (data: string) => boolean): { dispose(): void };
}

/** CSI sequences that only ever ask. */
const ASKING = [
  { final: "c" }, // DA1
  { prefix: ">", final: "c" }, // DA2
  { prefix: "=", final: "c" }, // DA3
  { final: "n" }, // DSR, cursor position
  { prefix: "?", final: "n" }, // DEC DSR, colour scheme
  { prefix: ">", final: "q" }, // XTVERSION
  { intermediates: "$", final: "p" }, // DECRQM
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: "?", final: "u" }, // keyboard protocol flags
  { intermediates: "*", final: "y" }, // DECRQCRA
  { intermediates: "$", final: "w" }, // DECRQPSR
  { intermediates: "&", final: "u" }, // DECRQUPSS
  { final: "x" }, // DECREQTPARM
  { prefix: "?", final: "S" }, // graphics attributes
] as const;

/** DCS requests for a state: DECRQSS and XTGETTCAP. */
const ASKING_DCS = [
  { intermediates: "$", final: "q" },
  { intermediates: "+", final: "q" },
] as const;

/** OSC colours: 4 and 5 by index, 10 to 19 special ones. A `?` asks, anything else sets. */
const COLOURS = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

/** Window operations below this are actions, 11 to 21 reports, from 22 on titles and sizes. */
const WINDOW_REPORTS = { first: 11, last: 21 };

/** Swallows every query. Returns what undoes it. */
export function swallowQueries(parser: QueryParser): () => void {
  const swallow = () => true;
  const registered = [
    ...ASKING.map((id) => parser.registerCsiHandler(id, swallow)),
    ...ASKING_DCS.map((id) => parser.registerDcsHandler(id, swallow)),
    ...COLOURS.map((ident) => parser.registerOscHandler(ident, asksForColour)),
    parser.registerEscHandler({ final: "Z" }, swallow), // DECID
    parser.registerCsiHandler({ final: "t" }, asksForWindow),
  ];
  return () => {
    for (const handler of registered) handler.dispose();
  };
}

/** A sequence that mixes asking and setting is swallowed whole: no known program sends one. */
function asksForColour(data: string): boolean {
  return data.split(";").includes("?");
}

function asksForWindow(params: (number | number[])[]): boolean {
  const what = params[0];
  return typeof what === "number" && what >= WINDOW_REPORTS.first && what <= WINDOW_REPORTS.last;
}
