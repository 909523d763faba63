// Prompts that the person saved under names: how they are kept, changed and found. Pure.

export interface Prompt {
  name: string;
  text: string;
}

/** The preferences that hold them together; the engine takes few names, each for 4 KB. A later one is used when those before are full. */
export const PARTS = [
  "downbeat.prompts",
  "downbeat.prompts.2",
  "downbeat.prompts.3",
  "downbeat.prompts.4",
] as const;
const PART_BYTES = 4_096;

/** The longest name. */
export const LONGEST_NAME = 80;

type Values = Readonly<Record<string, string | undefined>>;

const sizeOf = (text: string) => new TextEncoder().encode(text).length;
const clean = (name: string) => name.replace(/\s+/g, " ").trim().slice(0, LONGEST_NAME);
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

export function parse(values: Values): Prompt[] {
  try {
    const all: unknown = JSON.parse(PARTS.map((name) => values[name] ?? "").join(""));
    if (!Array.isArray(all)) return [];
    return all.flatMap((one: unknown) => {
      const [name, text] = Array.isArray(one) ? (one as unknown[]) : [];
      return typeof name === "string" && typeof text === "string" ? [{ name, text }] : [];
    });
  } catch {
    return [];
  }
}

/** Returns whether there is something that no prompts can be read from; writing would lose it. */
export function isDamaged(values: Values): boolean {
  const text = PARTS.map((name) => values[name] ?? "").join("");
  return text !== "" && text !== "[]" && parse(values).length === 0;
}

/** Returns the values that keep these prompts; null if they do not fit. */
export function written(prompts: readonly Prompt[]): Record<string, string> | null {
  const rows = prompts.map(({ name, text }) => [name, text]);
  const cut = pieces(rows.length === 0 ? "" : JSON.stringify(rows));
  if (cut.length > PARTS.length) return null;
  const values: Record<string, string> = {};
  PARTS.forEach((name, at) => {
    // All of them, since another window may have written more meanwhile.
    values[name] = cut[at] ?? "";
  });
  return values;
}

/** Cuts a text between characters into pieces that fit into one value each. */
function pieces(text: string): string[] {
  const cut: string[] = [];
  let [piece, size] = ["", 0];
  for (const character of text) {
    const bytes = sizeOf(character);
    if (size + bytes > PART_BYTES) {
      cut.push(piece);
      [piece, size] = ["", 0];
    }
    piece += character;
    size += bytes;
  }
  return piece === "" ? cut : [...cut, piece];
}

/** Returns the prompt with this name, whatever its case. */
export function withName(prompts: readonly Prompt[], name: string): Prompt | undefined {
  return prompts.find((prompt) => same(prompt.name, clean(name)));
}

/** Adds a prompt in the order of names, in place of one that has its name. */
export function put(prompts: readonly Prompt[], { name, text }: Prompt): Prompt[] {
  const own = { name: clean(name), text: text.trim() };
  const others = prompts.filter((prompt) => !same(prompt.name, own.name));
  return [...others, own].sort((a, b) => a.name.localeCompare(b.name));
}

export function without(prompts: readonly Prompt[], name: string): Prompt[] {
  return prompts.filter((prompt) => !same(prompt.name, name));
}

/** Gives a prompt another name. */
export function renamed(prompts: readonly Prompt[], from: string, to: string): Prompt[] {
  const prompt = withName(prompts, from);
  return prompt ? put(without(prompts, from), { ...prompt, name: to }) : [...prompts];
}

/** Returns the prompts in which every word of the query occurs; those with all of them in the name come first. */
export function found(prompts: readonly Prompt[], query: string): Prompt[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => wanted.every((word) => text.toLowerCase().includes(word));
  const named = prompts.filter(({ name }) => has(name));
  return [
    ...named,
    ...prompts.filter((one) => !named.includes(one) && has(`${one.name} ${one.text}`)),
  ];
}

/** Returns a name for a text: its beginning. */
export function nameFor(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const short = Array.from(clean(line)).slice(0, 40).join("");
  return short.length < clean(line).length ? short.replace(/\s+\S*$/, "") : short;
}

/** Returns what inserting a prompt at a place of a text inserts there: apart from what stands before and after it. */
export function apart(text: string, at: number, prompt: string): string {
  const gap = prompt.includes("\n") ? "\n\n" : " ";
  const before = at === 0 || /\s/.test(text[at - 1] ?? "") ? "" : gap;
  const after = at === text.length || /\s/.test(text[at] ?? "") ? "" : gap;
  return `${before}${prompt}${after}`;
}
