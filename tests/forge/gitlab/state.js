// The state of GitLab: projects with branches, merge requests, pipelines, discussions and issues, and the operations by
// which tests change it. Not how it is shown: see show.js.

let counter = 0;

/** A moment that is later than every one before it, so that each change is seen. */
export const now = () => new Date(Date.now() + counter++).toISOString();

const number = () => ++counter;
const oid = () => number().toString(16).padStart(40, "c");

/** An answer other than 2xx. */
export class Refused extends Error {
  constructor(status, message) {
    super(typeof message === "string" ? message : JSON.stringify(message));
    Object.assign(this, { status, body: { message } });
  }
}

export class World {
  repositories = [];
  issues = [];
  viewer = "me";
  limit = { limit: 2000, remaining: 2000, reset: Date.now() / 1000 + 60 };
  /** Milliseconds by which the forge's clock is ahead. */
  skew = 0;
  scopes = ["api"];
  logs = new Map();
  #users = new Map();

  /** An account, by its name. */
  user(username) {
    if (!this.#users.has(username)) this.#users.set(username, { id: number(), username });
    return this.#users.get(username);
  }

  users() {
    return this.#users.values();
  }

  knows(username) {
    return this.#users.has(username);
  }

  repository({ owner = "group/sub", name = "shop", ...settings } = {}) {
    const id = number();
    const made = {
      id,
      node: String(id),
      owner,
      name,
      formerly: [],
      archived: false,
      deleted: false,
      branches: new Map([["main", { oid: oid() }]]),
      pulls: [],
      pipelines: [],
      access: 40,
      settings: {
        merge_method: "merge",
        squash_option: "default_off",
        remove_source_branch_after_merge: false,
        only_allow_merge_if_pipeline_succeeds: false,
        only_allow_merge_if_all_discussions_are_resolved: false,
        merge_trains_enabled: false,
        ...settings,
      },
    };
    this.repositories.push(made);
    return made;
  }

  /** Finds a repository by its names, former ones included. */
  named(owner, name) {
    const wanted = `${owner}/${name}`.toLowerCase();
    const is = (one) => one.toLowerCase() === wanted;
    const found = this.repositories.find(
      (one) => is(`${one.owner}/${one.name}`) || one.formerly.some(is),
    );
    return found?.deleted ? undefined : found;
  }

  rename(repository, owner, name) {
    repository.formerly.push(`${repository.owner}/${repository.name}`);
    Object.assign(repository, { owner, name });
  }

  pull(repository, { branch = `work-${counter}`, fork, commit = oid(), ...rest } = {}) {
    const head = fork === null ? null : (fork ?? repository);
    head?.branches.set(branch, { oid: commit });
    const made = {
      id: number(),
      iid: repository.pulls.length + 1,
      title: `Change ${branch}`,
      body: "",
      author: "me",
      state: "OPEN",
      draft: false,
      updatedAt: now(),
      mergedAt: null,
      mergeCommit: null,
      squashed: false,
      head: { oid: commit, branch, repository: head },
      base: "main",
      conflicts: false,
      behind: false,
      /** GitLab's word for what is in the way, if it is not computed. */
      status: null,
      /** How often mergeability is unknown before it is known. */
      unknown: 0,
      auto: false,
      /** Its place on a merge train: its number, its status and since when. */
      train: null,
      labels: [],
      required: 0,
      approvals: [],
      reviewers: [],
      discussions: [],
      pipeline: null,
      ...rest,
    };
    made.repository = repository;
    made.node = `mr-${made.id}-${repository.id}-${made.iid}`;
    repository.pulls.push(made);
    return made;
  }

  push(pull, commit = oid()) {
    pull.head.oid = commit;
    pull.pipeline = null;
    pull.updatedAt = now();
    pull.head.repository?.branches.set(pull.head.branch, { oid: commit });
    return commit;
  }

  /** Runs a pipeline on the head, or on its merge with the base. */
  pipeline(pull, { status = "success", jobs = [], bridges = [], merged = false, ...rest } = {}) {
    const project = pull.head.repository ?? pull.repository;
    const job = (kind) => (given) => {
      const id = number();
      const time = now();
      return {
        id,
        node: `${kind}-${project.id}-${id}`,
        name: "test",
        stage: "test",
        status: "success",
        allow_failure: false,
        failure_reason: given.status === "failed" && kind === "job" ? "script_failure" : null,
        started_at: time,
        finished_at: ["running", "pending", "created", "manual"].includes(given.status)
          ? null
          : time,
        ...given,
      };
    };
    const made = {
      id: number(),
      project,
      sha: merged ? oid() : pull.head.oid,
      ref: merged ? `refs/merge-requests/${pull.iid}/merge` : pull.head.branch,
      status,
      createdAt: now(),
      updatedAt: now(),
      jobs: jobs.map(job("job")),
      bridges: bridges.map(job("bridge")),
      statuses: [],
      yaml_errors: null,
      ...rest,
    };
    project.pipelines.unshift(made);
    pull.pipeline = made;
    return made;
  }

  discussion(pull, { path, line = 1, single = false, notes = [] } = {}) {
    const made = { id: oid(), single, notes: [], resolved: false };
    made.node = `thread-${pull.repository.id}-${pull.iid}-${made.id}`;
    made.pull = pull;
    const position = path && {
      position_type: "text",
      new_path: path,
      old_path: path,
      new_line: line,
      old_line: null,
    };
    made.notes = notes.map((given) => this.#note({ position, ...given }));
    pull.discussions.push(made);
    pull.updatedAt = now();
    return made;
  }

  /** Adds a note: to a discussion, or beside all. */
  note(subject, given) {
    const made = this.#note({ position: subject.notes?.[0]?.position, ...given });
    if (subject.discussions) {
      const of = this.discussion(subject, { single: true });
      of.notes.push(made);
    } else subject.notes.push(made);
    (subject.pull ?? subject).updatedAt = now();
    return made;
  }

  #note({ author = "ada", body = "", system = false, position = null }) {
    this.user(author);
    const time = now();
    return { id: number(), author, body, system, position, createdAt: time, updatedAt: time };
  }

  review(pull, { user, state }) {
    this.user(user);
    pull.reviewers = pull.reviewers.filter((one) => one.user !== user);
    pull.reviewers.push({ user, state });
    pull.approvals = pull.approvals.filter((one) => one !== user);
    if (state === "approved") pull.approvals.push(user);
    pull.updatedAt = now();
  }

  issue(repository, rest = {}) {
    const made = {
      id: number(),
      iid: 100 + this.issues.length,
      title: "An issue",
      body: "",
      state: "OPEN",
      author: "ada",
      assignees: [],
      labels: [],
      notes: [],
      updatedAt: now(),
      ...rest,
    };
    made.repository = repository;
    made.node = `issue-${made.id}-${repository.id}-${made.iid}`;
    this.issues.push(made);
    return made;
  }

  get pulls() {
    return this.repositories.filter((one) => !one.deleted).flatMap((one) => one.pulls);
  }

  /** Finds anything by the id that the client knows it by. */
  find(wanted) {
    const has = (one) => one.node === wanted;
    return (
      this.repositories.find(has) ??
      this.pulls.find(has) ??
      this.issues.find(has) ??
      this.pulls.flatMap(({ discussions }) => discussions).find(has)
    );
  }

  /** GitLab's word for what is in the way of a merge: the first thing that is. */
  statusOf(pull) {
    const { settings } = pull.repository;
    const open = pull.discussions.some((one) => !one.single && !one.resolved);
    const ci = pull.pipeline?.status;
    const running = ["created", "pending", "running"].includes(ci);
    const reasons = [
      ["not_open", pull.state !== "OPEN"],
      ["checking", pull.unknown > 0],
      [pull.status, pull.status],
      ["draft_status", pull.draft],
      ["conflict", pull.conflicts],
      [
        "discussions_not_resolved",
        settings.only_allow_merge_if_all_discussions_are_resolved && open,
      ],
      ["requested_changes", pull.reviewers.some(({ state }) => state === "requested_changes")],
      ["not_approved", pull.approvals.length < pull.required],
      ["need_rebase", pull.behind],
      ["ci_still_running", settings.only_allow_merge_if_pipeline_succeeds && running],
      ["ci_must_pass", settings.only_allow_merge_if_pipeline_succeeds && ci !== "success"],
    ];
    return reasons.find(([, stands]) => stands)?.[0] ?? "mergeable";
  }

  /** The merge requests on the train of the base of one. */
  train(pull) {
    const is = ({ train, base }) => train && train.status !== "merged" && base === pull.base;
    const on = pull.repository.pulls.filter(is);
    return on.sort((one, other) => one.train.id - other.train.id);
  }

  /** Puts a merge request on the train of its base, or lets it get on once its checks passed. */
  enterTrain(pull, { sha, auto_merge: auto }) {
    if (sha && sha !== pull.head.oid)
      throw new Refused(409, "SHA does not match HEAD of source branch");
    if (pull.train || pull.state !== "OPEN") throw new Refused(400, "Failed to add to the train");
    const isReady = this.statusOf(pull) === "mergeable";
    if (!isReady && !auto) throw new Refused(400, "Failed to add to the train");
    pull.auto = true;
    pull.updatedAt = now();
    const says = (body) => this.note(pull, { author: this.viewer, body, system: true });
    if (!isReady) {
      says("enabled automatic add to merge train when all merge checks pass");
      return;
    }
    const place = this.train(pull).length;
    pull.train = { id: number(), status: "idle", at: now() };
    says(
      place
        ? `added this merge request to the merge train at position ${place + 1}`
        : "started a merge train",
    );
  }

  /** Takes a merge request off its train, for this reason. */
  leaveTrain(pull, reason) {
    const why = reason ? ` because ${reason}. [Learn more](https://gitlab.com/help/trains).` : "";
    Object.assign(pull, { train: null, auto: false });
    const body = `removed this merge request from the merge train${why}`;
    this.note(pull, { author: this.viewer, body, system: true });
  }

  /** Lets a train merge one of its merge requests. */
  arrive(pull) {
    this.merge(pull, {});
    Object.assign(pull.train, { status: "merged" });
    pull.auto = false;
  }

  /** Merges a merge request as GitLab would. */
  merge(pull, { sha, squash, auto_merge: auto }) {
    if (pull.state !== "OPEN") throw new Refused(405, "405 Method Not Allowed");
    if (sha && sha !== pull.head.oid)
      throw new Refused(409, "SHA does not match HEAD of source branch: " + pull.head.oid);
    const status = this.statusOf(pull);
    const waits = ["ci_must_pass", "ci_still_running", "not_approved", "discussions_not_resolved"];
    if (auto && (waits.includes(status) || pull.pipeline?.status === "running")) {
      pull.auto = true;
      return;
    }
    if (status !== "mergeable") throw new Refused(405, "405 Method Not Allowed");
    const commit = oid();
    pull.repository.branches.set(pull.base, { oid: commit });
    for (const [, iid] of pull.body.matchAll(/\bcloses #(\d+)/gi)) {
      const is = (one) => one.repository === pull.repository && one.iid === Number(iid);
      const issue = this.issues.find(is);
      if (issue) issue.state = "CLOSED";
    }
    Object.assign(pull, {
      state: "MERGED",
      mergedAt: now(),
      mergeCommit: commit,
      squashed: Boolean(squash),
      updatedAt: now(),
    });
  }
}
