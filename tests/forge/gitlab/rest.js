// The routes of GitLab's REST API that the client uses. A parameter that a route does not name is a mistake of the client
// and ends its test.
import {
  showApprovals,
  showCar,
  showDiscussion,
  showIssue,
  showJob,
  showListed,
  showNote,
  showPipeline,
  showProject,
  showPull,
  showReviewers,
  showUser,
} from "./show.js";
import { now, Refused } from "./state.js";

const MR = "/projects/:project/merge_requests/:iid";

const missing = () => new Refused(404, "404 Not found");

/** The values of a list from `updated_after` on, the newest first. */
function changed(list, query) {
  const from = query.get("updated_after");
  if (from && Number.isNaN(Date.parse(from))) throw new Error(`updated_after is ${from}`);
  const kept = list.filter((one) => !from || Date.parse(one.updatedAt) >= Date.parse(from));
  return kept.sort((one, other) => Date.parse(other.updatedAt) - Date.parse(one.updatedAt));
}

/** What the parts of a path name. */
class Named {
  constructor(world, parts) {
    Object.assign(this, { world, parts });
  }

  get repository() {
    const { project } = this.parts;
    const at = project.lastIndexOf("/");
    const found = /^\d+$/.test(project)
      ? this.world.repositories.find(({ id, deleted }) => id === Number(project) && !deleted)
      : this.world.named(project.slice(0, at), project.slice(at + 1));
    if (!found) throw missing();
    return found;
  }

  #numbered(list) {
    const found = list.find(({ iid }) => iid === Number(this.parts.iid));
    if (!found) throw missing();
    return found;
  }

  get pull() {
    return this.#numbered(this.repository.pulls);
  }

  get issue() {
    return this.#numbered(this.world.issues.filter((one) => one.repository === this.repository));
  }

  get discussion() {
    const found = this.pull.discussions.find(({ id }) => id === this.parts.discussion);
    if (!found) throw missing();
    return found;
  }

  get pipeline() {
    const found = this.repository.pipelines.find(({ id }) => id === Number(this.parts.pipeline));
    if (!found) throw missing();
    return found;
  }

  get job() {
    for (const pipeline of this.repository.pipelines) {
      const job = pipeline.jobs.find(({ id }) => id === Number(this.parts.job));
      if (job) return { job, pipeline };
    }
    throw missing();
  }

  /** Refuses a change that GitLab would refuse. */
  writable() {
    if (this.repository.archived) throw new Refused(403, "403 Forbidden");
  }
}

function listed({ repository, world }, query) {
  const state = query.get("state");
  const iids = query.getAll("iids[]").map(Number);
  const wanted = (pull) =>
    (state !== "opened" || pull.state === "OPEN") && (!iids.length || iids.includes(pull.iid));
  return changed(repository.pulls.filter(wanted), query).map((one) => showListed(world, one));
}

function create({ world, repository: source }, body) {
  const target = world.repositories.find(({ id }) => id === body.target_project_id);
  if (!source.branches.has(body.source_branch))
    throw new Refused(400, { source_branch: ["does not exist"] });
  const is = (one) =>
    one.state === "OPEN" &&
    one.head.branch === body.source_branch &&
    one.head.repository === source;
  const open = target.pulls.find(is);
  if (open)
    throw new Refused(409, [
      `Another open merge request already exists for this source branch: !${open.iid}`,
    ]);
  if (body.title.length > 255) throw new Refused(400, { title: ["is too long"] });
  const draft = body.title.startsWith("Draft: ");
  const made = world.pull(target, {
    branch: body.source_branch,
    fork: source,
    commit: source.branches.get(body.source_branch).oid,
    title: body.title.replace(/^Draft: /, ""),
    body: body.description,
    base: body.target_branch,
    author: world.viewer,
    draft,
  });
  return showPull(world, made);
}

/** Names the account with a number. */
const accountOf = (world) => (id) => [...world.users()].find((user) => user.id === id)?.username;

function update({ world, pull }, body) {
  if (body.title !== undefined)
    Object.assign(pull, {
      title: body.title.replace(/^Draft: /, ""),
      draft: body.title.startsWith("Draft: "),
    });
  if (body.description !== undefined) pull.body = body.description;
  if (body.target_branch !== undefined) pull.base = body.target_branch;
  if (body.state_event === "close") pull.state = "CLOSED";
  if (body.reviewer_ids) {
    const known = accountOf(world);
    pull.reviewers = body.reviewer_ids.map(
      (id) =>
        pull.reviewers.find(({ user }) => world.user(user).id === id) ?? {
          user: known(id),
          state: "unreviewed",
        },
    );
  }
  relabel(pull, body);
  pull.updatedAt = now();
  return showPull(world, pull);
}

function relabel(one, { add_labels: add = "", remove_labels: remove = "" }) {
  const names = (text) => text.split(",").filter(Boolean);
  const kept = one.labels.filter((name) => !names(remove).includes(name));
  one.labels = [...new Set([...kept, ...names(add)])];
}

function withTrains({ repository }) {
  if (!repository.settings.merge_trains_enabled) throw new Refused(403, "403 Forbidden");
}

function merge({ world, pull }, body) {
  if (pull.repository.access < 40) throw new Refused(401, "401 Unauthorized");
  world.merge(pull, body);
  return showPull(world, pull);
}

const LISTS = ["page", "per_page"];
const SINCE = [...LISTS, "order_by", "sort", "updated_after"];

/** Each route: its method and path, the names of its parameters, and what it does. A list is paged afterwards. */
const ROUTES = [
  ["GET /user", [], ({ world }) => showUser(world.user(world.viewer))],
  ["GET /personal_access_tokens/self", [], ({ world }) => ({ id: 1, scopes: world.scopes })],
  [
    "GET /users",
    ["username"],
    ({ world }, { query }) => {
      const name = query.get("username");
      return world.knows(name) ? [showUser(world.user(name))] : [];
    },
  ],
  ["GET /projects/:project", [], ({ repository }) => showProject(repository)],
  [
    "GET /projects/:project/merge_requests",
    [...SINCE, "state", "iids[]"],
    (at, { query }) => listed(at, query),
  ],
  [
    "POST /projects/:project/merge_requests",
    ["source_branch", "target_branch", "target_project_id", "title", "description"],
    (at, { body }) => create(at, body),
  ],
  [
    "GET /projects/:project/pipelines",
    SINCE,
    ({ repository }, { query }) => changed(repository.pipelines, query).map(showPipeline),
  ],
  [
    "GET /projects/:project/pipelines/:pipeline",
    [],
    ({ pipeline }) => ({ ...showPipeline(pipeline), yaml_errors: pipeline.yaml_errors }),
  ],
  [
    "GET /projects/:project/pipelines/:pipeline/jobs",
    LISTS,
    ({ pipeline }) => pipeline.jobs.map((job) => showJob(job, pipeline)),
  ],
  [
    "GET /projects/:project/pipelines/:pipeline/bridges",
    LISTS,
    ({ pipeline }) => pipeline.bridges.map((job) => showJob(job, pipeline)),
  ],
  ["GET /projects/:project/jobs/:job", [], ({ job }) => showJob(job.job, job.pipeline)],
  [
    "GET /projects/:project/repository/commits/:sha/merge_requests",
    LISTS,
    ({ world, repository, parts: { sha } }) => {
      const known = [...repository.branches.values()].some(({ oid }) => oid === sha);
      const with_ = repository.pulls.filter(({ head }) => head.oid === sha);
      if (!known && !with_.length) throw new Refused(404, "404 Commit Not Found");
      return with_.map((pull) => showListed(world, pull));
    },
  ],
  [
    "GET /projects/:project/repository/commits/:sha/statuses",
    [...LISTS, "pipeline_id"],
    ({ repository, parts: { sha } }, { query }) => {
      const wanted = (one) => one.sha === sha && one.id === Number(query.get("pipeline_id"));
      return repository.pipelines.filter(wanted).flatMap((one) =>
        [...one.jobs, ...one.statuses].map((job) => ({
          id: job.id ?? 1,
          sha,
          ref: one.ref,
          name: job.name,
          status: job.status,
          allow_failure: job.allow_failure ?? false,
          pipeline_id: one.id,
        })),
      );
    },
  ],
  [
    "GET /projects/:project/repository/branches/:branch",
    [],
    ({ repository, parts: { branch } }) => {
      const found = repository.branches.get(branch);
      if (!found) throw new Refused(404, "404 Branch Not Found");
      return { name: branch, commit: { id: found.oid } };
    },
  ],
  [
    "DELETE /projects/:project/repository/branches/:branch",
    [],
    (at) => {
      at.writable();
      if (!at.repository.branches.delete(at.parts.branch))
        throw new Refused(404, "404 Branch Not Found");
    },
  ],
  [`GET ${MR}`, [], ({ world, pull }) => showPull(world, pull)],
  [
    `PUT ${MR}`,
    [
      "title",
      "description",
      "target_branch",
      "state_event",
      "add_labels",
      "remove_labels",
      "reviewer_ids",
    ],
    (at, { body }) => update(at, body),
  ],
  [`GET ${MR}/approvals`, [], ({ world, pull }) => showApprovals(world, pull)],
  [`GET ${MR}/reviewers`, [], ({ world, pull }) => showReviewers(world, pull)],
  [
    `GET ${MR}/discussions`,
    LISTS,
    ({ world, pull }) => pull.discussions.map((one) => showDiscussion(world, one)),
  ],
  [
    `PUT ${MR}/discussions/:discussion`,
    ["resolved"],
    ({ world, discussion, pull }, { body }) => {
      discussion.resolved = body.resolved;
      pull.updatedAt = now();
      return showDiscussion(world, discussion);
    },
  ],
  [
    `POST ${MR}/discussions/:discussion/notes`,
    ["body"],
    ({ world, discussion }, { body }) =>
      showNote(world, world.note(discussion, { author: world.viewer, body: body.body })),
  ],
  [
    `POST ${MR}/notes`,
    ["body"],
    ({ world, pull }, { body }) =>
      showNote(world, world.note(pull, { author: world.viewer, body: body.body })),
  ],
  [
    `PUT ${MR}/merge`,
    [
      "sha",
      "squash",
      "auto_merge",
      "merge_when_pipeline_succeeds",
      "merge_commit_message",
      "squash_commit_message",
    ],
    (at, { body }) => merge(at, body),
  ],
  [
    `POST ${MR}/cancel_merge_when_pipeline_succeeds`,
    [],
    ({ world, pull }) => {
      if (pull.train) world.leaveTrain(pull);
      pull.auto = false;
      return showPull(world, pull);
    },
  ],
  [
    "POST /projects/:project/merge_trains/merge_requests/:iid",
    ["sha", "squash", "auto_merge", "when_pipeline_succeeds"],
    ({ world, pull }, { body }) => {
      withTrains(pull);
      world.enterTrain(pull, body);
      return world.train(pull).map((one) => showCar(world, one));
    },
  ],
  [
    "GET /projects/:project/merge_trains/:branch",
    [...LISTS, "scope", "sort"],
    ({ world, repository, parts }, { query }) => {
      withTrains({ repository });
      if (query.get("scope") !== "active") throw new Error("what was merged is not kept here");
      const cars = world.train({ repository, base: parts.branch });
      const list = cars.map((one) => showCar(world, one));
      return query.get("sort") === "asc" ? list : list.reverse();
    },
  ],
  [
    "GET /projects/:project/merge_trains/merge_requests/:iid",
    [],
    ({ world, pull }) => {
      withTrains(pull);
      if (!pull.train) throw missing();
      return showCar(world, pull);
    },
  ],
  [
    `GET ${MR}/notes`,
    [...LISTS, "order_by", "sort"],
    ({ world, pull }, { query }) => {
      const notes = pull.discussions.flatMap((one) => one.notes);
      const list = notes.map((one) => showNote(world, one));
      return query.get("sort") === "asc" ? list : list.reverse();
    },
  ],
  ["GET /projects/:project/issues/:iid", [], ({ world, issue }) => showIssue(world, issue)],
  [
    "GET /projects/:project/issues/:iid/links",
    [],
    ({ world, issue }) =>
      (issue.links ?? []).map(({ id, type }) => ({
        ...showIssue(world, world.find(id)),
        issue_link_id: 1,
        link_type: type,
        link_created_at: issue.updatedAt,
        link_updated_at: issue.updatedAt,
      })),
  ],
  [
    "PUT /projects/:project/issues/:iid",
    ["state_event", "add_labels", "remove_labels", "assignee_ids"],
    ({ world, issue }, { body }) => {
      if (body.assignee_ids) issue.assignees = body.assignee_ids.map(accountOf(world));
      if (body.state_event === "close") issue.state = "CLOSED";
      relabel(issue, body);
      return showIssue(world, issue);
    },
  ],
  [
    "GET /projects/:project/issues/:iid/notes",
    [...LISTS, "order_by", "sort"],
    ({ world, issue }) => issue.notes.map((one) => showNote(world, one)),
  ],
  [
    "POST /projects/:project/issues/:iid/notes",
    ["body"],
    ({ world, issue }, { body }) =>
      showNote(world, world.note(issue, { author: world.viewer, body: body.body })),
  ],
].map(([route, parameters, act]) => {
  const [method, path] = route.split(" ");
  return { method, parts: path.split("/").slice(1), parameters, act };
});

/** The route of a request, with what the parts of its path are. */
function routeOf(method, path) {
  const given = path.split("/").slice(1);
  for (const route of ROUTES) {
    const fits = (part, index) => part.startsWith(":") || part === given[index];
    if (route.method !== method || route.parts.length !== given.length) continue;
    if (!route.parts.every(fits)) continue;
    const named = route.parts.flatMap((part, index) =>
      part.startsWith(":") ? [[part.slice(1), decodeURIComponent(given[index])]] : [],
    );
    return { ...route, named: Object.fromEntries(named) };
  }
  throw new Error(`${method} ${path}: there is no such route`);
}

/** Cuts a page out of a list. */
function page(list, query) {
  const size = Number(query.get("per_page") ?? 20);
  const at = Number(query.get("page") ?? 1);
  if (size > 100) throw new Error("a page has at most 100 entries");
  const next = list.length > at * size ? String(at + 1) : "";
  return {
    status: 200,
    headers: {
      "x-page": String(at),
      "x-next-page": next,
      "x-total-pages": String(Math.ceil(list.length / size)),
    },
    body: list.slice((at - 1) * size, at * size),
  };
}

/** The log of a job that a path names, if it names one. */
export function traceOf(world, path) {
  const [, project, job] = /^\/projects\/(\d+)\/jobs\/(\d+)\/trace$/.exec(path) ?? [];
  if (!job) return undefined;
  const named = new Named(world, { project, job });
  return world.logs.get(named.job.job.id) ?? null;
}

/** Answers a request: `{status, headers, body}`. */
export function answer(world, { method, path, query, body }) {
  const route = routeOf(method, path);
  for (const name of [...query.keys(), ...Object.keys(body ?? {})])
    if (!route.parameters.includes(name))
      throw new Error(`${method} ${path}: ${name} is not known`);
  try {
    const at = new Named(world, route.named);
    if (at.parts.project && method === "GET" && !/^\d+$/.test(at.parts.project)) {
      const { owner, name, id } = at.repository;
      // As GitLab does for a project that was renamed.
      if (`${owner}/${name}`.toLowerCase() !== at.parts.project.toLowerCase()) {
        const rest = path.split("/").slice(3).join("/");
        const location = `/api/v4/projects/${id}${rest && `/${rest}`}?${query}`;
        return { status: 301, headers: { location }, body: {} };
      }
    }
    if (method !== "GET" && at.parts.project) at.writable();
    const made = route.act(at, { query, body: body ?? {} });
    if (Array.isArray(made) && method === "GET") return page(made, query);
    if (made === undefined) return { status: 204, headers: {}, body: "" };
    return { status: method === "POST" ? 201 : 200, headers: {}, body: made };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: error.status, headers: {}, body: error.body };
  }
}
