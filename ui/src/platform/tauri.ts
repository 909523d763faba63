// The desktop host. The shell side is src-tauri; the contract between them:
//   commands  call {name, args} · terminal_open {session, channel} → handle ·
//             terminal_send {handle, bytes} · terminal_close {handle} · open_url {url} ·
//             quit {sessions: "keep" | "stop"} · quit_cancel
//   events    change (StreamItem) · open-session (id) · command (name) · quit-requested
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open } from "@tauri-apps/plugin-dialog";
import type { Arguments, Op, Response } from "~/wire/client";
import { CallError } from "~/wire/error";
import { OPERATIONS } from "~/wire/operations";
import type { StreamItem } from "~/wire/types";
import { detectSystem, isWebAddress } from "./system";
import type { FolderDrop, Platform, TerminalHandlers, TerminalPipe } from "./types";

/** Turns a promise of an unlisten function into one that can be called at once. */
function until(listening: Promise<() => void>): () => void {
  return () => void listening.then((stop) => stop());
}

async function command<T>(name: string, args: Record<string, unknown>): Promise<T> {
  try {
    return await invoke<T>(name, args);
  } catch (error) {
    throw CallError.from(error);
  }
}

function call<O extends Op>(op: O, ...[request]: Arguments<O>): Promise<Response<O>> {
  return command("call", { name: OPERATIONS[op].name, args: request ?? {} });
}

function toBytes(message: ArrayBuffer | Uint8Array | number[]): Uint8Array {
  return message instanceof Uint8Array ? message : new Uint8Array(message);
}

async function openTerminal(session: string, handlers: TerminalHandlers): Promise<TerminalPipe> {
  const channel = new Channel<ArrayBuffer | number[]>();
  channel.onmessage = (message) => handlers.frame(toBytes(message));
  const handle = await command<number>("terminal_open", { session, channel });
  return {
    send: (bytes) => {
      command("terminal_send", { handle, bytes: Array.from(bytes) }).catch((error: unknown) =>
        handlers.lost(CallError.from(error).message),
      );
    },
    close: () => {
      command("terminal_close", { handle }).catch(() => undefined);
    },
  };
}

function onFolderDrop({ hover, drop }: FolderDrop): () => void {
  return until(
    getCurrentWebview().onDragDropEvent(({ payload }) => {
      hover(payload.type === "enter" || payload.type === "over");
      if (payload.type === "drop") drop(payload.paths);
    }),
  );
}

export function tauriHost(): Platform {
  return {
    system: detectSystem(),
    reservesKeys: false,
    call,
    openTerminal,
    subscribe: (since, { item, connection }) => {
      let seq = since;
      connection("open");
      return until(
        listen<StreamItem>("change", ({ payload }) => {
          if (payload.type === "change" && payload.seq <= seq) return;
          seq = payload.seq;
          item(payload);
        }),
      );
    },
    copy: (text) => navigator.clipboard.writeText(text),
    openUrl: (url) => (isWebAddress(url) ? command("open_url", { url }) : Promise.resolve()),
    pickFolder: () => open({ directory: true, multiple: false }),
    onFolderDrop,
    onOpenSession: (handler) => until(listen<string>("open-session", (e) => handler(e.payload))),
    onCommand: (handler) => until(listen<string>("command", (e) => handler(e.payload))),
    quit: {
      onRequest: (handler) => until(listen("quit-requested", () => handler())),
      choose: (sessions) => command("quit", { sessions }),
      cancel: () => command("quit_cancel", {}),
    },
  };
}
