// What the command palette says.
export const words = {
  title: "Search or run a command",
  placeholder: "Find a session, a project or a command…",
  none: "Nothing matches.",
  sessions: "Open",
  projects: "New session in",
};
