// How GitLab shows its state: the fields that its REST API has, with the names that it gives them.

const STATES = { OPEN: "opened", CLOSED: "closed", MERGED: "merged" };

const path = ({ owner, name }) => `${owner}/${name}`;

const page = (repository) => `https://gitlab.com/${path(repository)}`;

export const showUser = ({ id, username }) => ({
  id,
  username,
  name: username,
  state: "active",
  web_url: `https://gitlab.com/${username}`,
});

export function showProject(repository) {
  return {
    id: repository.id,
    name: repository.name,
    path_with_namespace: path(repository),
    web_url: page(repository),
    default_branch: "main",
    archived: repository.archived,
    permissions: { project_access: null, group_access: { access_level: repository.access } },
    ...repository.settings,
  };
}

export const showPipeline = (one) => ({
  id: one.id,
  project_id: one.project.id,
  sha: one.sha,
  ref: one.ref,
  status: one.status,
  source: "push",
  web_url: `${page(one.project)}/-/pipelines/${one.id}`,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

export const showJob = ({ node: _, ...one }, { project }) => ({
  ...one,
  web_url: `${page(project)}/-/jobs/${one.id}`,
});

/** A merge request in a list. */
export function showListed(world, pull) {
  const { repository, head } = pull;
  return {
    id: pull.id,
    iid: pull.iid,
    project_id: repository.id,
    title: pull.draft ? `Draft: ${pull.title}` : pull.title,
    description: pull.body,
    state: STATES[pull.state],
    created_at: pull.updatedAt,
    updated_at: pull.updatedAt,
    merged_at: pull.mergedAt,
    author: showUser(world.user(pull.author)),
    source_branch: head.branch,
    source_project_id: head.repository?.id ?? null,
    target_branch: pull.base,
    target_project_id: repository.id,
    labels: pull.labels,
    draft: pull.draft,
    merge_when_pipeline_succeeds: pull.auto,
    detailed_merge_status: world.statusOf(pull),
    has_conflicts: pull.conflicts,
    sha: head.oid,
    merge_commit_sha: pull.squashed ? null : pull.mergeCommit,
    squash_commit_sha: pull.squashed ? pull.mergeCommit : null,
    references: { short: `!${pull.iid}`, full: `${path(repository)}!${pull.iid}` },
    web_url: `${page(repository)}/-/merge_requests/${pull.iid}`,
    reviewers: pull.reviewers.map(({ user }) => showUser(world.user(user))),
    user_notes_count: pull.discussions.flatMap(({ notes }) => notes).length,
  };
}

/** A merge request by itself. Asking for it makes GitLab find out whether it can be merged. */
export function showPull(world, pull) {
  const shown = {
    ...showListed(world, pull),
    head_pipeline: pull.pipeline && showPipeline(pull.pipeline),
    diff_refs: {
      base_sha: "0".repeat(40),
      head_sha: pull.head.oid,
      start_sha: pull.repository.branches.get(pull.base)?.oid ?? null,
    },
    user: { can_merge: true },
  };
  if (pull.unknown > 0) pull.unknown -= 1;
  return shown;
}

export const showApprovals = (world, pull) => ({
  approvals_required: pull.required,
  approvals_left: Math.max(0, pull.required - pull.approvals.length),
  approved: pull.approvals.length >= pull.required,
  approved_by: pull.approvals.map((user) => ({ user: showUser(world.user(user)) })),
});

export const showReviewers = (world, pull) =>
  pull.reviewers.map(({ user, state }) => ({ user: showUser(world.user(user)), state }));

export function showNote(world, one, { resolvable = false, resolved = false } = {}) {
  return {
    id: one.id,
    type: one.position ? "DiffNote" : null,
    body: one.body,
    author: showUser(world.user(one.author)),
    created_at: one.createdAt,
    updated_at: one.updatedAt,
    system: one.system,
    resolvable,
    ...(resolvable && { resolved }),
    ...(one.position && { position: one.position }),
  };
}

export const showDiscussion = (world, one) => ({
  id: one.id,
  individual_note: one.single,
  notes: one.notes.map((note) =>
    showNote(world, note, { resolvable: !one.single && !note.system, resolved: one.resolved }),
  ),
});

/** A merge request on a merge train. */
export const showCar = (world, pull) => ({
  id: pull.train.id,
  merge_request: {
    id: pull.id,
    iid: pull.iid,
    project_id: pull.repository.id,
    title: pull.title,
    state: STATES[pull.state],
    web_url: `${page(pull.repository)}/-/merge_requests/${pull.iid}`,
  },
  user: showUser(world.user(world.viewer)),
  created_at: pull.train.at,
  updated_at: pull.train.at,
  target_branch: pull.base,
  status: pull.train.status,
});

export const showIssue = (world, issue) => ({
  id: issue.id,
  iid: issue.iid,
  project_id: issue.repository.id,
  title: issue.title,
  description: issue.body,
  state: STATES[issue.state],
  author: showUser(world.user(issue.author)),
  assignees: issue.assignees.map((user) => showUser(world.user(user))),
  labels: issue.labels,
  updated_at: issue.updatedAt,
  references: { short: `#${issue.iid}`, full: `${path(issue.repository)}#${issue.iid}` },
  web_url: `${page(issue.repository)}/-/issues/${issue.iid}`,
});
