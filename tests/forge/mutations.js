// What mutations do to the state, and what GitHub refuses. The checks of their inputs are the schema's.
import { now, Refused } from "./state.js";

const NOWHERE = "0".repeat(40);

/** Returns the root of mutations. `show` turns a pull request into what GraphQL sees. */
export function mutations(world, show) {
  const found = (id) => {
    const one = world.find(id);
    if (!one)
      throw new Refused("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    world.writable(one.repository ?? one);
    return one;
  };
  const change = (id, values) => {
    const one = found(id);
    Object.assign(one, values, { updatedAt: now() });
    return { clientMutationId: null, pullRequest: () => show(one) };
  };
  const said = (one) => ({ ...one, author: null, url: `https://github.com/c/${one.id}` });
  const thread = (id) => {
    const one = world.pulls.flatMap(({ threads }) => threads).find((each) => each.id === id);
    if (!one) throw new Refused("NOT_FOUND", "Could not resolve to a node");
    return one;
  };
  return {
    createPullRequest: ({ input }) => create(world, found(input.repositoryId), input, show),
    updatePullRequest: ({ input }) => {
      const { title, body, baseRefName } = input;
      const values = { ...(title && { title }), ...(body !== undefined && { body }) };
      return change(input.pullRequestId, { ...values, ...(baseRefName && { base: baseRefName }) });
    },
    addComment: ({ input }) => {
      const made = world.comment(found(input.subjectId), {
        author: world.viewer,
        body: input.body,
      });
      return { commentEdge: { node: said(made) } };
    },
    addPullRequestReviewThreadReply: ({ input }) => {
      const one = thread(input.pullRequestReviewThreadId);
      const holder = { comments: one.comments };
      return { comment: said(world.comment(holder, { author: world.viewer, body: input.body })) };
    },
    resolveReviewThread: ({ input }) => {
      thread(input.threadId).resolved = true;
      return {};
    },
    unresolveReviewThread: ({ input }) => {
      thread(input.threadId).resolved = false;
      return {};
    },
    markPullRequestReadyForReview: ({ input }) => change(input.pullRequestId, { draft: false }),
    convertPullRequestToDraft: ({ input }) => change(input.pullRequestId, { draft: true }),
    mergePullRequest: ({ input }) => {
      const pull = found(input.pullRequestId);
      world.merge(pull, input.expectedHeadOid);
      pull.mergedBy = input.mergeMethod;
      return { pullRequest: () => show(pull) };
    },
    enqueuePullRequest: ({ input }) => {
      const pull = found(input.pullRequestId);
      world.isAt(pull, input.expectedHeadOid);
      const position = pull.repository.queue.push(pull.id);
      pull.timeline.push({ __typename: "AddedToMergeQueueEvent" });
      return { mergeQueueEntry: { position } };
    },
    enablePullRequestAutoMerge: ({ input }) => {
      world.isAt(found(input.pullRequestId), input.expectedHeadOid);
      found(input.pullRequestId).timeline.push({ __typename: "AutoMergeEnabledEvent" });
      return change(input.pullRequestId, {
        autoMerge: now(),
        autoMergeMethod: input.mergeMethod,
      });
    },
    disablePullRequestAutoMerge: ({ input }) => {
      found(input.pullRequestId).timeline.push({ __typename: "AutoMergeDisabledEvent" });
      return change(input.pullRequestId, { autoMerge: null });
    },
    closePullRequest: ({ input }) => change(input.pullRequestId, { state: "CLOSED" }),
    closeIssue: ({ input }) => change(input.issueId, { state: "CLOSED" }),
    updateRefs: ({ input }) => {
      const { branches } = found(input.repositoryId);
      for (const { name, beforeOid, afterOid } of input.refUpdates) {
        const short = name.replace("refs/heads/", "");
        const branch = branches.get(short);
        if (!branch) throw new Refused("UNPROCESSABLE", `Reference ${name} does not exist`);
        if (beforeOid && branch.oid !== beforeOid)
          throw new Refused(
            "UNPROCESSABLE",
            `${name} is at ${branch.oid} but expected ${beforeOid}`,
          );
        if (afterOid === NOWHERE) branches.delete(short);
        else branch.oid = afterOid;
      }
      return {};
    },
  };
}

function create(world, repository, input, show) {
  const head = input.headRepositoryId ? world.find(input.headRepositoryId) : repository;
  const branch = input.headRefName;
  if (!head.branches.has(branch))
    throw new Refused("UNPROCESSABLE", "Head sha can't be blank, Head ref must be a branch");
  const isSame = (one) =>
    one.state === "OPEN" && one.head.branch === branch && one.head.repository === head;
  if (repository.pulls.some(isSame))
    throw new Refused(
      "UNPROCESSABLE",
      `A pull request already exists for ${head.owner}:${branch}.`,
    );
  const { oid } = head.branches.get(branch);
  const { title, body = "", draft, baseRefName: base } = input;
  const pull = world.pull(repository, { branch, fork: head, title, body, draft, base });
  pull.head.oid = oid;
  head.branches.get(branch).oid = oid;
  return { pullRequest: () => show(pull) };
}
