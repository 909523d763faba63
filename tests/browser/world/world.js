// One hermetic Downbeat for one test file: `downbeat serve` with its own HOME, data directory and
// scripted agent, and a page of a real Chromium. Ending it ends everything it started.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { root } from "../../../scripts/run.js";
import { guard } from "../../desktop/world/guard.js";
import { keepInstalled, linkInstalled, linkOrCopy } from "../../desktop/world/installed.js";
import { lines, start, until } from "../../desktop/world/processes.js";
import { makeStorefront } from "./storefront.js";

const built = join(process.env.CARGO_TARGET_DIR ?? join(root, "target"), "debug");
const program = join(built, "downbeat");
/** Returns the path of a real agent, as the whole-program tests install it. */
const real = (name) => join(root, "tests", "agents", "node_modules", ".bin", name);

/** Returns why tests with these real agents are skipped, or false if they run. */
export function without(...agents) {
  if (process.env.DOWNBEAT_SKIP_REAL_AGENTS !== undefined) return "real agents are left out";
  const missing = agents.filter((name) => !existsSync(real(name)));
  return missing.length > 0 && `these agents are not installed: ${missing.join(", ")}`;
}

const pictures = join(root, "test-results", "browser");
const guide = process.env.DOWNBEAT_GUIDE === "1" ? join(root, "docs", "guide", "images") : null;

/** The width that the views are designed for. */
export const WIDE = { width: 1360, height: 860 };
const NARROW = { half: { width: 900, height: 760 }, phone: { width: 400, height: 800 } };
const PATIENCE = 10_000;
const CHROMIUM = [
  "--no-sandbox",
  "--disable-gpu",
  // Makes terminal rows text in the page, which tests can read.
  "--disable-3d-apis",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export class World {
  env;
  /** The person's page. */
  page;
  /** Errors of the page that nobody sees. */
  errors = [];
  #folder = mkdtempSync(join(tmpdir(), "downbeat-"));
  #guard = guard(this.#folder);
  #engine;
  #browser;
  #model;

  /**
   * Starts a world. With `model`, a script, the real `agents` run against it; otherwise a scripted
   * Claude Code. `env` is added to the environment, and `config` is the person's configuration.
   */
  static async start({ model, agents = ["claude"], env = {}, config } = {}) {
    const world = new World();
    try {
      world.#prepare();
      Object.assign(world.env, env);
      if (config !== undefined) {
        mkdirSync(world.data, { recursive: true, mode: 0o700 });
        writeFileSync(join(world.data, "downbeat.yaml"), config);
      }
      if (model) await world.#real(model, agents);
      await world.startEngine();
      await world.#open();
    } catch (error) {
      await world.end();
      throw error;
    }
    return world;
  }

  get home() {
    return join(this.#folder, "home");
  }

  get data() {
    return join(this.#folder, "data");
  }

  /** Returns a path in this world's folder. */
  at(...names) {
    return join(this.#folder, ...names);
  }

  #prepare() {
    if (!existsSync(program)) throw new Error(`${program} is not built`);
    for (const name of ["home", "bin", "tasks"]) mkdirSync(this.at(name), { mode: 0o700 });
    linkInstalled(this.data);
    linkOrCopy(join(built, "fake-claude"), this.at("bin", "scripted"));
    copyFileSync(join(import.meta.dirname, "claude.sh"), this.at("bin", "claude"));
    execFileSync("mkfifo", [this.at("hold")]);
    const path = `${this.at("bin")}:${process.env.PATH}`;
    // A login shell may set its own PATH.
    writeFileSync(join(this.home, ".profile"), `export PATH='${path}'\n`);
    const none = this.at("no-gitconfig");
    this.env = {
      PATH: path,
      HOME: this.home,
      DOWNBEAT_HOME: this.data,
      LANG: "C.UTF-8",
      USER: "ada",
      SHELL: "/bin/sh",
      PS1: "$ ",
      TERM: "xterm-256color",
      GIT_CONFIG_GLOBAL: none,
      GIT_CONFIG_SYSTEM: none,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    };
  }

  /** Puts real agents on the PATH, connected to the loopback model. */
  async #real(script, agents) {
    for (const name of agents) {
      rmSync(this.at("bin", name), { force: true });
      symlinkSync(real(name), this.at("bin", name));
    }
    const stdio = ["pipe", "pipe", "inherit"];
    const args = [this.home, ...agents];
    this.#model = start(join(built, "scripted-model"), args, { env: this.env, stdio });
    const { stdin, stdout } = this.#model.child;
    stdin.end(JSON.stringify(script));
    const said = await new Promise((done) => lines(stdout, done));
    this.env = { ...this.env, ...JSON.parse(said) };
  }

  /** Scripts what the agent does for a task that begins with this line. */
  script(task, ...commands) {
    writeFileSync(this.at("tasks", task), ["say \u001b[H\u001b[J", ...commands].join("\n"));
    return task;
  }

  /** The script command that keeps the agent working forever. */
  get work() {
    return `write ${this.at("hold")} on`;
  }

  /** Starts the engine and waits until it responds. */
  async startEngine() {
    const log = openSync(this.at("engine.log"), "a");
    const stdio = ["ignore", log, log];
    this.#engine = start(program, ["serve"], { env: this.env, stdio });
    const { pid } = this.#engine.child;
    await until("the engine", async () => {
      return this.manifest().pid === pid && (await this.call("GET", "/api/engine"));
    });
  }

  /** Kills the engine, like a crash. */
  async killEngine() {
    process.kill(this.#engine.child.pid, "SIGKILL");
    await this.#engine.gone;
  }

  manifest() {
    return JSON.parse(readFileSync(join(this.data, "engine.json"), "utf8"));
  }

  /** The address of the page, with its token. */
  get address() {
    return execFileSync(program, ["start", "--link"], { env: this.env, encoding: "utf8" }).trim();
  }

  async #open() {
    const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
    const executablePath = places.find((place) => place !== undefined && existsSync(place));
    if (!executablePath) throw new Error("there is no Chromium; CHROMIUM may name one");
    this.#browser = await chromium.launch({ executablePath, args: CHROMIUM });
    this.page = await this.visit();
    this.page.on("pageerror", (error) => this.errors.push(error.message));
  }

  /** Opens a page of another visitor. */
  async visit(address = this.address, options = {}) {
    const context = await this.#browser.newContext({
      viewport: WIDE,
      colorScheme: "dark",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    await page.goto(address);
    return page;
  }

  /** Sends a request to the engine. */
  async call(method, path, body) {
    const { port, token } = this.manifest();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Creates the storefront and adds it as a trusted project. */
  storefront(files) {
    const path = makeStorefront(join(this.home, "storefront"), this.env, files);
    return this.call("POST", "/api/projects", { path, trust: true });
  }

  /** Configures the price of the scripted agent's model. */
  price() {
    const prices = "models:\n  - { model: fake, input: 5, output: 25 }\n";
    writeFileSync(join(this.data, "prices.yaml"), prices);
  }

  session(body) {
    return this.call("POST", "/api/sessions", { agent: "claude", ...body });
  }

  /** Waits until a session has the status `wanted`. */
  status(id, wanted) {
    return until(`${id} to be ${wanted}`, async () => {
      const session = await this.call("GET", `/api/sessions/${id}`);
      return session.status === wanted && session;
    });
  }

  /** Waits until a session's terminal shows the text. */
  shows(id, text) {
    return until(`${id} to show ${text}`, async () => {
      const output = await this.call("GET", `/api/sessions/${id}/output?lines=200`);
      return output.text.includes(text) && output.text;
    });
  }

  row(name) {
    return this.page.getByRole("treeitem", { name });
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }

  dialog(name) {
    return this.page.getByRole("dialog", name === undefined ? {} : { name });
  }

  /** Runs a command by its name in the palette, from any focus. */
  async command(name) {
    await this.page
      .getByRole("button", { name: /^Search or run/ })
      .first()
      .click();
    await this.page.getByPlaceholder("Find a session, a project or a command…").fill(name);
    await this.page.getByRole("option", { name: new RegExp(name) }).click();
  }

  /** The rows of the terminal in view. */
  get terminal() {
    return this.page.locator(".xterm-rows");
  }

  /** Saves a picture of the page; with `forGuide`, also into the guide if that was requested. */
  async picture(name, { forGuide = false, page = this.page } = {}) {
    mkdirSync(pictures, { recursive: true });
    const bytes = await page.screenshot({ animations: "disabled", caret: "hide" });
    writeFileSync(join(pictures, `${name}.png`), bytes);
    if (!guide || !forGuide) return;
    mkdirSync(guide, { recursive: true });
    writeFileSync(join(guide, `${name}.png`), bytes);
  }

  /** Saves pictures of the page in its usual theme, in light, and on a phone. */
  async everyLook(name, { forGuide = true } = {}) {
    const { page } = this;
    await this.picture(name, { forGuide });
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await this.picture(`${name}-light`);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize(NARROW.phone);
    await this.picture(`${name}-phone`);
    await this.#fits(`${name} on a phone`);
    await page.setViewportSize(WIDE);
  }

  /** Checks at half a screen and on a phone that `look` passes and nothing scrolls sideways. */
  async narrow(look) {
    for (const [name, size] of Object.entries(NARROW)) {
      await this.page.setViewportSize(size);
      await look(name);
      await this.#fits(name);
    }
    await this.page.setViewportSize(WIDE);
  }

  async #fits(name) {
    const over = () => document.documentElement.scrollWidth - innerWidth;
    assert.equal(await this.page.evaluate(over), 0, `${name} scrolls sideways`);
  }

  async end() {
    await this.#browser?.close();
    await this.#engine?.end();
    await this.#model?.end();
    keepInstalled(this.data);
    await this.#guard.end();
  }
}
