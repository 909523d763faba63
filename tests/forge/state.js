// The state of the forge: repositories with branches, pull requests, checks, conversations and issues, and the
// operations by which tests change it. Not how it is shown: see graphql.js and rest.js.

let counter = 0;

/** A moment that is later than every one before it, so that each change is seen. */
export const now = () => new Date(Date.now() + counter++).toISOString().replace(/\.\d+/, "");

const id = (kind) => `${kind}_${(++counter).toString(36)}x`;
const oid = () => (++counter).toString(16).padStart(40, "a");

export class Refused extends Error {
  constructor(type, message) {
    super(message);
    this.type = type;
  }
}

export class World {
  repositories = [];
  issues = [];
  viewer = "me";
  limits = {
    graphql: { limit: 5000, remaining: 5000, reset: Date.now() / 1000 + 3600 },
    core: { limit: 5000, remaining: 5000, reset: Date.now() / 1000 + 3600 },
  };
  /** Milliseconds by which the forge's clock is ahead. */
  skew = 0;
  scopes = "repo, read:org";
  accepts = "";
  logs = new Map();

  repository({ owner = "acme", name = "shop", ...rest } = {}) {
    const made = {
      id: id("R"),
      databaseId: ++counter,
      owner,
      name,
      formerly: [],
      archived: false,
      deleted: false,
      defaultBranch: "main",
      branches: new Map([["main", { oid: oid(), contexts: [], rules: [] }]]),
      queue: [],
      pulls: [],
      ...rest,
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
    head?.branches.set(branch, { oid: commit, contexts: [], rules: [] });
    const made = {
      id: id("PR"),
      number: repository.pulls.length + 1,
      title: `Change ${branch}`,
      body: "",
      author: "me",
      state: "OPEN",
      draft: false,
      updatedAt: now(),
      mergedAt: null,
      mergeCommit: null,
      head: { oid: commit, branch, repository: head },
      base: "main",
      mergeable: "MERGEABLE",
      mergeState: "CLEAN",
      review: null,
      autoMerge: null,
      /** What happened about merging it later: the types of the events, with their reasons. */
      timeline: [],
      /** How often mergeability is unknown before it is known. */
      unknown: 0,
      /** How often the base moves in the moment of a merge. */
      baseMoves: 0,
      labels: [],
      reviewers: [],
      reviews: [],
      threads: [],
      comments: [],
      checks: [],
      /** Names of check runs that the rollup leaves out. */
      omits: [],
      ...rest,
    };
    made.repository = repository;
    repository.pulls.push(made);
    return made;
  }

  push(pull, commit = oid()) {
    pull.head.oid = commit;
    pull.checks = [];
    pull.updatedAt = now();
    pull.head.repository?.branches.set(pull.head.branch, {
      oid: pull.head.oid,
      contexts: [],
      rules: [],
    });
    return pull.head.oid;
  }

  check(pull, rest = {}) {
    const job = 40_000_000_000 + ++counter;
    const made = {
      kind: "run",
      id: id("CR"),
      number: counter,
      name: "build",
      status: "COMPLETED",
      conclusion: "SUCCESS",
      app: "github-actions",
      workflow: "CI",
      event: "pull_request",
      job,
      startedAt: now(),
      completedAt: null,
      title: null,
      summary: null,
      steps: [],
      annotations: [],
      ...rest,
    };
    pull.checks.push(made);
    return made;
  }

  thread(pull, { path = "src/a.rs", line = 1, comments = [], ...rest } = {}) {
    const made = {
      id: id("PRRT"),
      path,
      line,
      resolved: false,
      outdated: false,
      comments: [],
      ...rest,
    };
    made.comments = comments.map((one) => this.#comment("PRRC", one));
    pull.threads.push(made);
    pull.updatedAt = now();
    return made;
  }

  review(pull, { state = "COMMENTED", author = "ada", body = "" } = {}) {
    const made = { ...this.#comment("PRR", { author, body }), state, commit: pull.head.oid };
    pull.reviews.push(made);
    pull.updatedAt = now();
    return made;
  }

  comment(subject, given) {
    const made = this.#comment("IC", given);
    subject.comments.push(made);
    subject.updatedAt = now();
    return made;
  }

  #comment(kind, { author = "ada", bot = false, body = "", review = null }) {
    const time = now();
    return { id: id(kind), author, bot, body, review, createdAt: time, updatedAt: time };
  }

  issue(repository, rest = {}) {
    const made = {
      id: id("I"),
      number: 100 + this.issues.length,
      title: "An issue",
      body: "",
      state: "OPEN",
      author: "ada",
      assignees: [],
      labels: [],
      comments: [],
      /** The ids of other issues. */
      children: [],
      blockedBy: [],
      updatedAt: now(),
      repository,
      ...rest,
    };
    this.issues.push(made);
    return made;
  }

  get pulls() {
    return this.repositories.filter((one) => !one.deleted).flatMap((one) => one.pulls);
  }

  /** Finds anything by its id. */
  find(wanted) {
    const has = (one) => one.id === wanted;
    return (
      this.repositories.find(has) ??
      this.pulls.find(has) ??
      this.issues.find(has) ??
      this.pulls.flatMap(({ threads }) => threads).find(has) ??
      this.pulls.flatMap(({ checks }) => checks).find(has)
    );
  }

  /** Refuses a write that GitHub would refuse. */
  writable(repository) {
    if (repository.archived)
      throw new Refused("FORBIDDEN", "Repository was archived so is read-only.");
  }

  isAt(pull, expected) {
    if (expected && expected !== pull.head.oid)
      throw new Refused(
        "UNPROCESSABLE",
        "Head branch was modified. Review and try the merge again.",
      );
  }

  merge(pull, expected) {
    this.writable(pull.repository);
    this.isAt(pull, expected);
    if (pull.state !== "OPEN") throw new Refused("UNPROCESSABLE", "Pull Request is not mergeable");
    if (pull.baseMoves > 0) {
      pull.baseMoves -= 1;
      throw new Refused(
        "UNPROCESSABLE",
        "Base branch was modified. Review and try the merge again.",
      );
    }
    const commit = oid();
    const base = pull.repository.branches.get(pull.base);
    base.oid = commit;
    const others = pull.repository.pulls.filter(
      (one) => one !== pull && one.state === "OPEN" && one.base === pull.base,
    );
    // Mergeability is computed anew in the background.
    for (const one of others) {
      one.unknown = 1;
      if (one.conflictsWith?.includes(pull.number)) one.mergeable = "CONFLICTING";
      if (base.strict) one.mergeState = "BEHIND";
    }
    for (const [, number] of pull.body.matchAll(/\bcloses #(\d+)/gi)) {
      const is = (one) => one.repository === pull.repository && one.number === Number(number);
      const issue = this.issues.find(is);
      if (issue) issue.state = "CLOSED";
    }
    Object.assign(pull, {
      state: "MERGED",
      mergedAt: now(),
      mergeCommit: commit,
      updatedAt: now(),
    });
  }
}
