// Texts about answering a question. The answers themselves are the agent's words.
export const words = {
  answers: "Answers",
  more: (n: number) => `${n} more…`,
  giving: (answer: string) => `Sending the answer “${answer}”`,
  reply: "Reply…",
  replyTo: (title: string) => `Reply to ${title}`,
  send: "Send",
  inTerminal: "Answer in the terminal",
  look: "Look in the terminal",
  openTerminal: "Open terminal",
  uncertain: (title: string) => `The answer to ${title} may not have arrived`,
  failed: (title: string) => `The answer to ${title} was not sent`,
};
