// What the frame of the window says.
export const messages = {
  lost: "Reconnecting",
  lostText: "Downbeat does not answer. Agents go on; what you see may be a moment old.",
  configWrong: (mistakes: number) =>
    mistakes > 1
      ? `Your configuration has ${mistakes} mistakes`
      : "Your configuration has a mistake",
  configMore: (mistakes: number) => `and ${mistakes} more`,
  configAgain: "Check again",
  refused: "This page has no valid token",
  refusedText:
    "Open the address that downbeat serve printed, with its #token=… part. A token is good for one engine's data directory.",
  failed: "Downbeat does not answer",
  failedText: "It is tried again every second.",
  notLoaded: "A part of the page could not be loaded; reload it",
  drop: "Drop a folder to add it as a project",
};
