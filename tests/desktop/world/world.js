// One hermetic desktop for one test file: a display with a window manager, a bus, a HOME and a data
// directory of its own, and the built program under WebDriver. Ending it ends everything it
// started.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../scripts/run.js";
import { driver } from "../../../scripts/setup/drivers.js";
import { Desk } from "./desk.js";
import { guard } from "./guard.js";
import { keepInstalled, linkInstalled } from "./installed.js";
import { lines, start, until } from "./processes.js";
import { Driver } from "./webdriver.js";

const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
export const program = join(target, "debug", "downbeat-desktop");
/** The `downbeat` command. */
export const command = join(target, "debug", "downbeat");
const agent = join(target, "debug", "fake-claude");
const pictures = join(root, "test-results", "desktop");

/** Returns a port that was free a moment ago. */
function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Returns the first line of a stream of a process. */
function firstLine(stream) {
  return new Promise((done) => lines(stream, done));
}

/** The bus name of the service that shows notifications. */
const NOTIFICATIONS = "org.freedesktop.Notifications";

export class World {
  /** The environment of everything in this world. */
  env;
  desk;
  /** The window's page; absent while the program is not running. */
  page;
  #parts = [];
  #folder = mkdtempSync(join(tmpdir(), "db-"));
  #guard = guard(this.#folder);
  #driver;

  /** Starts a desktop. With `dunst`, that daemon shows its notifications instead of the test's own. */
  static async start({ dunst = false } = {}) {
    if (!existsSync(program)) throw new Error(`${program} is not built`);
    const world = new World();
    try {
      await world.#set(dunst);
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

  async #set(dunst) {
    mkdirSync(this.home, { mode: 0o700 });
    mkdirSync(join(this.#folder, "run"), { mode: 0o700 });
    linkInstalled(this.data);
    const path = this.#path();
    this.env = {
      PATH: path,
      LANG: "C.UTF-8",
      SHELL: "/bin/bash",
      HOME: this.home,
      XDG_RUNTIME_DIR: join(this.#folder, "run"),
      DOWNBEAT_HOME: this.data,
      DOWNBEAT_LOG: process.env.DOWNBEAT_LOG ?? "warn",
      GIT_CONFIG_NOSYSTEM: "1",
      NO_AT_BRIDGE: "1",
      GDK_BACKEND: "x11",
      LIBGL_ALWAYS_SOFTWARE: "1",
    };
    this.env.DISPLAY = await this.#display();
    this.env.DBUS_SESSION_BUS_ADDRESS = await this.#bus();
    // The same bus also acts as the system bus.
    this.env.DBUS_SYSTEM_BUS_ADDRESS = this.env.DBUS_SESSION_BUS_ADDRESS;
    this.#add(start("openbox", ["--sm-disable"], { env: this.env }));
    this.desk = await Desk.start(this.env, dunst ? [NOTIFICATIONS] : []);
    this.#parts.push(this.desk);
    if (dunst) await this.#dunst();
  }

  /** Returns a PATH with a scripted `claude`, and makes the login shell print the same. */
  #path() {
    const bin = join(this.#folder, "bin");
    mkdirSync(bin);
    symlinkSync(agent, join(bin, "claude"));
    const path = `${bin}:${process.env.PATH}`;
    writeFileSync(join(this.home, ".profile"), `export PATH='${path}'\n`);
    writeFileSync(join(this.home, ".bashrc"), "PS1='$ '\n");
    return path;
  }

  #add(part) {
    this.#parts.push(part);
    return part;
  }

  async #dunst() {
    this.#add(start("dunst", ["-conf", "/dev/null"], { env: this.env }));
    await until("dunst", () => this.dunst("is-paused").trim() === "false");
  }

  /** Asks dunst, as a person's script would. */
  dunst(...args) {
    return spawnSync("dunstctl", args, { env: this.env, encoding: "utf8" }).stdout;
  }

  async #display() {
    const args = ["-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp"];
    const stdio = ["ignore", "ignore", "ignore", "pipe"];
    const { child } = this.#add(start("Xvfb", args, { env: this.env, stdio }));
    return `:${await firstLine(child.stdio[3])}`;
  }

  async #bus() {
    const args = ["--session", "--nofork", "--nopidfile", "--print-address=1"];
    const stdio = ["ignore", "pipe", "ignore"];
    const { child } = this.#add(start("dbus-daemon", args, { env: this.env, stdio }));
    return firstLine(child.stdout);
  }

  /** Opens the window and waits for its page. */
  async open(...args) {
    if (!this.#driver) {
      const [port, native] = [await freePort(), await freePort()];
      const ports = ["--port", String(port), "--native-port", String(native)];
      this.#add(start(driver(), ports, { env: this.env, stdio: ["ignore", "inherit", "inherit"] }));
      this.#driver = `http://127.0.0.1:${port}`;
      await until("tauri-driver", async () => (await fetch(`${this.#driver}/status`)).ok);
    }
    const options = { application: program, args };
    this.page = await Driver.open(this.#driver, { "tauri:options": options });
    await until("the page", () =>
      this.page.script(
        "return document.readyState === 'complete' && document.body.innerText.length > 0",
      ),
    );
    return this.page;
  }

  /**
   * Starts the program without a driver, which would not outlive the page's process. Returns the
   * process, a promise of its exit, and how often its page has started to listen.
   */
  run() {
    const env = { ...this.env, DOWNBEAT_LOG: "warn,downbeat_desktop=debug" };
    const stdio = ["ignore", "ignore", "pipe"];
    const { child, gone } = this.#add(start(program, [], { env, stdio }));
    const run = { child, gone, listened: 0 };
    lines(child.stderr, (line) => (run.listened += line.includes("the page listens") ? 1 : 0));
    return run;
  }

  /** Starts a program that cannot work, quits it in its dialog, and returns the message. */
  async refuses(path) {
    const stdio = ["ignore", "ignore", "pipe"];
    const { child, gone } = this.#add(start(path, [], { env: this.env, stdio }));
    const said = [];
    lines(child.stderr, (line) => said.push(line));
    const title = "Downbeat cannot start";
    const dialog = await until(title, () => this.x("search", "--onlyvisible", "--name", title));
    this.x("windowactivate", "--sync", dialog, "key", "Return");
    await gone;
    assert.equal(child.exitCode, 1);
    return said.join("\n");
  }

  /** Closes the driver's session, which ends the program without asking. */
  async close() {
    await this.page?.close();
    this.page = undefined;
  }

  /** Calls an operation as the page does. */
  call(name, args = {}) {
    const invoke = "(name, args) => window.__TAURI_INTERNALS__.invoke('call', { name, args })";
    return this.page.page(invoke, name, args);
  }

  /** Waits until the page shows the text. A failure tells what it shows instead, and takes a picture of it. */
  async says(text) {
    let shown;
    try {
      await until(`the page to say ${text}`, async () =>
        (shown = await this.page.text()).includes(text),
      );
    } catch (error) {
      await this.picture("failed");
      throw new Error(`${error.message}\nIt shows:\n${shown}`, { cause: error.cause });
    }
  }

  /** Clicks the element with this text once it exists. */
  click(selector, text) {
    return until(`${selector} with ${text}`, async () => {
      await this.page.click(selector, text);
      return true;
    });
  }

  /** Opens a session by its row in the sidebar. */
  row(title) {
    return this.click("[role=treeitem]", title);
  }

  session(id) {
    return this.call("get_session", { id });
  }

  /** Waits until a session has this status. */
  becomes(id, status) {
    const look = async () => (await this.session(id)).status === status;
    return until(`${id} to be ${status}`, look);
  }

  /** Returns what a session's terminal shows. */
  async output(id) {
    return (await this.call("get_output", { id, lines: 200 })).text;
  }

  /** Returns the output of xdotool. */
  x(...args) {
    return execFileSync("xdotool", args, {
      env: this.env,
      encoding: "utf8",
      // It prints warnings about windows that close while it searches.
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  }

  /** Returns the ids of our visible windows. The toolkit has some of its own, without our title. */
  windows() {
    try {
      const found = this.x("search", "--onlyvisible", "--class", "downbeat-desktop");
      const ids = found.split("\n").filter(Boolean);
      return ids.filter((id) => this.x("getwindowname", id) !== "downbeat-desktop");
    } catch {
      return [];
    }
  }

  /** Focuses our window and waits until it has the focus, because keys go there. */
  async activate() {
    const [id] = this.windows();
    this.x("windowactivate", "--sync", id);
    await until(
      "the keyboard's focus",
      () => this.x("getwindowfocus", "-f") !== "1" && this.x("getactivewindow") === id,
    );
  }

  /** Moves our window there, apart from its frame, and returns its position. */
  async put(at) {
    const [id] = this.windows();
    this.x("windowsize", "--sync", id, String(at.width), String(at.height));
    this.x("windowmove", "--sync", id, String(at.x), String(at.y));
    // It may pass other positions on its way, and the frame shifts it a little.
    return until("the window's place", () => {
      const place = this.place();
      const far = Math.max(Math.abs(place.x - at.x), Math.abs(place.y - at.y));
      return place.width === at.width && far < 60 && place;
    });
  }

  /** Returns the position of our window. */
  place() {
    const [id] = this.windows();
    const said = this.x("getwindowgeometry", "--shell", id).matchAll(/^(\w+)=(\d+)$/gm);
    const { X, Y, WIDTH, HEIGHT } = Object.fromEntries([...said].map(([, k, v]) => [k, Number(v)]));
    return { x: X, y: Y, width: WIDTH, height: HEIGHT };
  }

  /** Opens a window of another program from which `folder` can be dragged. Returns its id. */
  async dragSource(folder) {
    this.#add(
      start("/usr/bin/python3", [join(import.meta.dirname, "drag.py"), folder], { env: this.env }),
    );
    return until("the source of the drag", () =>
      this.x("search", "--onlyvisible", "--name", "^Source$"),
    );
  }

  /** Drags from one window to another without releasing. */
  drag(from, to) {
    this.x("windowactivate", "--sync", from, "windowmove", "--sync", from, "900", "700");
    this.x("mousemove", "--window", from, "40", "40", "mousedown", "1");
    // A drag begins after a few pixels; each further step notifies the window below.
    for (const by of [5, 10, 20]) this.x("mousemove_relative", String(by), "0");
    for (const x of ["300", "310", "320"]) this.x("mousemove", "--window", to, x, "300");
  }

  /** Releases the drag. */
  drop() {
    this.x("mouseup", "1");
  }

  /** Saves a picture of the whole screen once the page has drawn its content. */
  async picture(name) {
    const frame = "new Promise((done) => requestAnimationFrame(done))";
    await this.page?.page(`async () => { for (const _ of [1, 2, 3]) await ${frame}; }`);
    mkdirSync(pictures, { recursive: true });
    execFileSync("import", ["-window", "root", join(pictures, `${name}.png`)], { env: this.env });
  }

  async end() {
    await this.close().catch(() => undefined);
    for (const part of this.#parts.toReversed()) await part.end();
    keepInstalled(this.data);
    await this.#guard.end();
  }
}
