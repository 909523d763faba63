// Webhooks of GitLab, in the shape of its documentation (https://docs.gitlab.com/user/project/integrations/webhook_events/):
// with the secret token, or signed as Standard Webhooks describes if it is a signing token.
import { createHmac, randomUUID } from "node:crypto";

const project = ({ id, owner, name }) => ({
  id,
  name,
  web_url: `https://gitlab.com/${owner}/${name}`,
  path_with_namespace: `${owner}/${name}`,
  default_branch: "main",
});

const mergeRequest = (pull) => ({
  id: pull.id,
  iid: pull.iid,
  title: pull.title,
});

const EVENTS = {
  "Merge Request Hook": (pull) => ({
    object_kind: "merge_request",
    event_type: "merge_request",
    object_attributes: {
      ...mergeRequest(pull),
      action: "update",
      last_commit: { id: pull.head.oid },
    },
  }),
  "Pipeline Hook": (pull, status) => ({
    object_kind: "pipeline",
    object_attributes: {
      id: 31,
      sha: pull.head.oid,
      status,
      source: "merge_request_event",
    },
    merge_request: mergeRequest(pull),
  }),
  "Note Hook": (pull) => ({
    object_kind: "note",
    event_type: "note",
    object_attributes: { note: "x", noteable_type: "MergeRequest" },
    merge_request: mergeRequest(pull),
  }),
};

/** Returns the headers that prove a body, signed so many seconds ago. */
function proof(secret, id, body, age = 0) {
  if (!secret.startsWith("whsec_")) return { "x-gitlab-token": secret };
  const time = Math.floor(Date.now() / 1000) - age;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const tag = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(time),
    "webhook-signature": `v1,${tag}`,
  };
}

/** Sends a webhook of a merge request. */
export async function send({ url, secret, event, pull, status = "failed", again, age }) {
  const body =
    again?.body ??
    JSON.stringify({
      project: project(pull.repository),
      ...EVENTS[event](pull, status),
    });
  const id = again?.id ?? randomUUID();
  const headers = {
    "content-type": "application/json",
    "user-agent": "GitLab/18.0.0",
    "idempotency-key": id,
    "x-gitlab-event": again?.event ?? event,
    "x-gitlab-event-uuid": randomUUID(),
    ...proof(secret, id, body, age),
  };
  const answer = await fetch(url, { method: "POST", headers, body });
  const sent = { body, id, event: headers["x-gitlab-event"] };
  return { status: answer.status, answer: await answer.json(), sent };
}
