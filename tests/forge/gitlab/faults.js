// How GitLab words the faults that tests switch on; see ../faults.js.

/** Returns the answer of a fault: `{status, headers, body}`; nothing for those of the connection. */
export function answerOf({ kind, seconds = 60, status = 502, headers = {}, text }) {
  switch (kind) {
    case "revoked":
      return {
        status: 401,
        body: { error: "invalid_token", error_description: "Token was revoked." },
      };
    case "scopes":
      return {
        status: 403,
        body: {
          error: "insufficient_scope",
          error_description: "The request requires higher privileges than provided.",
          scope: "api read_api",
        },
      };
    case "slower":
      return { status: 429, headers: { "retry-after": String(seconds) }, body: "Retry later\n" };
    case "exhausted":
      return {
        status: 429,
        headers: {
          "ratelimit-limit": "2000",
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(Math.round(Date.now() / 1000) + seconds),
        },
        body: "Retry later\n",
      };
    case "status":
      return { status, headers, body: text ?? { message: `${status} Error` } };
    case "wrong":
      return { status: 200, body: { id: "none" } };
    case "html":
      return { status: 200, headers: { "content-type": "text/html" }, body: "<html></html>" };
    default:
      return null;
  }
}
