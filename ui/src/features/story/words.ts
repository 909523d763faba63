// The words of a session's story.
export const words = {
  tab: "Story",
  label: (title: string) => `What happened in ${title}`,
  empty: "Nothing happened yet",
  emptyText:
    "Prompts, tools, answers, questions, commits, checks and merges are listed here as they happen.",
  failed: "The story was not read",
  earlier: "Show earlier",
  find: "Find in the terminal",
  changes: "Show what the commit changed",
  more: "Show all",
  less: "Show less",
  today: "Today",
  yesterday: "Yesterday",
};
