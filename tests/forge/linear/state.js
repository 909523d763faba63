// The state of Linear: teams with their states, issues with comments, and the operations by which tests change and inspect them.

let counter = 0;

const id = () => `00000000-0000-4000-8000-${String(++counter).padStart(12, "0")}`;
const now = () => new Date(Date.now() + counter++).toISOString();

/** The states of a new team. Their order is that of their positions, not that of this list. */
const STATES = [
  ["Done", "completed", 3],
  ["Backlog", "backlog", 0],
  ["Todo", "unstarted", 1],
  ["In Review", "started", 2.5],
  ["In Progress", "started", 2],
  ["Released", "completed", 4],
  ["Canceled", "canceled", 5],
];

export class World {
  viewer = { id: id(), name: "me", displayName: "me" };
  users = [this.viewer, { id: id(), name: "ada", displayName: "ada" }];
  teams = [];
  issues = [];

  user(wanted) {
    return this.users.find(({ id, name }) => id === wanted || name === wanted);
  }

  /** Finds a team by its id or its key. */
  team(wanted) {
    return this.teams.find(({ id, key }) => id === wanted || key === wanted);
  }

  /** Finds an issue by its id or its identifier. */
  issue(wanted) {
    const is = ({ id, identifier }) => id === wanted || identifier === wanted.toUpperCase();
    return this.issues.find(is);
  }

  comment(issue, { id: own = id(), body, user }) {
    const url = `${issue.url}#comment-${own.slice(0, 8)}`;
    const made = { id: own, body, url, user, createdAt: now(), updatedAt: now() };
    issue.comments.push(made);
    return made;
  }

  #team({ key, states = STATES }) {
    const made = {
      id: id(),
      key,
      name: key,
      states: states.map(([name, type, position]) => ({ id: id(), name, type, position })),
    };
    this.teams.push(made);
    return made;
  }

  #issue({ team: key, title, description = "", state = "Todo", assignee, ...links }) {
    const team = this.team(key);
    const number = this.issues.filter((one) => one.team === team).length + 1;
    const identifier = `${key}-${number}`;
    const slug = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    const made = {
      id: id(),
      identifier,
      number,
      title,
      description,
      url: `https://linear.app/acme/issue/${identifier}/${slug}`,
      branchName: `me/${identifier.toLowerCase()}-${slug}`,
      state: team.states.find(({ name }) => name === state),
      assignee: assignee ? this.user(assignee) : null,
      team,
      comments: [],
      children: links.children ?? [],
      blockedBy: links.blockedBy ?? [],
      createdAt: now(),
      updatedAt: now(),
    };
    this.issues.push(made);
    return made;
  }

  /** Carries out an operation of a test, and returns what it made. */
  control({ faults, seen }, { op, ...given }) {
    const shown = ({ id, identifier, url, state, assignee, comments }) => ({
      id,
      identifier,
      url,
      state: state.name,
      assignee: assignee?.name ?? null,
      comments: comments.map(({ body }) => body),
    });
    const operations = {
      team: () => ({ id: this.#team(given).id }),
      issue: () => shown(this.#issue(given)),
      comment: () => {
        const { on, author, body } = given;
        return { id: this.comment(this.issue(on), { body, user: this.user(author) }).id };
      },
      show: () => shown(this.issue(given.id)),
      fault: () => faults.add(given),
      clear: () => faults.clear(),
      seen: () => seen.splice(0),
    };
    if (!operations[op]) throw new Error(`no such operation: ${op}`);
    return operations[op]() ?? {};
  }
}
