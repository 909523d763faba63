// Follows the change stream over a WebSocket that may drop: reconnects with the last sequence
// number seen, so that nothing is missing and nothing is doubled.
import type { StreamItem } from "~/wire/types";
import type { StreamHandlers } from "./types";

/** First pause before reconnecting; doubles up to the longest. A handover takes under 5 s. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5_000;

interface Follow {
  since: number;
  handlers: StreamHandlers;
  open: (since: number) => WebSocket;
  /** Whether the engine answers but does not accept us: then waiting does not help. */
  refused: () => Promise<boolean>;
}

export function follow({ since, handlers, open, refused }: Follow): () => void {
  let seq = since;
  let pause = FIRST_PAUSE;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let link: WebSocket | undefined;
  /** Asked after a wait, in which it may have changed. */
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

  const retry = async () => {
    if (stopped) return;
    const no = await refused();
    if (isStopped()) return;
    if (no) {
      handlers.connection("refused");
      return;
    }
    handlers.connection("lost");
    timer = setTimeout(connect, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  };

  const connect = () => {
    link = open(seq);
    link.onopen = () => {
      pause = FIRST_PAUSE;
      handlers.connection("open");
    };
    link.onmessage = ({ data }) => {
      if (typeof data === "string") receive(JSON.parse(data) as StreamItem);
    };
    link.onclose = () => void retry();
  };

  handlers.connection("connecting");
  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    link?.close();
  };
}
