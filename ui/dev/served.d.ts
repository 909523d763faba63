// The types of `served.js`, which Node runs as it is.
export function serveFixtures(): Promise<{ address: string; close: () => Promise<void> }>;
