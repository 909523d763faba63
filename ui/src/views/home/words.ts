// Texts of the empty window.
export const words = {
  title: "Downbeat",
  welcome: "Conduct a fleet of coding agents",
  welcomeText:
    "Add a git repository. Each agent then works in its own worktree and terminal, and you see who works, who waits and what is done.",
  dropText: "You can also drop a folder onto this window.",
  addProject: "Add project",
  firstSession: (project: string) => `Start an agent in ${project}`,
  firstText:
    "Write a task; a branch, a worktree and a terminal are made for it. Make it a conductor to let it spawn workers.",
  newSession: "New session",
  pick: "Nothing is open",
  pickText: "Choose a session on the left, or",
};
