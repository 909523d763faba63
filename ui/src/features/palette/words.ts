// Texts of the command palette.
export const words = {
  title: "Search or run a command",
  placeholder: "Find a session, a project or a command…",
  none: (query: string) => `No matches for “${query}”`,
  lately: "Recent",
  sessions: "Open",
  projects: "New session in",
  said: "Conversations",
  search: "Search conversations",
  searchPlaceholder: "Words in conversations and on screens…",
  searchEmpty: "Searches what was said in sessions, and the screens of idle and ended ones.",
  searching: "…",
  nothingSaid: (query: string) => `No matches for “${query}”`,
  kinds: { said: "asked", answered: "answered", called: "tool", screen: "screen" },
};
