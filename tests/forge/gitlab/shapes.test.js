// What the loopback GitLab answers fits the published types of GitLab's REST API, as the package @gitbeaker/core has them;
// GitLab's own OpenAPI file is in no registry. Fields may be left out, but none may be made up or of another type.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { answer } from "./rest.js";
import { World } from "./state.js";

const here = dirname(fileURLToPath(import.meta.url));

/** Fields that the package does not have as GitLab's documentation of the API shows them, by type. They are left out. */
const UNKNOWN = {
  // `project_access` is null if all access comes from the group.
  ProjectSchema: ["project_access", "merge_trains_enabled"],
  MergeRequestLevelMergeRequestApprovalSchema: ["approved"],
  // Lines are numbers, or null.
  MergeRequestDiscussionNoteSchema: ["resolved", "old_line", "new_line"],
  IssueNoteSchema: ["type"],
  MergeRequestNoteSchema: ["type", "position", "resolved"],
};

/** Returns a part of each type, without the index signatures that allow any field. */
const PARTS =
  "type Part<T> = T extends readonly (infer One)[] ? Part<One>[] : " +
  "T extends object ? { [K in keyof T as string extends K ? never : K]?: Part<T[K]> } : T;";

/** Returns what TypeScript says against values of types, each as "type: message". */
function mistakes(values) {
  const names = [...new Set(values.map(([type]) => type.replace("[]", "")))];
  const lines = [`import type { ${names.join(", ")} } from "@gitbeaker/core";`, PARTS];
  const text = [
    ...lines,
    ...values.map(([type, value], index) => {
      const unknown = UNKNOWN[type.replace("[]", "")] ?? [];
      const shown = JSON.stringify(value, (key, one) => (unknown.includes(key) ? undefined : one));
      return `export const v${index}: Part<${type}> = ${shown};`;
    }),
  ].join("\n");
  const name = join(here, "answers.ts");
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (file, ...rest) =>
    file === name
      ? ts.createSourceFile(file, text, ts.ScriptTarget.ESNext)
      : getSourceFile(file, ...rest);
  host.fileExists = (file) => file === name || fileExists(file);
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start, file }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, " ");
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
    return `${values[line - lines.length]?.[0] ?? text.split("\n")[line]}: ${message}`;
  });
}

/** A project with everything that an answer can show. */
function furnished() {
  const world = new World();
  const repository = world.repository({ name: "shop", merge_trains_enabled: true });
  const pull = world.pull(repository, { required: 1 });
  world.pipeline(pull, { status: "failed", jobs: [{ name: "test", status: "failed" }] });
  world.discussion(pull, { path: "cart.txt", line: 3, notes: [{ body: "Rename" }] });
  world.review(pull, { user: "ada", state: "approved" });
  world.enterTrain(pull, { sha: pull.head.oid });
  const issue = world.issue(repository, { title: "Round", body: "Half cents." });
  world.note(issue, { body: "Also here." });
  return { world, repository, pull, issue };
}

test("answers fit the published types", () => {
  const { world, repository, pull, issue } = furnished();
  const get = (path, asked = {}) => {
    const query = new URLSearchParams(asked);
    const { status, body } = answer(world, { method: "GET", path, query });
    assert.equal(status ?? 200, 200, path);
    return body;
  };
  const project = `/projects/${repository.id}`;
  const mr = `${project}/merge_requests/${pull.iid}`;
  const pipeline = `${project}/pipelines/${pull.pipeline.id}`;
  const discussions = get(`${mr}/discussions`);
  const found = mistakes([
    ["UserSchema", get("/user")],
    ["ProjectSchema", get(project)],
    ["MergeRequestSchema[]", get(`${project}/merge_requests`)],
    ["ExpandedMergeRequestSchema", get(mr)],
    ["MergeRequestLevelMergeRequestApprovalSchema", get(`${mr}/approvals`)],
    ["MergeRequestReviewerSchema[]", get(`${mr}/reviewers`)],
    ["DiscussionSchema[]", discussions.map(({ notes: _, ...one }) => one)],
    ["MergeRequestDiscussionNoteSchema[]", discussions.flatMap(({ notes }) => notes)],
    ["MergeRequestNoteSchema[]", get(`${mr}/notes`)],
    ["MergeTrainSchema", get(`${project}/merge_trains/merge_requests/${pull.iid}`)],
    ["MergeTrainSchema[]", get(`${project}/merge_trains/main`, { scope: "active", sort: "asc" })],
    ["PipelineSchema[]", get(`${project}/pipelines`)],
    ["ExpandedPipelineSchema", get(pipeline)],
    ["JobSchema[]", get(`${pipeline}/jobs`)],
    ["JobSchema", get(`${project}/jobs/${pull.pipeline.jobs[0].id}`)],
    ["CommitStatusSchema[]", get(`${project}/repository/commits/${pull.head.oid}/statuses`)],
    ["BranchSchema", get(`${project}/repository/branches/main`)],
    ["IssueSchema", get(`${project}/issues/${issue.iid}`)],
    ["IssueNoteSchema[]", get(`${project}/issues/${issue.iid}/notes`)],
  ]);
  assert.deepEqual(found, []);
});

test("a field that GitLab does not have is found", () => {
  const [found] = mistakes([["UserSchema", { id: 1, nickname: "ada" }]]);
  assert.match(found, /UserSchema: .*nickname/);
  const [other] = mistakes([["JobSchema", { id: "1" }]]);
  assert.match(other, /JobSchema: .*string/);
});
