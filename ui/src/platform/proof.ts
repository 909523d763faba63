// Makes the program that listens on this page's port prove that it knows the token, before any request
// carries it. The proof is an HMAC of a nonce and the port (see crates/wire/src/proof.rs). Another program
// may have the port by now: it gets only a fingerprint and a nonce, which are useless to it.

/** `silent`: there is no answer. `stranger`: the program that answers does not know this token. */
export type Proof = "proven" | "stranger" | "silent";

/** How long to wait for an answer. */
const PATIENCE = 5_000;
const NONCE_BYTES = 16;

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer | Uint8Array) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Identifies the token without revealing it. */
export async function fingerprint(token: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", bytes(`downbeat key 1\n${token}`));
  return hex(hash).slice(0, 16);
}

/** Whether `proof` was made by a program that knows `token` and listens on `port`. */
export async function isRight(token: string, nonce: string, port: number, proof: unknown) {
  if (typeof proof !== "string" || !/^[0-9a-f]{64}$/.test(proof)) return false;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(token), algorithm, false, ["verify"]);
  const given = Uint8Array.from(proof.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  // `verify` compares in constant time.
  return crypto.subtle.verify("HMAC", key, given, bytes(`downbeat hello 1\n${port}\n${nonce}`));
}

/** Requests a proof from the program on the port of `origin`. */
export async function prove(origin: string, token: string): Promise<Proof> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
  const path = `/api/hello?nonce=${nonce}&key=${await fingerprint(token)}`;
  let answer: unknown;
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const response = await fetch(origin + path, { cache: "no-store", signal });
    // An engine that is older than this page, one that does not know its address (any more), or no engine.
    if (response.status === 404 || response.status === 403) return "stranger";
    if (!response.ok) return "silent";
    answer = await response.json().catch(() => null);
  } catch {
    return "silent";
  }
  const proof = (answer as { proof?: unknown } | null)?.proof;
  const port = Number(new URL(origin).port || 80);
  return (await isRight(token, nonce, port, proof)) ? "proven" : "stranger";
}
