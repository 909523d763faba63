// Swallows terminal queries that xterm.js would answer by itself. The keeper owns the terminal and
// alone answers; a second answer from a viewer would be typed into the agent's prompt. So a parser
// handler swallows each query before xterm's own. Requests that *set* something (a title, a colour)
// still pass.

/** The part of a parser that this needs; `Terminal["parser"]` of xterm has it. */
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

/** CSI sequences that are always queries. */
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

/** DCS queries: DECRQSS and XTGETTCAP. */
const ASKING_DCS = [
  { intermediates: "$", final: "q" },
  { intermediates: "+", final: "q" },
] as const;

/** OSC colours: 4 and 5 by index, 10 to 19 special ones. A `?` is a query, anything else sets. */
const COLOURS = [4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

/**
 * Window operations: below these are actions, 11 to 21 are reports, from 22 on titles and sizes.
 */
const WINDOW_REPORTS = { first: 11, last: 21 };

/** Swallows every query. Returns a function that undoes it. */
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

/**
 * Whether an OSC sequence queries a colour. One that mixes queries and settings is swallowed whole:
 * no known program sends one.
 */
function asksForColour(data: string): boolean {
  return data.split(";").includes("?");
}

function asksForWindow(params: (number | number[])[]): boolean {
  const what = params[0];
  return typeof what === "number" && what >= WINDOW_REPORTS.first && what <= WINDOW_REPORTS.last;
}
