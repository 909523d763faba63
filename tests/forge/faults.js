// Faults that tests switch on: each matches requests by a pattern of "METHOD path" or "graphql NAME", a number of
// times; with `token`, only those that have it.

export class Faults {
  #list = [];

  add({ match = "", times = Infinity, ...rest }) {
    this.#list.push({ pattern: new RegExp(match), times, ...rest });
  }

  clear() {
    this.#list = [];
  }

  /** Takes the next fault for a request with this header of authorization. */
  take(what, authorization = "") {
    const has = (token) => token === undefined || authorization.endsWith(` ${token}`);
    const found = this.#list.find(
      ({ pattern, times, token }) => times > 0 && pattern.test(what) && has(token),
    );
    if (found) found.times -= 1;
    return found;
  }
}

const message = (text, more = {}) => ({
  message: text,
  documentation_url: "https://docs",
  ...more,
});

/** Returns the answer of a fault, as GitHub words it: `{status, headers, body}`; nothing for those of the connection. */
export function answerOf(
  { kind, seconds = 60, status = 502, headers = {}, text, type },
  isGraphql,
) {
  const reset = String(Math.round(Date.now() / 1000) + seconds);
  switch (kind) {
    case "primary":
      return {
        status: isGraphql ? 200 : 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
        body: isGraphql
          ? {
              errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded for user ID 1." }],
            }
          : message("API rate limit exceeded for user ID 1."),
      };
    case "secondary":
      return {
        status: 403,
        headers: seconds ? { "retry-after": String(seconds) } : {},
        body: message("You have exceeded a secondary rate limit. Please wait a few minutes."),
      };
    case "revoked":
      return { status: 401, body: message("Bad credentials") };
    case "scopes":
      return isGraphql
        ? {
            status: 200,
            body: {
              errors: [
                {
                  type: "INSUFFICIENT_SCOPES",
                  message:
                    "Your token has not been granted the required scopes to execute this query. The 'nodes' field " +
                    "requires one of the following scopes: ['repo'], but your token has only been granted the: " +
                    "['gist'] scopes.",
                },
              ],
            },
          }
        : {
            status: 404,
            headers: { "x-oauth-scopes": "gist", "x-accepted-oauth-scopes": "repo, public_repo" },
            body: message("Not Found"),
          };
    case "permissions":
      return {
        status: 403,
        headers: { "x-oauth-scopes": undefined, "x-accepted-github-permissions": "checks=read" },
        body: message("Resource not accessible by personal access token"),
      };
    case "sign-on":
      return {
        status: 403,
        headers: {
          "x-github-sso": "required; url=https://github.com/orgs/acme/sso?authorization_request=1",
        },
        body: message("Resource protected by organization SAML enforcement."),
      };
    case "error":
      return {
        status: 200,
        body: { data: null, errors: [{ ...(type && { type }), message: text }] },
      };
    case "status":
      return { status, headers, body: text ?? message("Server Error") };
    case "wrong":
      return {
        status: 200,
        body: isGraphql ? { data: { nodes: "none", repository: 1 } } : { pulls: "none" },
      };
    case "html":
      return {
        status: 200,
        headers: { "content-type": "text/html" },
        body: "<html>Unicorn!</html>",
      };
    default:
      return null;
  }
}
