// The typed client of the table: request and response of each operation by its name, and how an operation is
// sent over HTTP. The transports are in platform/.
import { OPERATIONS, type Operations } from "./operations";

export type Op = keyof Operations;
export type Request<O extends Op> = Operations[O]["request"];
export type Response<O extends Op> = Operations[O]["response"];

/** The request can be omitted only if it has no required fields. */
export type Arguments<O extends Op> =
  Record<string, never> extends Request<O> ? [request?: Request<O>] : [request: Request<O>];

export type Call = <O extends Op>(op: O, ...request: Arguments<O>) => Promise<Response<O>>;

/** The HTTP header that carries an idempotency key. */
export const KEY_HEADER = "Idempotency-Key";

/** Returns a new idempotency key if the operation takes one: every attempt of one request uses the same. */
export function newKey(op: Op): string | undefined {
  return OPERATIONS[op].repeat === "keyed" ? crypto.randomUUID() : undefined;
}

export interface HttpRequest {
  method: string;
  path: string;
  body: string | null;
}

/** Puts path parameters into the path, and the rest into the query (GET) or the body. */
export function toHttp(op: Op, request: object): HttpRequest {
  const { method, path } = OPERATIONS[op];
  const rest = new Map(Object.entries(request).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value: unknown = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method === "GET") {
    const parts = [...rest].flatMap(([key, value]) =>
      [value].flat().map((one) => [key, String(one)]),
    );
    const query = new URLSearchParams(parts);
    return { method, path: rest.size > 0 ? `${filled}?${query}` : filled, body: null };
  }
  const body =
    rest.size > 0 || method !== "DELETE" ? JSON.stringify(Object.fromEntries(rest)) : null;
  return { method, path: filled, body };
}
