// Texts of the window's frame.
export const messages = {
  lost: "Reconnecting",
  lostText: "Downbeat does not answer. Agents keep running; what you see may be out of date.",
  configWrong: (mistakes: number) =>
    mistakes > 1
      ? `Your configuration has ${mistakes} mistakes`
      : "Your configuration has a mistake",
  configMore: (mistakes: number) => `and ${mistakes} more`,
  configAgain: "Check again",
  refused: "This link is out of date",
  refusedText:
    "Downbeat creates a new link each time it starts, so that no other program can use yours. Run this in a terminal and open the address that it prints:",
  refusedCommand: "downbeat start --link",
  failed: "Downbeat does not answer",
  failedText: "Retrying every second.",
  notLoaded: "A part of the page could not be loaded; reload it",
  drop: "Drop a folder to add it as a project",
  notInProject: "This file is in none of your projects",
  notInProjectText: "Open it with the button, or copy its tasks.",
};
