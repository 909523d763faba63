// Executes query texts against GitHub's schema over the state, so that answers have GitHub's types. A field that no
// object here has is null, and an error where the schema says that it is never null.
import { execute, getOperationAST } from "graphql";
import { cost } from "./cost.js";
import { mutations } from "./mutations.js";
import { check, schema } from "./schema.js";
import { Refused } from "./state.js";

/** The page of a list that `first`, `last` and `after` name. */
function connection(list, { first, last, after } = {}) {
  const from = after ? Number(atob(after)) : 0;
  const rest = list.slice(from);
  const nodes = last ? rest.slice(-last) : rest.slice(0, first ?? rest.length);
  const end = from + nodes.length;
  return {
    totalCount: list.length,
    nodes,
    pageInfo: {
      hasNextPage: !last && end < list.length,
      hasPreviousPage: last ? nodes.length < rest.length : from > 0,
      endCursor: btoa(String(end)),
    },
  };
}

const account = (login, bot = false) =>
  login && { __typename: bot ? "Bot" : "User", id: `U_${login}`, login };

const url = (repository, rest) =>
  `https://github.com/${repository.owner}/${repository.name}${rest}`;

const repositoryRef = (one) => one && { id: one.id, nameWithOwner: `${one.owner}/${one.name}` };

function comment(one, place) {
  return {
    ...one,
    author: account(one.author, one.bot),
    url: `${place}#${one.id}`,
    pullRequestReview: one.review && { id: one.review },
  };
}

function context(one, pull) {
  if (one.kind === "status") {
    return {
      __typename: "StatusContext",
      ...one,
      context: one.name,
      state: one.conclusion,
      targetUrl: one.url,
      createdAt: one.startedAt,
    };
  }
  const run = `/actions/runs/7/job/${one.job}`;
  return {
    __typename: "CheckRun",
    ...one,
    detailsUrl: one.app === "github-actions" ? url(pull.repository, run) : "https://ci.example/1",
    checkSuite: {
      app: { slug: one.app },
      workflowRun: one.workflow && { event: one.event, workflow: { name: one.workflow } },
    },
    steps: (page) => connection(one.steps, page),
    annotations: (page) =>
      connection(
        one.annotations.map((note) => ({
          blobUrl: "https://github.com/blob",
          annotationLevel: "FAILURE",
          ...note,
          location: { start: { line: note.line }, end: { line: note.line } },
        })),
        page,
      ),
  };
}

const updateRule = ({ contexts, approvals = null }) => ({
  pattern: "main",
  requiredStatusCheckContexts: contexts,
  requiredApprovingReviewCount: approvals,
  requiresCodeOwnerReviews: false,
  requiresConversationResolution: false,
  requiresLinearHistory: false,
});

function pullRequest(pull) {
  const place = url(pull.repository, `/pull/${pull.number}`);
  const base = pull.repository.branches.get(pull.base);
  const shown = pull.checks.filter(({ name }) => !pull.omits.includes(name));
  const position = pull.repository.queue.indexOf(pull.id);
  const unknown = pull.unknown > 0;
  const threads = pull.threads.map((one) => ({
    ...one,
    originalLine: one.line,
    isResolved: one.resolved,
    isOutdated: one.outdated,
    comments: (page) =>
      connection(
        one.comments.map((each) => comment(each, place)),
        page,
      ),
  }));
  const reviews = pull.reviews.map((one) => ({
    ...comment(one, place),
    state: one.state,
    submittedAt: one.createdAt,
    commit: { oid: one.commit },
  }));
  const opinions = reviews.filter(({ state }) => /APPROVED|CHANGES/.test(state));
  return {
    __typename: "PullRequest",
    ...pull,
    author: account(pull.author),
    url: place,
    isDraft: pull.draft,
    mergeCommit: pull.mergeCommit && { oid: pull.mergeCommit },
    headRefOid: pull.head.oid,
    headRefName: pull.head.branch,
    isCrossRepository: pull.head.repository !== pull.repository,
    headRepository: repositoryRef(pull.head.repository),
    baseRefOid: base.oid,
    baseRefName: pull.base,
    baseRepository: repositoryRef(pull.repository),
    mergeable: () => {
      // Asking begins the computation.
      pull.unknown = Math.max(0, pull.unknown - 1);
      return unknown ? "UNKNOWN" : pull.mergeable;
    },
    mergeStateStatus: unknown ? "UNKNOWN" : pull.mergeState,
    reviewDecision: pull.review,
    isInMergeQueue: position >= 0,
    mergeQueueEntry: position < 0 ? null : { position: position + 1, state: "QUEUED" },
    autoMergeRequest: pull.autoMerge && { enabledAt: pull.autoMerge },
    baseRef: { refUpdateRule: base.contexts.length > 0 ? updateRule(base) : null },
    statusCheckRollup:
      shown.length === 0
        ? null
        : {
            contexts: (page) => {
              // A push while pages are read.
              const found = connection(
                shown.map((one) => context(one, pull)),
                page,
              );
              if (pull.pushWhilePaging && found.pageInfo.hasNextPage) pull.pushWhilePaging();
              return found;
            },
          },
    labels: (page) =>
      connection(
        pull.labels.map((name) => ({ name })),
        page,
      ),
    latestOpinionatedReviews: (page) => connection(opinions, page),
    comments: (page) =>
      connection(
        pull.comments.map((one) => comment(one, place)),
        page,
      ),
    reviews: (page) => connection(reviews, page),
    reviewThreads: (page) => connection(threads, page),
    timelineItems: ({ itemTypes, ...page }) => {
      const isAsked = ({ __typename: type }) =>
        itemTypes.includes(type.replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase());
      return connection(pull.timeline.filter(isAsked), page);
    },
  };
}

function issue(one) {
  const place = url(one.repository, `/issues/${one.number}`);
  return {
    __typename: "Issue",
    ...one,
    url: place,
    author: account(one.author),
    repository: repositoryRef(one.repository),
    assignees: (page) =>
      connection(
        one.assignees.map((login) => account(login)),
        page,
      ),
    labels: (page) =>
      connection(
        one.labels.map((name) => ({ name })),
        page,
      ),
    comments: (page) =>
      connection(
        one.comments.map((each) => comment(each, place)),
        page,
      ),
  };
}

function repository(one, world) {
  return {
    __typename: "Repository",
    ...repositoryRef(one),
    url: url(one, ""),
    isArchived: one.archived,
    viewerPermission: "WRITE",
    squashMergeAllowed: true,
    mergeCommitAllowed: one.mergeCommitAllowed ?? false,
    rebaseMergeAllowed: true,
    autoMergeAllowed: true,
    deleteBranchOnMerge: false,
    defaultBranchRef: one.defaultBranch && { name: one.defaultBranch },
    ref: ({ qualifiedName }) => {
      const branch = one.branches.get(qualifiedName.replace("refs/heads/", ""));
      return (
        branch && {
          refUpdateRule: branch.contexts.length > 0 ? updateRule(branch) : null,
          rules: (page) => connection(branch.rules, page),
        }
      );
    },
    issue: ({ number }) => {
      const found = world.issues.find((each) => each.repository === one && each.number === number);
      if (!found)
        throw new Refused(
          "NOT_FOUND",
          `Could not resolve to an issue or pull request with the number of ${number}.`,
        );
      return issue(found);
    },
  };
}

function node(world, id) {
  const found = world.find(id);
  const missing = new Refused(
    "NOT_FOUND",
    `Could not resolve to a node with the global id of '${id}'`,
  );
  if (!found) return missing;
  if (found.denied || found.repository?.denied)
    return new Refused("FORBIDDEN", "Resource not accessible by personal access token");
  if (id.startsWith("PR_")) return pullRequest(found);
  if (id.startsWith("I_")) return issue(found);
  const pull = world.pulls.find(({ checks }) => checks.includes(found));
  if (pull) return context(found, pull);
  return id.startsWith("R_") ? repository(found, world) : missing;
}

function queries(world, price) {
  const points = world.limits.graphql;
  return {
    rateLimit: () => ({
      cost: price,
      limit: points.limit,
      remaining: points.remaining,
      used: points.limit - points.remaining,
      nodeCount: 0,
      resetAt: new Date(points.reset * 1000).toISOString(),
    }),
    nodes: ({ ids }) => ids.map((id) => node(world, id)),
    node: ({ id }) => node(world, id),
    repository: ({ owner, name }) => {
      const found = world.named(owner, name);
      if (!found)
        throw new Refused(
          "NOT_FOUND",
          `Could not resolve to a Repository with the name '${owner}/${name}'.`,
        );
      return repository(found, world);
    },
  };
}

/** Answers a request as GitHub does. Throws if the query is wrong: then a test is to fail and not to retry. */
export async function answer(world, { query, variables = {} }) {
  const { document, mistakes } = check(query);
  if (mistakes.length > 0)
    throw new Error(`not a query of GitHub's schema: ${mistakes.join("; ")}`);
  const operation = getOperationAST(document);
  const isQuery = operation.operation === "query";
  const price = isQuery ? cost(document, variables) : 1;
  world.limits.graphql.remaining = Math.max(0, world.limits.graphql.remaining - price);
  const rootValue = isQuery ? queries(world, price) : mutations(world, pullRequest);
  const result = await execute({
    schema,
    document,
    rootValue,
    variableValues: variables,
    typeResolver: ({ __typename }) => __typename,
  });
  const errors = result.errors?.map((error) => {
    if (!(error.originalError instanceof Refused)) throw error;
    const { message, path, locations } = error;
    return { type: error.originalError.type, path, locations, message };
  });
  return {
    name: operation.name.value,
    price,
    body: { data: result.data, ...(errors && { errors }) },
  };
}
