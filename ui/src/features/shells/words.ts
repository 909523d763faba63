// Texts about side shells.
export const words = {
  tabs: "Terminals of this session",
  agent: "Agent",
  /** The first terminal of a session that is a shell itself. */
  main: "Main shell",
  shell: (number: number) => `Shell ${number}`,
  terminal: (number: number, title: string) => `Shell ${number} of ${title}`,
  runs: (program: string) => `Runs ${program}`,
  finished: "Finished while you were away",
  open: "New shell",
  openFailed: "Could not open a shell",
  close: (number: number) => `Close shell ${number}`,
  closeThis: "Close shell",
  closeFailed: "Could not close the shell",
  closeTitle: (number: number) => `Close shell ${number}?`,
  closeText: (program: string | null) =>
    program === null
      ? "A program is running in it and will end too."
      : `${program} is running in it and will end too.`,
  leave: { archive: "Archive", forget: "Remove from list" },
  leaveTitle: {
    archive: (title: string) => `Archive “${title}”?`,
    forget: (title: string) => `Remove “${title}” from the list?`,
  },
  leaveText: (why: string) => `${why}. Programs running there will end.`,
  alsoEnds: (n: number) => (n === 1 ? "Its side shell ends too." : `Its ${n} side shells end too.`),
  endsWith: (n: number) => (n === 1 ? "A side shell is open" : `${n} side shells are open`),
  endsThem: (programs: readonly string[]) =>
    programs.length === 0
      ? "They are ended first."
      : `They are ended first, with the programs in them: ${programs.join(", ")}.`,
  ended: (n: number) =>
    n === 1 ? "Its side shell was ended." : `Its ${n} side shells were ended.`,
};
