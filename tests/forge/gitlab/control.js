// How tests change and inspect GitLab: one operation a request, named in `op`. Things are named by the ids that the client
// knows them by.
import { now } from "./state.js";
import { send } from "./webhooks.js";

/** Carries out an operation and returns what it made, at once or later. */
export function control(forge, { op, ...given }) {
  const { world, faults, seen } = forge;
  const thing = (id) => {
    const found = world.find(id);
    if (!found) throw new Error(`nothing has the id ${id}`);
    return found;
  };
  const shown = ({ node, id, iid, head }) => ({
    id: node ?? id,
    number: iid,
    head: head?.oid,
  });
  const pipeline = (made) => ({
    id: made.id,
    jobs: made.jobs.map(({ id, node }) => ({ id, node })),
  });
  const operations = {
    repository: () => shown(world.repository(given)),
    rename: () => world.rename(thing(given.repository), given.owner, given.name),
    set: () => {
      const one = thing(given.id);
      const { settings = {}, ...values } = given.values;
      Object.assign(one, values, { updatedAt: now() });
      if (one.settings) Object.assign(one.settings, settings);
    },
    world: () => Object.assign(world, given.values),
    limit: () => Object.assign(world.limit, given.values),
    user: () => world.user(given.name),
    branches: () => [...thing(given.repository).branches.keys()],
    pull: () => {
      const { repository, fork, ...rest } = given;
      const of = fork !== undefined && { fork: fork && thing(fork) };
      return shown(world.pull(thing(repository), { ...rest, ...of }));
    },
    pushed: () => shown(thing(given.pull)),
    push: () => world.push(thing(given.pull), given.commit),
    pipeline: () => pipeline(world.pipeline(thing(given.pull), given.values)),
    discussion: () => shown(world.discussion(thing(given.pull), given.values)),
    discussions: () => void given.all.forEach((one) => world.discussion(thing(given.pull), one)),
    drop: () => world.leaveTrain(thing(given.id), given.reason),
    arrive: () => world.arrive(thing(given.id)),
    note: () => shown(world.note(thing(given.on), given.values)),
    review: () => world.review(thing(given.pull), given.values),
    issue: () => shown(world.issue(thing(given.repository), given.values)),
    log: () => void world.logs.set(given.job, given),
    webhook: () => send({ ...given, pull: given.pull && thing(given.pull) }),
    fault: () => void faults.add(given),
    clear: () => void faults.clear(),
    show: () => {
      const { repository: _, head, pipeline: __, discussions, pull: ___, ...one } = thing(given.id);
      const plain = discussions?.map(({ pull: ____, ...rest }) => rest);
      return {
        ...one,
        branch: head?.branch,
        discussions: plain,
        branches: undefined,
        pulls: undefined,
        pipelines: undefined,
      };
    },
    seen: () => seen.splice(0),
  };
  if (!operations[op]) throw new Error(`no such operation: ${op}`);
  const made = operations[op]();
  return made === undefined || ["set", "world", "limit"].includes(op) ? {} : made;
}
