// What the command palette says.
export const words = {
  title: "Search or run a command",
  placeholder: "Find a session, a project or a command…",
  none: (query: string) => `Nothing is called “${query}”.`,
  lately: "Lately",
  sessions: "Open",
  projects: "New session in",
  said: "Said and shown",
  search: "Search what was said in sessions",
  searchPlaceholder: "Words that were said, or stand on a screen…",
  searchEmpty:
    "Finds words in what was said in sessions, and on the screens of those that rest or ended.",
  searching: "…",
  nothingSaid: (query: string) => `“${query}” was not said, and stands on no screen.`,
  kinds: { said: "asked", answered: "answered", called: "tool", screen: "screen" },
};
