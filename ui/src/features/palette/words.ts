// What the command palette says.
export const words = {
  title: "Search or run a command",
  placeholder: "Find a session, a project or a command…",
  none: (query: string) => `Nothing is called “${query}”.`,
  lately: "Lately",
  sessions: "Open",
  projects: "New session in",
  said: "Said and shown",
};
