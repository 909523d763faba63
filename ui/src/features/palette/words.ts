// Texts of the command palette.
export const words = {
  title: "Search or run a command",
  placeholder: "Find a session, a project or a command…",
  none: (query: string) => `No matches for “${query}”`,
  lately: "Recent",
  sessions: "Open",
  projects: "New session in",
  prompts: "Insert a saved prompt",
  settings: "Settings",
  said: "Conversations",
  search: "Search conversations",
  searchPlaceholder: "Search text in conversations and on screens…",
  searchEmpty: "Searches conversations, and the screens of idle and ended sessions.",
  searching: "…",
  nothingSaid: (query: string) => `No matches for “${query}”`,
  kinds: { said: "asked", answered: "answered", called: "tool", screen: "screen" },
};
