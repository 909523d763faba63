// How tests change and inspect the forge: one operation a request, named in `op`. Things are named by their ids.
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
  const shown = ({ id, number, job, head }) => ({ id, number, job, head: head?.oid });
  const operations = {
    repository: () => shown(world.repository(given)),
    rename: () => world.rename(thing(given.repository), given.owner, given.name),
    set: () => Object.assign(thing(given.id), given.values, { updatedAt: now() }),
    world: () => Object.assign(world, given.values),
    limit: () => Object.assign(world.limits[given.resource], given.values),
    branch: () => {
      const { branches } = thing(given.repository);
      const made = {
        oid: "b".repeat(40),
        contexts: [],
        rules: [],
        ...branches.get(given.name),
        ...given.values,
      };
      branches.set(given.name, made);
      return made;
    },
    branches: () => [...thing(given.repository).branches.keys()],
    pull: () => {
      const { repository, fork, ...rest } = given;
      return shown(
        world.pull(thing(repository), {
          ...rest,
          ...(fork !== undefined && { fork: fork && thing(fork) }),
        }),
      );
    },
    dequeue: () => {
      const pull = thing(given.id);
      const { queue } = pull.repository;
      if (queue.includes(pull.id)) queue.splice(queue.indexOf(pull.id), 1);
      const { reason = null } = given;
      pull.timeline.push({ __typename: "RemovedFromMergeQueueEvent", reason });
      pull.updatedAt = now();
    },
    push: () => world.push(thing(given.pull), given.commit),
    pushWhilePaging: () => {
      const pull = thing(given.pull);
      pull.pushWhilePaging = () => {
        delete pull.pushWhilePaging;
        pull.head.oid = "f".repeat(40);
      };
    },
    pushed: () => ({ head: thing(given.pull).head.oid }),
    check: () => shown(world.check(thing(given.pull), given.values)),
    thread: () => shown(world.thread(thing(given.pull), given.values)),
    review: () => shown(world.review(thing(given.pull), given.values)),
    comment: () => shown(world.comment(thing(given.on), given.values)),
    issue: () => shown(world.issue(thing(given.repository), given.values)),
    log: () => void world.logs.set(given.job, given),
    webhook: () => send({ ...given, pull: given.pull && thing(given.pull) }),
    fault: () => void faults.add(given),
    clear: () => void faults.clear(),
    show: () => ({ ...thing(given.id), repository: undefined, head: undefined }),
    seen: () => seen.splice(0),
  };
  if (!operations[op]) throw new Error(`no such operation: ${op}`);
  const made = operations[op]();
  return made === undefined || op === "set" || op === "world" ? {} : made;
}
