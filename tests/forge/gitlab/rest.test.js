// The loopback GitLab refuses what GitLab does not know, so that a mistake of the client ends its test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, traceOf } from "./rest.js";
import { World } from "./state.js";

const get = (world, path, query = {}, method = "GET", body = undefined) =>
  answer(world, { method, path, query: new URLSearchParams(query), body });

test("a route and a parameter that are not known are mistakes", () => {
  const world = new World();
  const { id } = world.repository();
  assert.throws(() => get(world, "/projects/1/pulls"), /there is no such route/);
  assert.throws(() => get(world, `/projects/${id}`, { sorted: "yes" }), /sorted is not known/);
  const path = `/projects/${id}/merge_requests`;
  assert.throws(() => get(world, path, {}, "POST", { source: "x" }), /source is not known/);
  assert.throws(() => get(world, path, { per_page: "1000" }), /at most 100/);
});

test("a project has its name, its former names and its number", () => {
  const world = new World();
  const repository = world.repository({ owner: "group/sub", name: "shop" });
  const of = (name) => get(world, `/projects/${encodeURIComponent(name)}`);
  assert.equal(of("group/sub/shop").body.path_with_namespace, "group/sub/shop");
  world.rename(repository, "other", "store");
  assert.equal(of(String(repository.id)).body.path_with_namespace, "other/store");
  const { status, headers } = of("group/sub/shop");
  assert.deepEqual([status, headers.location], [301, `/api/v4/projects/${repository.id}?`]);
  assert.equal(of("no/shop").status, 404);
});

test("a merge request gets on the train once, and what takes it off says why", () => {
  const world = new World();
  const repository = world.repository();
  const pull = world.pull(repository, { required: 1 });
  const train = `/projects/${repository.id}/merge_trains/merge_requests/1`;
  const enter = (body) => get(world, train, {}, "POST", { sha: pull.head.oid, ...body }).status;
  assert.equal(enter({}), 403);
  repository.settings.merge_trains_enabled = true;
  assert.deepEqual([enter({}), enter({ auto_merge: true })], [400, 201]);
  assert.equal(get(world, train).status, 404);
  world.review(pull, { user: "ada", state: "approved" });
  assert.deepEqual([enter({}), enter({}), get(world, train).status], [201, 400, 200]);
  world.leaveTrain(pull, "the pipeline did not succeed");
  assert.equal(get(world, train).status, 404);
  const [last] = get(world, `/projects/${repository.id}/merge_requests/1/notes`).body;
  assert.match(
    last.body,
    /^removed .* from the merge train because the pipeline did not succeed\./,
  );
  enter({});
  // The last one that got on is the last, whichever was opened first.
  const early = world.pull(repository, { branch: "early" });
  const cars = `/projects/${repository.id}/merge_trains/main`;
  get(world, `${cars.replace("main", "merge_requests")}/${early.iid}`, {}, "POST", {});
  const order = get(world, cars, { scope: "active", sort: "asc" }).body;
  assert.deepEqual(
    order.map((car) => car.merge_request.iid),
    [pull.iid, early.iid],
  );
  world.arrive(pull);
  assert.deepEqual([pull.state, get(world, train).body.status], ["MERGED", "merged"]);
});

test("the word for what is in the way is that of the first thing", () => {
  const world = new World();
  const repository = world.repository({ only_allow_merge_if_pipeline_succeeds: true });
  const pull = world.pull(repository, { required: 1, unknown: 1 });
  const word = () =>
    get(world, `/projects/${repository.id}/merge_requests/1`).body.detailed_merge_status;
  const words = [word(), word()];
  world.review(pull, { user: "ada", state: "requested_changes" });
  words.push(word());
  world.review(pull, { user: "ada", state: "approved" });
  words.push(word());
  world.pipeline(pull, { status: "running" });
  words.push(word());
  world.pipeline(pull, { status: "success" });
  words.push(word());
  assert.deepEqual(words, [
    "checking",
    "not_approved",
    "requested_changes",
    "ci_must_pass",
    "ci_still_running",
    "mergeable",
  ]);
});

test("a job without a log has none", () => {
  const world = new World();
  const repository = world.repository();
  const { jobs } = world.pipeline(world.pull(repository), { jobs: [{ name: "test" }] });
  const path = `/projects/${repository.id}/jobs/${jobs[0].id}/trace`;
  assert.equal(traceOf(world, path), null);
  world.logs.set(jobs[0].id, { text: "x" });
  assert.equal(traceOf(world, path).text, "x");
  assert.equal(traceOf(world, "/user"), undefined);
});
