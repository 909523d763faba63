// Follows the change stream over a WebSocket that may drop: reconnects with the last sequence
// number seen, so that no change is lost or repeated. The engine must prove itself before each
// connection.
import type { StreamItem } from "~/wire/types";
import type { Proof } from "./proof";
import type { StreamHandlers } from "./types";

/** First pause before reconnecting; doubles up to the longest. A handover takes under 5 s. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;

interface Follow {
  since: number;
  handlers: StreamHandlers;
  open: (since: number) => WebSocket;
  /** Makes the engine prove itself. If a stranger answers, following stops. */
  proof: () => Promise<Proof>;
}

export function follow({ since, handlers, open, proof }: Follow): () => void {
  let seq = since;
  let pause = FIRST_PAUSE;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let link: WebSocket | undefined;
  /** Checked after each wait, during which it may have changed. */
  const isStopped = () => stopped;

  const receive = (item: StreamItem) => {
    if (item.type === "change") {
      if (item.seq <= seq) return;
      seq = item.seq;
    } else {
      seq = item.seq;
    }
    handlers.item(item);
  };

  const retry = () => {
    if (stopped) return;
    handlers.connection("lost");
    timer = setTimeout(() => void connect(), pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  };

  const connect = async () => {
    const told = await proof();
    if (isStopped()) return;
    if (told === "stranger") {
      handlers.connection("refused");
      return;
    }
    if (told === "silent") {
      retry();
      return;
    }
    link = open(seq);
    link.onopen = () => {
      pause = FIRST_PAUSE;
      handlers.connection("open");
    };
    link.onmessage = ({ data }) => {
      if (typeof data === "string") receive(JSON.parse(data) as StreamItem);
    };
    link.onclose = retry;
  };

  handlers.connection("connecting");
  void connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    link?.close();
  };
}
