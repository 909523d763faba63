// The desktop host. The shell side is src-tauri (command.rs, terminal.rs, page.rs, quit.rs):
//   commands  call {name, args, key} · follow {since, channel} · terminal_open {session, channel} →
//             handle · terminal_send (raw bytes, handle in a header) · terminal_close {handle} ·
//             open_url {url} · viewing {session} · page_ready · page_took · quit_wanted · quit {sessions}
//   event     ask, once page_ready was called: what the shell wants of the page
import { Channel, invoke, type InvokeArgs, type InvokeOptions } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open } from "@tauri-apps/plugin-dialog";
import { newKey, type Arguments, type Op, type Response } from "~/wire/client";
import { CallError } from "~/wire/error";
import { OPERATIONS } from "~/wire/operations";
import type { StreamItem } from "~/wire/types";
import { detectSystem, isWebAddress } from "./system";
import type {
  FolderDrop,
  HostAsk,
  Platform,
  StreamHandlers,
  TerminalHandlers,
  TerminalPipe,
} from "./types";

const HANDLE = "downbeat-terminal";

/** The pause before following again after a failure. */
const AGAIN = 1_000;

/** Turns a promise of an unlisten function into a function that can be called immediately. */
function until(listening: Promise<() => void>): () => void {
  return () => void listening.then((stop) => stop());
}

async function command<T>(name: string, args: InvokeArgs, options?: InvokeOptions): Promise<T> {
  try {
    return await invoke<T>(name, args, options);
  } catch (error) {
    throw CallError.from(error);
  }
}

function call<O extends Op>(op: O, ...[request]: Arguments<O>): Promise<Response<O>> {
  const key = newKey(op) ?? null;
  return command("call", { name: OPERATIONS[op].name, args: request ?? {}, key });
}

async function openTerminal(session: string, handlers: TerminalHandlers): Promise<TerminalPipe> {
  const channel = new Channel<ArrayBuffer | number[]>();
  channel.onmessage = (message) => handlers.frame(new Uint8Array(message));
  const handle = await command<number>("terminal_open", { session, channel });
  const options = { headers: { [HANDLE]: String(handle) } };
  return {
    send: (bytes) => {
      command("terminal_send", bytes, options).catch((error: unknown) =>
        handlers.lost(CallError.from(error).message),
      );
    },
    close: () => {
      command("terminal_close", { handle }).catch(() => undefined);
    },
  };
}

function subscribe(since: number, { item, connection }: StreamHandlers): () => void {
  let seq = since;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const channel = new Channel<StreamItem>();
  channel.onmessage = (message) => {
    if (stopped || (message.type === "change" && message.seq <= seq)) return;
    seq = message.seq;
    item(message);
  };
  const follow = () => {
    command("follow", { since: seq, channel }).then(
      () => connection("open"),
      () => {
        connection("lost");
        if (!stopped) timer = setTimeout(follow, AGAIN);
      },
    );
  };
  follow();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function onFolderDrop({ hover, drop }: FolderDrop): () => void {
  return until(
    getCurrentWebview().onDragDropEvent(({ payload }) => {
      if (payload.type === "leave") return hover(null);
      const { x, y } = payload.position.toLogical(window.devicePixelRatio);
      if (payload.type !== "drop") return hover({ x, y });
      hover(null);
      drop(payload.paths, { x, y });
    }),
  );
}

function onAsk(handler: (ask: HostAsk) => void): () => void {
  const listening = listen<HostAsk>("ask", ({ payload }) => {
    void command("page_took", {});
    handler(payload);
  });
  void listening.then(() => command("page_ready", {}));
  return until(listening);
}

export function tauriHost(): Platform {
  return {
    system: detectSystem(),
    reservesKeys: false,
    call,
    openTerminal,
    subscribe,
    copy: (text) => navigator.clipboard.writeText(text),
    openUrl: (url) => (isWebAddress(url) ? command("open_url", { url }) : Promise.resolve()),
    pickFolder: () => open({ directory: true, multiple: false }),
    onFolderDrop,
    onAsk,
    viewing: (session) => {
      command("viewing", { session }).catch(() => undefined);
    },
    quit: {
      begin: () => command("quit_wanted", {}),
      choose: (sessions) => command("quit", { sessions }),
    },
  };
}
