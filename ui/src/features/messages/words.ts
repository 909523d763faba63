// What is said about messages to a session's agent. Why one waits is the engine's own words.
import { count } from "~/features/app/words";

export const words = {
  composer: (title: string) => `Message to ${title}`,
  placeholder: "Message… Enter sends, Shift+Enter is a new line",
  waiting: (title: string) => `Messages that wait for ${title}`,
  send: "Send",
  queue: "Queue",
  sendNow: "Send now",
  sendNowTip: "Interrupts the turn that goes on",
  edit: "Edit the message",
  save: "Save",
  cancel: "Cancel",
  up: "Deliver it earlier",
  down: "Deliver it later",
  remove: "Delete the message",
  dismiss: "Dismiss",
  again: "Send again",
  uncertain: "It may not have arrived",
  failed: "Not delivered",
  typing: "Being typed…",
  queued: (n: number) => `${n} queued`,
  queuedTip: (n: number) => `${count(n, "message")} for it`,
  from: (title: string) => `from ${title}`,
  downbeat: "Downbeat",
  notSent: (title: string) => `The message to ${title} was not sent`,
  notChanged: "The message was not changed",
};
