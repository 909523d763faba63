// A commit as people read it: the first eight letters of its id, as the engine writes them, too.
export const shortCommit = (id: string): string => id.slice(0, 8);
