// The browser host: fetch and WebSockets on the address that served the page. The token comes in the fragment
// (which is never sent), is kept in session storage, and is sent in a header, or as a subprotocol for
// WebSockets, whose headers a browser cannot set. It is sent only while the change stream is open, or right
// after the engine proved that it knows it: if the engine is gone, another program may listen there.
import {
  KEY_HEADER,
  newKey,
  toHttp,
  type Arguments,
  type Op,
  type Response as Answer,
} from "~/wire/client";
import { CallError } from "~/wire/error";
import { follow } from "./follow";
import { prove, type Proof } from "./proof";
import { repeat } from "./repeat";
import { detectSystem, isWebAddress } from "./system";
import type { Platform, StreamHandlers, TerminalHandlers, TerminalPipe } from "./types";

const TOKEN_KEY = "downbeat.token";

/** Takes the token out of the fragment, so that it appears in no history entry and no screenshot. */
export function takeToken(): string | null {
  const match = /(?:^#|&)token=([^&]+)/.exec(location.hash);
  if (match?.[1] !== undefined) {
    sessionStorage.setItem(TOKEN_KEY, decodeURIComponent(match[1]));
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(TOKEN_KEY);
}

/** Reloads when an address with another token is pasted into this tab, which changes only the fragment. */
export function followToken(): void {
  addEventListener("hashchange", () => {
    if (/(?:^#|&)token=/.test(location.hash)) location.reload();
  });
}

async function answerOf(response: globalThis.Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CallError("failed", `The engine answered ${response.status} without valid JSON.`);
  }
}

/** Carries a terminal over a WebSocket that is being opened; resolves once it is open. */
function pipe(link: WebSocket, handlers: TerminalHandlers): Promise<TerminalPipe> {
  link.binaryType = "arraybuffer";
  let closed = false;
  link.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) handlers.frame(new Uint8Array(data));
  };
  return new Promise((done, fail) => {
    link.onclose = ({ reason }) => {
      fail(new CallError("unavailable", reason || "The terminal cannot be reached."));
      if (!closed) handlers.lost(reason || "The connection was lost.");
    };
    link.onopen = () =>
      done({
        send: (bytes) => {
          if (link.readyState === WebSocket.OPEN) link.send(new Uint8Array(bytes));
        },
        close: () => {
          closed = true;
          link.close();
        },
      });
  });
}

export function httpHost(token: string | null): Platform {
  const origin = location.origin;
  const socketOrigin = origin.replace(/^http/, "ws");
  const protocols = token === null ? ["downbeat"] : ["downbeat", `bearer.${token}`];
  const socket = (path: string) => new WebSocket(socketOrigin + path, protocols);

  /** Whether the change stream is open, which means that the engine has proved itself. */
  let isFollowing = false;
  let asked: Promise<Proof> | null = null;

  /** Requests a proof; concurrent callers share one request. */
  function proof(): Promise<Proof> {
    if (token === null) return Promise.resolve("stranger");
    asked ??= prove(origin, token).finally(() => (asked = null));
    return asked;
  }

  /** Resolves once the token may be sent. */
  async function proven(): Promise<void> {
    if (isFollowing) return;
    const told = await proof();
    if (told === "silent") {
      throw new CallError(
        "unavailable",
        "Downbeat does not answer.",
        "Reconnecting automatically.",
      );
    }
    if (told === "stranger") throw new CallError("forbidden", "This link is out of date.");
  }

  function changes(since: number): WebSocket {
    const link = socket(`/api/events?since=${since}`);
    link.addEventListener("open", () => (isFollowing = true));
    link.addEventListener("close", () => (isFollowing = false));
    return link;
  }

  async function call<O extends Op>(op: O, ...[request]: Arguments<O>): Promise<Answer<O>> {
    const { method, path, body } = toHttp(op, request ?? {});
    const key = newKey(op);
    const headers = new Headers({ Accept: "application/json" });
    if (token !== null) headers.set("Authorization", `Bearer ${token}`);
    if (body !== null) headers.set("Content-Type", "application/json");
    if (key !== undefined) headers.set(KEY_HEADER, key);
    const attempt = async () => {
      await proven();
      let response;
      try {
        response = await fetch(origin + path, { method, headers, body, cache: "no-store" });
      } catch {
        throw new CallError(
          "unavailable",
          "Downbeat does not answer.",
          "Reconnecting automatically.",
        );
      }
      const answer = await answerOf(response);
      if (!response.ok) throw CallError.from(answer);
      return answer as Answer<O>;
    };
    return key === undefined ? attempt() : repeat(attempt);
  }

  async function openTerminal(
    sessionId: string,
    handlers: TerminalHandlers,
  ): Promise<TerminalPipe> {
    await proven();
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/terminal?first=screen`;
    return pipe(socket(path), handlers);
  }

  return {
    system: detectSystem(),
    reservesKeys: true,
    call,
    openTerminal,
    subscribe: (since: number, handlers: StreamHandlers) =>
      follow({ since, handlers, proof, open: changes }),
    copy: (text) => navigator.clipboard.writeText(text),
    openUrl: (url) => {
      if (isWebAddress(url)) window.open(url, "_blank", "noopener,noreferrer");
      return Promise.resolve();
    },
  };
}
