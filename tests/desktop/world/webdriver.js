// A small client of the WebDriver protocol: only what the window tests use.
import { writeFileSync } from "node:fs";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Keys that have no character. */
export const KEYS = {
  backspace: "\uE003",
  tab: "\uE004",
  enter: "\uE007",
  shift: "\uE008",
  control: "\uE009",
  alt: "\uE00A",
  escape: "\uE00C",
  up: "\uE013",
  down: "\uE015",
};

export class Driver {
  #base;

  constructor(base) {
    this.#base = base;
  }

  /** Opens a session at a driver that listens on `address`. */
  static async open(address, capabilities) {
    const body = { capabilities: { alwaysMatch: capabilities } };
    const { sessionId } = await request("POST", `${address}/session`, body);
    return new Driver(`${address}/session/${sessionId}`);
  }

  close() {
    return request("DELETE", this.#base);
  }

  /** Runs the body of a function in the page; `arguments` are `args`. */
  script(body, ...args) {
    return this.#post("/execute/sync", { script: body, args });
  }

  /** Calls an async function of the page's scope, given as source, with `args`. */
  async page(source, ...args) {
    const body = `const done = arguments[arguments.length - 1];
      (${source})(...Array.from(arguments).slice(0, -1)).then((value) => done({ value }), (error) =>
        done({ error: error?.message ?? JSON.stringify(error) }));`;
    const answer = await this.#post("/execute/async", { script: body, args });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  }

  /** Returns the first element for a CSS selector; throws if there is none. */
  async find(selector) {
    const body = { using: "css selector", value: selector };
    const found = await this.#post("/element", body);
    return new Element(this.#base, found[ELEMENT]);
  }

  /** Returns the first element with `text` (or that name) that can be clicked: enabled and not covered. */
  async named(selector, text) {
    const found = await this.script(
      `const [selector, text] = arguments;
       const says = (e) => [e.textContent, e.ariaLabel, e.title].some((t) => t?.includes(text));
       const isOpen = (e) => {
         const { left, top, width, height } = e.getBoundingClientRect();
         const hit = document.elementFromPoint(left + width / 2, top + height / 2);
         return hit !== null && e.contains(hit) && !e.disabled;
       };
       return [...document.querySelectorAll(selector)].find((e) => says(e) && isOpen(e));`,
      selector,
      text,
    );
    if (!found) throw new Error(`no ${selector} with ${JSON.stringify(text)}`);
    return new Element(this.#base, found[ELEMENT]);
  }

  /**
   * Clicks the element that `named` finds, once it stands still; throws if the click hit something else because the page moved
   * meanwhile.
   */
  async click(selector, text) {
    const element = await this.named(selector, text);
    const stands = await this.page(
      `async (e) => {
         const place = () => JSON.stringify(e.getBoundingClientRect());
         const before = place();
         for (let n = 0; n < 3; n++) await new Promise((done) => requestAnimationFrame(done));
         window.missed = true;
         e.addEventListener("pointerdown", () => (window.missed = false), { capture: true, once: true });
         return place() === before;
       }`,
      element.reference(),
    );
    if (!stands) throw new Error(`${selector} with ${JSON.stringify(text)} moves`);
    await element.click();
    // A page that was left by the click does not know.
    const missed = await this.script("return window.missed === true").catch(() => false);
    if (missed) throw new Error(`a click did not hit ${selector} with ${JSON.stringify(text)}`);
  }

  /** Returns all text that the page shows. */
  text() {
    return this.script("return document.body.innerText");
  }

  /** Presses keys together: `press("control", "k")`. */
  async press(...names) {
    const keys = names.map((name) => KEYS[name] ?? name);
    const down = keys.map((value) => ({ type: "keyDown", value }));
    const up = keys.toReversed().map((value) => ({ type: "keyUp", value }));
    await this.#post("/actions", {
      actions: [{ type: "key", id: "keys", actions: [...down, ...up] }],
    });
  }

  /** Writes a screenshot of the page. */
  async screenshot(path) {
    writeFileSync(path, Buffer.from(await request("GET", `${this.#base}/screenshot`), "base64"));
  }

  #post(path, body) {
    return request("POST", this.#base + path, body);
  }
}

class Element {
  #base;
  #id;

  constructor(session, id) {
    this.#base = `${session}/element/${id}`;
    this.#id = id;
  }

  /** Returns what stands for it among the arguments of a script. */
  reference() {
    return { [ELEMENT]: this.#id };
  }

  click() {
    return request("POST", `${this.#base}/click`, {});
  }

  type(text) {
    return request("POST", `${this.#base}/value`, { text });
  }

  text() {
    return request("GET", `${this.#base}/text`);
  }
}

async function request(method, url, body) {
  const answer = await fetch(url, {
    method,
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}
