// The test's side of session.py: reads what happened on the desktop and sends commands to it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lines, start, until } from "./processes.js";

const script = join(dirname(fileURLToPath(import.meta.url)), "session.py");

export class Desk {
  events = [];
  #process;
  #answers = new Map();
  #last = 0;

  /** Starts session.py on the bus of `env`; the services of the bus names `others` are left to others. */
  static async start(env, others = []) {
    const desk = new Desk();
    // The system's Python has the system's D-Bus bindings.
    desk.#process = start("/usr/bin/python3", [script, ...others], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    lines(desk.#process.child.stdout, (line) => desk.#hear(JSON.parse(line)));
    await desk.event("ready");
    return desk;
  }

  #hear(line) {
    if (line.event) this.events.push(line);
    else this.#answers.get(line.n)?.(line);
  }

  /** Resolves with the first event of this kind for which `fits` returns true. */
  event(kind, fits = () => true) {
    const look = () => this.events.find((event) => event.event === kind && fits(event));
    return until(`${kind} on the desktop`, look);
  }

  async #do(command) {
    const n = ++this.#last;
    const answer = new Promise((done) => this.#answers.set(n, done));
    this.#process.child.stdin.write(`${JSON.stringify({ n, ...command })}\n`);
    const { result, error } = await answer;
    if (error) throw new Error(error);
    return result;
  }

  /** Returns what the tray shows: title, tooltip, labels of the menu. */
  tray() {
    return this.#do({ do: "tray" });
  }

  /** Chooses an entry of the tray's menu by the start of its label. */
  choose(label) {
    return this.#do({ do: "choose", label });
  }

  /** Clicks the tray icon. */
  activate() {
    return this.#do({ do: "activate" });
  }

  /** Clicks a notification. */
  click(id) {
    return this.#do({ do: "click", id });
  }

  /** Sets whether the desktop has a panel that shows tray icons. */
  panel(on) {
    return this.#do({ do: "panel", on });
  }

  end() {
    return this.#process.end();
  }
}
