// The address of what a session serves at the port that is reserved for it. Pure.

/** By name: some servers listen only on IPv6. */
export const addressOf = (port: number) => `http://localhost:${port}`;
