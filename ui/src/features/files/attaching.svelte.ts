// Files on their way to the engine, which keeps them where agents read them. One set per application: a terminal or a
// field may leave the page meanwhile.
import { SvelteMap } from "svelte/reactivity";
import { quoted } from "~/platform/system";
import type { App } from "~/state/app.svelte";
import { MOST_BYTES, treatmentOf } from "./fit";
import { smaller } from "./picture";
import { words } from "./words";

/** Returns the content in base64. */
function base64(file: Blob): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      done(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => fail(reader.error ?? new Error("It could not be read"));
    reader.readAsDataURL(file);
  });
}

const named = (file: File) => file.name || words.unnamed(file.type);

export class Attaching {
  /** The names of the files, by the terminal or field that gets their paths. */
  readonly #underway = new SvelteMap<string, readonly string[]>();

  constructor(private readonly app: App) {}

  names(place: string): readonly string[] {
    return this.#underway.get(place) ?? [];
  }

  /**
   * Attaches files, and passes their paths, quoted as for a shell, to `insert`, which returns whether it could insert
   * them. Failures are reported.
   */
  async attach(place: string, files: readonly File[], insert: (paths: string) => boolean) {
    const names = files.map(named);
    this.#underway.set(place, [...this.names(place), ...names]);
    const paths: string[] = [];
    for (const file of files) {
      const path = await this.#attachOne(file);
      if (path !== null) paths.push(quoted(path, this.app.platform.system));
    }
    this.#forget(place, names);
    const text = paths.join(" ");
    if (text !== "" && !insert(text))
      this.app.toasts.show({ title: words.late, text: words.lateText(text) });
  }

  #forget(place: string, names: readonly string[]) {
    const left = [...this.names(place)];
    for (const name of names) left.splice(left.indexOf(name), 1);
    if (left.length === 0) this.#underway.delete(place);
    else this.#underway.set(place, left);
  }

  /** Returns the path of a kept file; null if that failed. */
  async #attachOne(file: File): Promise<string | null> {
    const { app } = this;
    const content = await this.#small(file);
    if (content === null) return null;
    let path: string | null = null;
    await app.attempt(words.notAttached(named(file)), async () => {
      const data = await base64(content);
      ({ path } = await app.call("attachFile", { name: named(content), data }));
    });
    return path;
  }

  /** Returns a file that is small enough; null, and says so, for one that cannot be. */
  async #small(file: File): Promise<File | null> {
    const treatment = treatmentOf(file);
    const content = { whole: () => file, smaller: () => smaller(file), "too large": () => null };
    const small = await content[treatment]();
    if (small !== null) return small;
    const { toasts } = this.app;
    const title = words.tooLarge(named(file));
    const text =
      treatment === "smaller"
        ? words.noPicture(file.size)
        : words.tooLargeText(file.size, MOST_BYTES);
    toasts.worked(title);
    toasts.show({ title, text, tone: "bad" });
    return null;
  }
}

const sets = new WeakMap<App, Attaching>();

export function attachingOf(app: App): Attaching {
  const known = sets.get(app) ?? new Attaching(app);
  sets.set(app, known);
  return known;
}
