// The REST routes that the client uses. Each request and each answer is checked against the published description.
import { checkAnswer, checkRequest, example } from "./openapi.js";
import { now } from "./state.js";

const REPO = "/repos/{owner}/{repo}";

/** The description's example of an entry, with our values in it. */
const like = (template, pick) => {
  let made;
  return (values) => {
    made ??= pick(example(template, "get"));
    return { ...structuredClone(made), ...values };
  };
};

const pullLike = like(`${REPO}/pulls`, (list) => list[0]);
const runLike = like(`${REPO}/actions/runs`, ({ workflow_runs: [one] }) => one);
const checkLike = like(`${REPO}/commits/{ref}/check-runs`, ({ check_runs: [one] }) => one);
const combinedLike = like(`${REPO}/commits/{ref}/status`, (one) => one);
const issueLike = () => example(`${REPO}/issues/{issue_number}`, "get");
const labelLike = like(`${REPO}/issues/{issue_number}/labels`, ([one]) => one);

function showPull(pull) {
  const made = pullLike({
    id: pull.number,
    node_id: pull.id,
    number: pull.number,
    title: pull.title,
    state: pull.state === "OPEN" ? "open" : "closed",
    updated_at: pull.updatedAt,
    merged_at: pull.mergedAt,
    draft: pull.draft,
    requested_teams: [],
  });
  const { repository, branch, oid } = pull.head;
  Object.assign(made.head, { ref: branch, sha: oid });
  const place = (one) => ({ node_id: one.id, full_name: `${one.owner}/${one.name}` });
  made.head.repo = repository && { ...made.head.repo, ...place(repository) };
  Object.assign(made.base.repo, place(pull.repository));
  made.user.login = pull.author;
  return made;
}

const lower = (word) => word?.toLowerCase() ?? null;

function showCheck(one, pull) {
  const made = checkLike({
    id: one.number,
    node_id: one.id,
    name: one.name,
    head_sha: pull.head.oid,
    status: lower(one.status),
    conclusion: lower(one.conclusion),
    started_at: one.startedAt,
    completed_at: one.completedAt,
    details_url: `https://github.com/a/b/actions/runs/7/job/${one.job}`,
  });
  made.app.slug = one.app;
  return made;
}

const page = (list, query) => {
  const size = Number(query.get("per_page") ?? 30);
  const from = (Number(query.get("page") ?? 1) - 1) * size;
  return list.slice(from, from + size);
};

const newestFirst = (list) =>
  list.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));

function lists({ repository, query, sha, world }) {
  const of = () => world.pulls.filter(({ head }) => head.oid === sha);
  const checks = (kind) =>
    of().flatMap((pull) =>
      pull.checks.filter((one) => one.kind === kind).map((one) => [one, pull]),
    );
  return {
    pulls() {
      const state = query.get("state") ?? "open";
      const wanted = repository.pulls.filter(
        (one) => state === "all" || (one.state === "OPEN") === (state === "open"),
      );
      return page(newestFirst(wanted), query).map(showPull);
    },
    runs() {
      const all = repository.pulls.flatMap((pull) => pull.checks.map((one) => [one, pull]));
      const jobs = all.filter(([one]) => one.app === "github-actions").toReversed();
      const show = ([one, pull]) =>
        runLike({
          id: one.number,
          head_sha: pull.head.oid,
          status: lower(one.status),
          conclusion: lower(one.conclusion),
        });
      return { total_count: jobs.length, workflow_runs: page(jobs, query).map(show) };
    },
    checkRuns() {
      const all = checks("run");
      return {
        total_count: all.length,
        check_runs: page(all, query).map((one) => showCheck(...one)),
      };
    },
    statuses() {
      const all = checks("status");
      const made = combinedLike({ sha, total_count: all.length });
      const [entry] = made.statuses;
      const show = ([one]) => ({
        ...entry,
        node_id: one.id,
        context: one.name,
        state: lower(one.conclusion),
        created_at: one.startedAt,
      });
      return { ...made, statuses: page(all, query).map(show) };
    },
    pullsWith: () => page(of(), query).map(showPull),
    isKnown: () => of().length > 0,
  };
}

/** A pull request or an issue of a repository. */
const numbered = ({ repository, number, world }) =>
  repository.pulls.find((one) => one.number === Number(number)) ??
  world.issues.find((one) => one.repository === repository && one.number === Number(number));

const missing = { status: 404, body: { message: "Not Found", documentation_url: "https://docs" } };

/** A route to the issues that an issue is connected with. */
const linked = (name, pattern, of) => [
  "get",
  pattern,
  `/issues/{issue_number}/${name}`,
  (asked) => {
    const one = numbered(asked);
    if (!one) return { ...missing, unchecked: true };
    const body = of(one).map((id) => {
      const { number, title, state, repository } = asked.world.find(id);
      const html_url = `https://github.com/${repository.owner}/${repository.name}/issues/${number}`;
      return { ...issueLike(), number, title, html_url, state: state.toLowerCase() };
    });
    // See the route of assignees.
    return { body, unchecked: true };
  },
];

const routes = [
  ["get", /^\/pulls$/, "/pulls", (asked) => ({ body: lists(asked).pulls() })],
  ["get", /^\/actions\/runs$/, "/actions/runs", (asked) => ({ body: lists(asked).runs() })],
  [
    "get",
    /^\/commits\/(?<sha>\w+)\/check-runs$/,
    "/commits/{ref}/check-runs",
    (asked) => ({ body: lists(asked).checkRuns() }),
  ],
  [
    "get",
    /^\/commits\/(?<sha>\w+)\/status$/,
    "/commits/{ref}/status",
    (asked) => ({ body: lists(asked).statuses() }),
  ],
  [
    "get",
    /^\/commits\/(?<sha>\w+)\/pulls$/,
    "/commits/{commit_sha}/pulls",
    (asked) =>
      lists(asked).isKnown()
        ? { body: lists(asked).pullsWith() }
        : {
            status: 422,
            body: { message: `No commit found for SHA: ${asked.sha}` },
            unchecked: true,
          },
  ],
  [
    "get",
    /^\/actions\/jobs\/(?<job>\d+)\/logs$/,
    "/actions/jobs/{job_id}/logs",
    ({ world, job, logs }) =>
      world.logs.has(Number(job))
        ? { status: 302, location: `${logs}/${job}?sig=signed-secret` }
        : { ...missing, unchecked: true },
  ],
  [
    "post",
    /^\/issues\/(?<number>\d+)\/labels$/,
    "/issues/{issue_number}/labels",
    (asked) => {
      const one = numbered(asked);
      if (!one) return missing;
      one.labels = [...new Set([...one.labels, ...asked.body.labels])];
      one.updatedAt = now();
      return { body: one.labels.map((name) => labelLike({ name })) };
    },
  ],
  linked("sub_issues", /^\/issues\/(?<number>\d+)\/sub_issues$/, ({ children }) => children),
  linked(
    "dependencies/blocked_by",
    /^\/issues\/(?<number>\d+)\/dependencies\/blocked_by$/,
    ({ blockedBy }) => blockedBy,
  ),
  [
    "post",
    /^\/issues\/(?<number>\d+)\/assignees$/,
    "/issues/{issue_number}/assignees",
    (asked) => {
      const one = numbered(asked);
      if (!one) return missing;
      one.assignees = [...new Set([...one.assignees, ...asked.body.assignees])];
      one.updatedAt = now();
      const { number, title } = one;
      // The description of an issue has `nullable` in a place where Ajv takes none.
      return { status: 201, body: { ...issueLike(), number, title }, unchecked: true };
    },
  ],
  [
    "delete",
    /^\/issues\/(?<number>\d+)\/labels\/(?<name>[^/]+)$/,
    "/issues/{issue_number}/labels/{name}",
    (asked) => {
      const one = numbered(asked);
      const name = decodeURIComponent(asked.name);
      if (!one?.labels.includes(name)) return missing;
      one.labels = one.labels.filter((each) => each !== name);
      return { body: one.labels.map((each) => labelLike({ name: each })) };
    },
  ],
  [
    "post",
    /^\/pulls\/(?<number>\d+)\/requested_reviewers$/,
    "/pulls/{pull_number}/requested_reviewers",
    (asked) => {
      const one = numbered(asked);
      if (!one) return missing;
      one.reviewers.push(...(asked.body.reviewers ?? []), ...(asked.body.team_reviewers ?? []));
      return { status: 201, body: showPull(one) };
    },
  ],
];

/** Answers a request: `{status, body?, location?}`. */
export function answer(world, { method, path, query, body, logs, self }) {
  if (path === "/user") {
    checkRequest("/user", method, query);
    const user = { ...example("/user", "get"), login: world.viewer };
    checkAnswer("/user", method, 200, user);
    return { status: 200, body: user };
  }
  const found = /^\/(?:repos\/([^/]+)\/([^/]+)|repositories\/(\d+))(\/.*)$/.exec(path);
  if (!found) throw new Error(`no such route: ${method} ${path}`);
  const [, owner, name, number, rest] = found;
  const repository = number
    ? world.repositories.find((one) => one.databaseId === Number(number) && !one.deleted)
    : world.named(owner, name);
  if (!repository) return missing;
  const isFormer =
    !number &&
    `${owner}/${name}`.toLowerCase() !== `${repository.owner}/${repository.name}`.toLowerCase();
  if (isFormer) {
    const status = method === "get" ? 301 : 307;
    return {
      status,
      location: `${self}/repositories/${repository.databaseId}${rest}?${query}`,
      body: { message: "Moved Permanently" },
    };
  }
  for (const [verb, pattern, template, act] of routes) {
    const match = verb === method && pattern.exec(rest);
    if (!match) continue;
    checkRequest(REPO + template, method, query, body);
    if (repository.archived && method !== "get")
      return { status: 403, body: { message: "Repository was archived so is read-only." } };
    const { unchecked, ...made } = act({ world, repository, query, body, logs, ...match.groups });
    const answered = { status: 200, ...made };
    if (!unchecked) checkAnswer(REPO + template, method, answered.status, answered.body);
    return answered;
  }
  throw new Error(`no such route: ${method} ${rest}`);
}
