// Texts of a home without sessions.
export const words = {
  welcome: "Conduct a fleet of coding agents",
  welcomeText:
    "Add a git repository. Each agent then works in its own worktree and terminal, and you see which agents are working, which are waiting and which are done.",
  dropText: "You can also drop a folder onto this window.",
  addProject: "Add project",
  firstSession: (project: string) => `Start an agent in ${project}`,
  firstText:
    "Write a task, and the agent gets its own branch, worktree and terminal. A conductor can also spawn workers.",
  newSession: "New session",
};
