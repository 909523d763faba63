// Takes pictures of every view over fixtures: `npm run ui:shots [only]` → test-results/shots. `only` is
// part of a name, or an expression. Needs a Chromium (CHROMIUM, else /usr/bin/chromium). `DOWNBEAT_GUIDE=1` also puts
// those of the README and the guide into docs/guide/images.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serveFixtures } from "./served.js";

const out = new URL("../../test-results/shots/", import.meta.url).pathname;
mkdirSync(out, { recursive: true });
const guide =
  process.env.DOWNBEAT_GUIDE === "1"
    ? new URL("../../docs/guide/images/", import.meta.url).pathname
    : null;
const only = process.argv[2];

const WIDE = { width: 1360, height: 860 };
const BIG = { width: 1920, height: 1080 };
const FLEET = { width: 1440, height: 940 };
const HALF = { width: 900, height: 760 };
const PHONE = { width: 400, height: 800 };
const dialog = (request) => encodeURIComponent(JSON.stringify(request));

const TASKS =
  "Build login UI (id: ui) (depends_on: api), Create JWT API (id: api), Write tests (depends_on: ui), Security audit, Update the schema of sessions";
const NOTED = "[a] Create API, [b] Build UI, [c] Write tests, [d] Security audit, Write docs";
const GOAL =
  "Add a login with GitHub. Accounts with a password stay as they are; the tests of sign-in pass.";
const CYCLE = "Create API (id: api) (depends_on: ui), Build UI (id: ui) (depends_on: api)";

/** The pictures of the README and the guide. The tests take those that a real engine can show (`tests/browser`). */
const IN_GUIDE = ["fleet", "fleet-light", "timeline-fleet", "no-progress"];

/** name, query, size; each in dark and, where marked, in light. */
const SHOTS = [
  ["empty", "world=0&desktop", WIDE, "both"],
  ["project", "world=project", WIDE],
  ["one", "world=1&view=session:s1", WIDE],
  ["few", "", WIDE, "both"],
  ["board", "world=board", WIDE, "both"],
  ["fleet", "world=showcase&plans=none", FLEET, "both"],
  ["board-cards", "world=board&cards", WIDE],
  ["board-60", "world=board-60", WIDE, "both"],
  ["board-300", "world=board-300", BIG],
  ["board-groups", "world=board-60&group=conductor", WIDE],
  ["board-projects", "world=board-60&group=project", WIDE, "both"],
  ["board-none", "world=board&type=/nothing like this", WIDE],
  ["board-one", "world=1", WIDE, "both"],
  ["board-every", "world=every", WIDE],
  ["board-long", "world=long", WIDE, "both"],
  ["half-board", "world=board-60", HALF],
  ["phone-board", "world=board-60", PHONE, "both"],
  ["phone-board-review", "world=board-60&column=inReview", PHONE],
  ["phone-board-long", "world=long", PHONE],
  ["sixty", "world=60&view=session:s3", WIDE, "both"],
  ["sixty-found", "world=60&view=session:s3&press=aside input&type=search", WIDE, "both"],
  ["sixty-order", "world=60&view=session:s3&press=[aria-label='Order and state']", WIDE, "both"],
  [
    "several",
    `view=session:s3&dialog=${dialog({ kind: "several", how: "stop", ids: ["s2", "s3", "s4", "s7"] })}`,
    WIDE,
    "both",
  ],
  ["every", "world=every", WIDE, "both"],
  ["why", "view=session:s3&press=.status", WIDE, "both"],
  ["phone-why", "view=session:s3&press=.status", PHONE],
  ["asks", "world=every&view=session:e21", WIDE, "both"],
  ["limit", "world=every&view=session:e22", WIDE, "both"],
  ["limit-by-itself", "world=every&view=session:e23", WIDE],
  ["phone-limit", "world=every&view=session:e22", PHONE],
  ["failed", "world=every&view=session:e25", WIDE, "both"],
  ["phone-failed", "world=every&view=session:e25", PHONE],
  ["retrying", "world=every&view=session:e26", WIDE],
  ["phone-retrying", "world=every&view=session:e26", PHONE, "both"],
  ["budget", "world=every&view=session:e24", WIDE, "both"],
  ["phone-budget", "world=every&view=session:e24", PHONE],
  ["half-asks", "world=every&view=session:e21", HALF],
  ["long", "world=long&view=session:s3", WIDE],
  ["session", "view=session:s3", WIDE, "both"],
  ["panes-2", "view=session:s3&panes=s3,s2", WIDE, "both"],
  ["panes-4", "view=session:s3&panes=s1,s2/s3,s4", WIDE, "both"],
  ["panes-6", "view=session:s2&panes=s1,s2,s3/s4,s5,s7", WIDE, "both"],
  ["panes-6-big", "view=session:s2&panes=s1,s2,s3/s4,s5,s7", BIG],
  ["panes-long", "world=long&view=session:s3&panes=s1,s2,s3/s4,s6,s7", WIDE, "both"],
  ["panes-empty", "view=session:s2&panes=s1,s2/,s99", WIDE, "both"],
  ["panes-empty-focus", "world=60&view=session:s2&panes=,s2", WIDE],
  ["panes-half", "view=session:s3&panes=s1,s2,s3/s4,s5,s7", { width: 960, height: 760 }],
  ["panes-narrow", "view=session:s3&panes=s1,s2,s3/s4,s5,s7", HALF],
  ["panes-zoomed", "view=session:s3&panes=s1,s2/s3,s4&zoomed", WIDE, "both"],
  ["signs", "view=session:s2", WIDE, "both"],
  ["queue", "view=session:s2", WIDE, "both"],
  ["phone-queue", "view=session:s2", PHONE],
  [
    "files",
    "view=session:s2&press=[data-region=composer] textarea&type=Move the discounts out of @ca",
    WIDE,
    "both",
  ],
  ["phone-files", "view=session:s2&press=[data-region=composer] textarea&type=See @ca", PHONE],
  [
    "new-files",
    `dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] textarea&type=Move the discounts out of @ca`,
    WIDE,
    "both",
  ],
  ["workers", "view=session:s1&tab=workers", WIDE, "both"],
  ["workers-queued", "world=queued&view=session:s1&tab=workers", WIDE, "both"],
  ["phone-workers-queued", "world=queued&view=session:s1&tab=workers", PHONE],
  ["changes", 'view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]', WIDE, "both"],
  [
    "changes-find",
    'view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]&focus=.lines&key=/&type=total',
    WIDE,
    "both",
  ],
  [
    "changes-line",
    'view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]&focus=.lines&key=ArrowDown',
    WIDE,
    "both",
  ],
  [
    "changes-clash",
    'world=clash&view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]',
    WIDE,
    "both",
  ],
  [
    "phone-changes-clash",
    'world=clash&view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]',
    PHONE,
  ],
  ["board-clash", "world=clash", WIDE, "both"],
  [
    "changes-discarded",
    "view=session:s3&tab=changes&press=[aria-label='Discard the changes of this file']",
    WIDE,
    "both",
  ],
  [
    "changes-approved",
    'world=reviewed&view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]',
    WIDE,
    "both",
  ],
  [
    "changes-outdated",
    'world=reviewed&view=session:s2&tab=changes&press=[data-path="src/cart/cart.ts"]',
    WIDE,
    "both",
  ],
  ["changes-requested", "world=reviewed&view=session:s4&tab=changes", HALF, "both"],
  ["phone-changes-approved", "world=reviewed&view=session:s3&tab=changes", PHONE, "both"],
  ["board-reviewed", "world=reviewed", WIDE, "both"],
  ["reviewed-details", "world=reviewed&view=session:s3", WIDE],
  ["changes-half", 'view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]', HALF],
  ["phone-changes", 'view=session:s3&tab=changes&press=[data-path="src/cart/cart.ts"]', PHONE],
  [
    "changes-split",
    'view=session:s3&tab=changes&press=label:has(input[value="split"])',
    WIDE,
    "both",
  ],
  ["away", "view=home&left=1440", WIDE, "both"],
  ["phone-away", "view=home&left=1440", PHONE],
  ["board-red", "world=board&fix", WIDE, "both"],
  ["phone-board-red", "world=board&fix", PHONE],
  ["plans", "view=plans", WIDE, "both"],
  ["plans-none", "plans=none&view=plans", WIDE],
  ["half-plans", "plans=long&view=plans", HALF],
  ["phone-plans", "view=plans", PHONE, "both"],
  ["plan", "view=plan:pl1", WIDE, "both"],
  ["plan-task", "view=plan:pl1&task=api", WIDE],
  ["plan-graph", "view=plan:pl1&form=graph&task=api", WIDE, "both"],
  ["plan-graph-phases", "plans=phases&view=plan:pl1&form=graph", WIDE],
  ["plan-graph-60", "plans=60&view=plan:pl1&form=graph", WIDE, "both"],
  ["plan-graph-300", "plans=300&view=plan:pl1&form=graph", BIG],
  ["plan-graph-long", "plans=long&view=plan:pl1&form=graph&task=t9", WIDE],
  ["plan-graph-alone", "view=plan:pl2&form=graph", WIDE],
  ["plan-graph-half", "view=plan:pl1&form=graph&task=api", HALF],
  ["phone-plan-graph", "view=plan:pl1&form=graph", PHONE],
  ["plan-timeline", "view=plan:pl1&form=timeline", WIDE, "both"],
  ["phone-plan-timeline", "view=plan:pl1&form=timeline", PHONE],
  ["plan-proposed", "view=plan:pl2", WIDE],
  ["plan-complete", "view=plan:pl3&press=summary", WIDE, "both"],
  ["plan-paused", "view=plan:pl4", WIDE],
  ["plan-handed-in", "plans=handed-in&view=plan:pl1", WIDE, "both"],
  ["plans-handed-in", "plans=handed-in&view=plans", WIDE],
  ["half-plan-handed-in", "plans=handed-in&view=plan:pl1", HALF],
  ["phone-plan-handed-in", "plans=handed-in&view=plan:pl1", PHONE],
  ["plan-long", "plans=long&view=plan:pl1&task=t9", WIDE],
  ["plan-one", "plans=1&view=plan:pl1", WIDE],
  ["plan-projects", "plans=projects&view=plan:pl1&task=api", WIDE, "both"],
  ["plan-graph-projects", "plans=projects&view=plan:pl1&form=graph&task=api", WIDE],
  ["plans-projects", "plans=projects&view=plans:p2", WIDE],
  ["plan-gone", "view=plan:nothing", WIDE],
  ["half-plan", "view=plan:pl1&task=api", HALF],
  ["phone-plan", "view=plan:pl1", PHONE, "both"],
  ["phone-plan-task", "view=plan:pl1&task=api", PHONE],
  ["plan-cancel", `view=plan:pl1&dialog=${dialog({ kind: "cancelPlan", planId: "pl1" })}`, WIDE],
  ["plan-resume", `view=plan:pl4&dialog=${dialog({ kind: "resumePlan", planId: "pl4" })}`, WIDE],
  ["plan-add", `view=plan:pl1&dialog=${dialog({ kind: "addTasks", planId: "pl1" })}`, WIDE, "both"],
  [
    "plan-edit",
    `view=plan:pl1&dialog=${dialog({ kind: "editTask", planId: "pl1", task: "form" })}`,
    WIDE,
  ],
  [
    "plan-edit-itself",
    `view=plan:pl4&dialog=${dialog({ kind: "editPlan", planId: "pl4" })}`,
    WIDE,
    "both",
  ],
  ["plan-landed", "view=plan:pl3&task=1", WIDE],
  ["plan-unmerged", "plans=unmerged&view=plan:pl3&task=4&press=summary", WIDE, "both"],
  ["plan-graph-unmerged", "plans=unmerged&view=plan:pl3&form=graph", WIDE],
  ["plans-unmerged", "plans=unmerged&view=plans", WIDE],
  ["phone-plan-unmerged", "plans=unmerged&view=plan:pl3", PHONE],
  [
    "phone-plan-edit-itself",
    `view=plan:pl4&dialog=${dialog({ kind: "editPlan", planId: "pl4" })}`,
    PHONE,
  ],
  [
    "plan-merge",
    `view=plan:pl1&dialog=${dialog({ kind: "mergePlan", planId: "pl1" })}`,
    WIDE,
    "both",
  ],
  [
    "plan-skip",
    `view=plan:pl1&dialog=${dialog({ kind: "skipWorker", planId: "pl1", worker: "backend-2" })}`,
    WIDE,
  ],
  [
    "new-plan",
    `dialog=${dialog({ kind: "newPlan" })}&tasks=${encodeURIComponent(TASKS)}`,
    WIDE,
    "both",
  ],
  [
    "plan-done-by-hand",
    `view=plan:pl1&dialog=${dialog({ kind: "doneByHand", planId: "pl1", worker: "backend-2" })}`,
    WIDE,
    "both",
  ],
  [
    "new-session-plan-hint",
    `dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] textarea&type=frontend: Build login UI %7C backend: Create JWT API %7C testing: Write tests`,
    WIDE,
    "both",
  ],
  [
    "phone-new-session-plan-hint",
    `dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] textarea&type=frontend: Build login UI %7C backend: Create JWT API %7C testing: Write tests`,
    PHONE,
  ],
  [
    "plan-priority",
    "view=plan:pl1&press=button[aria-label='More actions']&then=text=High priority",
    WIDE,
    "both",
  ],
  ["plan-menu", "view=plan:pl1&press=button[aria-label='More actions']", WIDE, "both"],
  [
    "plan-start-anew",
    `view=plan:pl1&dialog=${dialog({ kind: "retryWorker", planId: "pl1", worker: "backend" })}`,
    WIDE,
    "both",
  ],
  [
    "plan-retry-other",
    `view=plan:pl1&dialog=${dialog({ kind: "retryWorker", planId: "pl1", worker: "backend-2" })}`,
    WIDE,
  ],
  ["plan-worker-menu", "view=plan:pl1&press=button[aria-label='Actions for backend']", WIDE],
  [
    "new-plan-notes",
    `dialog=${dialog({ kind: "newPlan" })}&tasks=${encodeURIComponent(NOTED)}`,
    WIDE,
    "both",
  ],
  [
    "new-session-no-plan",
    `dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] textarea&type=Write tests of the cart, Write tests of the totals, Write tests of the discounts`,
    WIDE,
    "both",
  ],
  ["new-plan-empty", `dialog=${dialog({ kind: "newPlan" })}`, WIDE],
  [
    "new-plan-goal",
    `dialog=${dialog({ kind: "newPlan" })}&goal=${encodeURIComponent(GOAL)}`,
    WIDE,
    "both",
  ],
  ["new-plan-goal-planner", `planner=my-planner&dialog=${dialog({ kind: "newPlan" })}&goal=`, WIDE],
  [
    "phone-new-plan-goal",
    `dialog=${dialog({ kind: "newPlan" })}&goal=${encodeURIComponent(GOAL)}`,
    PHONE,
  ],
  [
    "new-plan-cycle",
    `dialog=${dialog({ kind: "newPlan" })}&tasks=${encodeURIComponent(CYCLE)}`,
    WIDE,
    "both",
  ],
  [
    "phone-new-plan",
    `dialog=${dialog({ kind: "newPlan" })}&tasks=${encodeURIComponent(TASKS)}`,
    PHONE,
  ],
  ["board-plan", "group=plan", WIDE, "both"],
  ["clean-up", `dialog=${dialog({ kind: "cleanUp", projectId: "p1" })}`, WIDE, "both"],
  ["phone-clean-up", `dialog=${dialog({ kind: "cleanUp", projectId: "p1" })}`, PHONE],
  ["story", "view=session:s3&tab=story", WIDE, "both"],
  ["story-half", "view=session:s3&tab=story", HALF],
  ["phone-story", "view=session:s3&tab=story", PHONE, "both"],
  ["story-empty", "world=queued&view=session:s4&tab=story", WIDE],
  ["changes-empty", "view=session:s3&tab=changes&changes=empty", WIDE],
  ["changes-500", "view=session:s3&tab=changes&changes=500", WIDE],
  ["changes-long", "view=session:s3&tab=changes&changes=long", WIDE, "both"],
  ["queued", "world=queued&view=session:s4", WIDE, "both"],
  ["phone-queued", "world=queued&view=session:s4", PHONE],
  ["checks", "view=session:s4", WIDE, "both"],
  ["checks-passed", "view=session:s2", WIDE],
  ["merge-menu", 'view=session:s2&press=[aria-label="Other ways to merge"]', WIDE, "both"],
  ["pull-red", "view=session:s4&press=.note.num", WIDE, "both"],
  ["pull-menu", 'view=session:s4&press=[aria-label="Actions for pull request #42"]', WIDE, "both"],
  ...["edit", "comment", "labels", "reviewers", "close"].map((what) => [
    `pull-${what}`,
    `view=session:s4&dialog=${dialog({ kind: "changePull", sessionId: "s4", number: 42, what })}`,
    WIDE,
    "both",
  ]),
  [
    "phone-pull-labels",
    `view=session:s4&dialog=${dialog({ kind: "changePull", sessionId: "s4", number: 42, what: "labels" })}`,
    PHONE,
  ],
  [
    "reaction-history",
    `view=session:s4&dialog=${dialog({ kind: "reactionHistory", sessionId: "s4" })}`,
    WIDE,
    "both",
  ],
  [
    "reaction-history-none",
    `view=session:s3&dialog=${dialog({ kind: "reactionHistory", sessionId: "s3" })}`,
    WIDE,
  ],
  [
    "phone-reaction-history",
    `view=session:s4&dialog=${dialog({ kind: "reactionHistory", sessionId: "s4" })}`,
    PHONE,
  ],
  [
    "reaction-rules",
    `dialog=${dialog({ kind: "projectReactions", projectId: "p1" })}&press=summary`,
    WIDE,
    "both",
  ],
  [
    "phone-reaction-rules",
    `dialog=${dialog({ kind: "projectReactions", projectId: "p1" })}`,
    PHONE,
  ],
  ["fix", "view=fix:p1", WIDE, "both"],
  [
    "fix-start",
    `fix=left&view=fix:p1&dialog=${dialog({ kind: "startFix", projectId: "p1" })}`,
    WIDE,
    "both",
  ],
  [
    "phone-fix-start",
    `fix=left&view=fix:p1&dialog=${dialog({ kind: "startFix", projectId: "p1" })}`,
    PHONE,
  ],
  ["fix-none", "view=fix:p2", WIDE],
  ...["left", "budget", "nothing", "failed", "looking"].flatMap((kind) => [
    [`fix-${kind}`, `fix=${kind}&view=fix:p1`, WIDE, "both"],
    [`phone-fix-${kind}`, `fix=${kind}&view=fix:p1`, PHONE],
  ]),
  ["fix-half", "view=fix:p1", HALF],
  ["phone-fix", "view=fix:p1", PHONE],
  ["merge-queue", "view=queue:p1", WIDE, "both"],
  ["merge-queue-paused", "view=queue:p1&press=header button:has-text('Pause')", WIDE, "both"],
  ["merge-queue-none", "view=queue:p2", WIDE],
  ["merge-queue-half", "view=queue:p1", HALF],
  ["merge-queue-long", "world=long&view=queue:p1", WIDE],
  ["phone-merge-queue", "view=queue:p1", PHONE],
  ["phone-merge-queue-long", "world=long&view=queue:p1", PHONE],
  [
    "reactions-menu",
    'view=session:s4&press=[aria-label="Actions for Review comments"]',
    WIDE,
    "both",
  ],
  ["compare", "world=pair&view=compare:s8,s9", WIDE, "both"],
  [
    "compare-keep",
    `world=pair&view=compare:s8,s9&dialog=${dialog({ kind: "keep", sessionId: "s8", others: ["s9"] })}`,
    WIDE,
    "both",
  ],
  [
    "compare-file",
    "world=pair&view=compare:s8,s9&press=[aria-label='Show the changes of src/cart.ts']",
    FLEET,
    "both",
  ],
  [
    "compare-file-one",
    "world=pair&view=compare:s8,s9&press=[aria-label='Show the changes of docs/totals.png']",
    WIDE,
  ],
  [
    "phone-compare-file",
    "world=pair&view=compare:s8,s9&press=[aria-label='Show the changes of src/cart.ts']",
    PHONE,
    "both",
  ],
  ["compare-half", "world=pair&view=compare:s8,s9", HALF],
  ["phone-compare", "world=pair&view=compare:s8,s9", PHONE],
  ["compare-workers", "view=session:s1&tab=workers&compare=s2,s3,s4", WIDE, "both"],
  ["shell", "view=session:s3&shells=1&shell=1", WIDE, "both"],
  ["shells", "view=session:s3&shells=6&shell=2", WIDE, "both"],
  ["shells-agent", "view=session:s2&shells=2", WIDE],
  ["half-shells", "view=session:s3&shells=6&shell=4", HALF],
  ["phone-shells", "view=session:s3&shells=6&shell=1", PHONE],
  ["long-shells", "world=long&view=session:s3&shells=6&shell=6", WIDE],
  [
    "close-shell",
    `view=session:s3&shells=2&shell=2&dialog=${dialog({ kind: "closeShell", sessionId: "s3", shell: "s3-shell-2", number: 2, program: "npm" })}`,
    WIDE,
    "both",
  ],
  [
    "kill-shells",
    `view=session:s3&shells=3&dialog=${dialog({ kind: "kill", sessionId: "s3" })}`,
    WIDE,
  ],
  [
    "remove-shells",
    `view=session:s7&shells=3&dialog=${dialog({ kind: "remove", sessionId: "s7" })}`,
    WIDE,
    "both",
  ],
  ["spawning", "view=session:s5", WIDE],
  ["setup-failed", "view=session:s6", WIDE],
  ["attention", "view=attention", WIDE, "both"],
  ["attention-snoozed", "world=snoozed&view=attention&press=summary", WIDE, "both"],
  ["no-progress", "world=circles&view=attention", WIDE, "both"],
  ["phone-no-progress", "world=circles&view=attention", PHONE],
  ["sidebar-rename", "view=session:s3&focus=[data-row=s2]&key=F2", WIDE],
  ["text-large", "world=board-60&text=17", WIDE, "both"],
  ["text-large-session", "view=session:s3&text=17", WIDE],
  ["text-small", "world=board-60&text=11", WIDE],
  ["stop-all", `dialog=${dialog({ kind: "stopAll" })}`, WIDE, "both"],
  ["attention-long", "world=long&view=attention", WIDE],
  ["attention-none", "world=1&view=attention", WIDE],
  ["attention-60", "world=60&view=attention", WIDE],
  ["cost", "view=cost", WIDE, "both"],
  ["cost-phone", "view=cost", PHONE],
  ["cost-none", "world=1&view=cost", WIDE],
  ["timeline", "view=timeline", WIDE, "both"],
  ["timeline-fleet", "world=showcase&plans=none&view=timeline", WIDE, "both"],
  ["timeline-60", "world=board-60&view=timeline", WIDE, "both"],
  ["timeline-300", "world=board-300&view=timeline", BIG],
  ["timeline-4h", 'world=board-60&view=timeline&press=label:has(input[value="4"])', WIDE],
  ["timeline-7d", 'world=board-60&view=timeline&press=label:has(input[value="168"])', WIDE, "both"],
  ["timeline-archived", 'archived&view=timeline&press=label:has(input[value="168"])', WIDE, "both"],
  ["timeline-one", "world=1&view=timeline", WIDE, "both"],
  ["timeline-none", "world=0&view=timeline", WIDE, "both"],
  ["timeline-quiet", "timeline=none&view=timeline:p2", WIDE],
  ["timeline-broken", "timeline=broken&view=timeline", WIDE],
  ["timeline-long", "world=long&view=timeline", WIDE],
  ["half-timeline", "world=board-60&view=timeline", HALF],
  ["phone-timeline", "world=board-60&view=timeline", PHONE, "both"],
  ["phone-timeline-none", "world=0&view=timeline", PHONE],
  ["settings", "view=settings:general", WIDE, "both"],
  ["settings-notifiers", "view=settings:notifiers", WIDE, "both"],
  ["phone-settings-notifiers", "view=settings:notifiers", PHONE],
  ["settings-forges", "view=settings:forges", WIDE, "both"],
  ["phone-settings-forges", "view=settings:forges", PHONE],
  ["settings-agents", "view=settings:agents", WIDE],
  ["settings-projects", "view=settings:projects", WIDE, "both"],
  ["phone-settings-projects", "view=settings:projects", PHONE],
  ["settings-appearance", "view=settings:appearance", WIDE],
  ["settings-keys", "view=settings:keys", WIDE],
  ["settings-about", "view=settings:about", WIDE],
  ["new", `dialog=${dialog({ kind: "newSession" })}`, WIDE, "both"],
  ["prompts", "prompts&view=session:s2&press=[aria-label='Saved prompts']", WIDE, "both"],
  [
    "prompts-found",
    "prompts&view=session:s2&press=[aria-label='Saved prompts']&type=commit",
    WIDE,
    "both",
  ],
  ["prompts-none", "view=session:s2&press=[aria-label='Saved prompts']", WIDE, "both"],
  [
    "prompts-focus",
    "prompts&view=session:s2&press=[aria-label='Saved prompts']&focus=[aria-label='Insert Rebase']&key=ArrowDown",
    WIDE,
    "both",
  ],
  [
    "prompts-rename",
    "prompts&view=session:s2&press=[aria-label='Saved prompts']&focus=[aria-label='Insert Rebase']&key=F2",
    WIDE,
  ],
  ["phone-prompts", "prompts&view=session:s2&press=[aria-label='Saved prompts']", PHONE, "both"],
  [
    "prompts-save",
    `prompts&prompt=Rebase onto main and run the tests&dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] [aria-label='Saved prompts']&then=text=Save this text`,
    WIDE,
    "both",
  ],
  [
    "phone-prompts-new",
    `prompts&dialog=${dialog({ kind: "newSession" })}&press=[role=dialog] [aria-label='Saved prompts']`,
    PHONE,
  ],
  [
    "new-kept",
    `prompt=Move the discounts out of the cart&dialog=${dialog({ kind: "newSession" })}`,
    WIDE,
    "both",
  ],
  ["fork", `dialog=${dialog({ kind: "fork", sessionId: "s7" })}`, WIDE, "both"],
  ["phone-fork", `dialog=${dialog({ kind: "fork", sessionId: "s7" })}`, PHONE],
  ["restart", `dialog=${dialog({ kind: "restart", sessionId: "s2" })}`, WIDE, "both"],
  ["hand-over", `dialog=${dialog({ kind: "handOver", sessionId: "s2" })}`, WIDE, "both"],
  ["archive", `archived&dialog=${dialog({ kind: "archive", projectId: "p1" })}`, WIDE, "both"],
  ["archive-none", `dialog=${dialog({ kind: "archive", projectId: "p1" })}`, WIDE],
  ["phone-archive", `archived&dialog=${dialog({ kind: "archive", projectId: "p1" })}`, PHONE],
  ["phone-restart", `dialog=${dialog({ kind: "restart", sessionId: "s2" })}`, PHONE],
  ["phone-hand-over", `dialog=${dialog({ kind: "handOver", sessionId: "s2" })}`, PHONE],
  ["phone-asks", "world=every&view=session:e21", PHONE],
  ["no-conversation", "view=session:s7&missing=conversation", WIDE, "both"],
  ["no-folder", "view=session:s7&missing=folder", HALF],
  ["new-two", `dialog=${dialog({ kind: "newSession", several: true })}`, WIDE, "both"],
  ["phone-new-two", `dialog=${dialog({ kind: "newSession", several: true })}`, PHONE],
  ["new-approve", `dialog=${dialog({ kind: "newSession", projectId: "p2" })}`, WIDE],
  ["new-worker", `dialog=${dialog({ kind: "newSession", projectId: "p1", parent: "s1" })}`, WIDE],
  [
    "add",
    `desktop&dialog=${dialog({ kind: "addProject", path: "/home/ada/code/other" })}`,
    WIDE,
    "both",
  ],
  ["add-plain", `dialog=${dialog({ kind: "addProject", path: "/home/ada/plain" })}`, WIDE],
  ["add-bare", `dialog=${dialog({ kind: "addProject", path: "/home/ada/bare.git" })}`, WIDE],
  [
    "add-known",
    `dialog=${dialog({ kind: "addProject", path: "/home/ada/code/storefront" })}`,
    WIDE,
  ],
  ["palette", `view=session:s3&dialog=${dialog({ kind: "palette" })}`, WIDE, "both"],
  [
    "palette-prompt",
    `prompts&view=session:s2&dialog=${dialog({ kind: "palette" })}&type=re`,
    WIDE,
    "both",
  ],
  ["search", `dialog=${dialog({ kind: "palette", said: true })}&type=tests`, WIDE, "both"],
  ["search-none", `dialog=${dialog({ kind: "palette", said: true })}`, WIDE],
  ["phone-search", `dialog=${dialog({ kind: "palette", said: true })}&type=tests`, PHONE],
  ["keys", `dialog=${dialog({ kind: "keys" })}`, WIDE],
  ["kill", `view=session:s3&dialog=${dialog({ kind: "kill", sessionId: "s3" })}`, WIDE],
  [
    "kill-workers",
    `view=session:s1&dialog=${dialog({ kind: "killWorkers", sessionId: "s1" })}`,
    WIDE,
  ],
  ["remove", `view=session:s7&dialog=${dialog({ kind: "remove", sessionId: "s7" })}`, WIDE, "both"],
  ["restore", `view=session:s7&dialog=${dialog({ kind: "restore", sessionId: "s7" })}`, WIDE],
  ["rename", `view=session:s3&dialog=${dialog({ kind: "rename", sessionId: "s3" })}`, WIDE],
  ["quit", `desktop&dialog=${dialog({ kind: "quit" })}`, WIDE],
  [
    "move-project",
    `desktop&dialog=${dialog({ kind: "moveProject", projectId: "p1" })}`,
    WIDE,
    "both",
  ],
  [
    "phone-move-project",
    `desktop&dialog=${dialog({ kind: "moveProject", projectId: "p1" })}`,
    PHONE,
  ],
  ["remove-project", `dialog=${dialog({ kind: "removeProject", projectId: "p1" })}`, WIDE],
  ["remove-ended", `dialog=${dialog({ kind: "removeEnded", scope: { projectId: "p2" } })}`, WIDE],
  [
    "remove-ended-many",
    `world=60&dialog=${dialog({ kind: "removeEnded", scope: { projectId: "p1" } })}`,
    WIDE,
    "both",
  ],
  ["trust", `dialog=${dialog({ kind: "trust", projectId: "p2" })}`, WIDE, "both"],
  ["phone-workers", "view=session:s1&tab=workers", PHONE],
  ["notices", "notices", WIDE, "both"],
  ["notices-plans", "notices=plans&press=summary", WIDE, "both"],
  ["phone-notices-plans", "drawer&notices=plans", PHONE],
  ["lost", "trouble=lost&view=session:s3", WIDE],
  ["refused", "trouble=refused", WIDE],
  ["loading", "trouble=slow", WIDE],
  ["half-session", "view=session:s3", HALF],
  ["half-attention", "view=attention", HALF],
  ["half-drawer", "view=session:s3&drawer", HALF],
  ["phone-home", "", PHONE],
  ["phone-drawer", "drawer&world=60", PHONE, "both"],
  ["phone-session", "view=session:s3", PHONE],
  ["phone-long", "view=session:s3&world=long", PHONE],
  ["phone-attention", "view=attention&world=long", PHONE],
  ["phone-settings", "view=settings:general", PHONE],
  ["phone-keys", "view=settings:keys", PHONE],
  ["phone-new", `dialog=${dialog({ kind: "newSession" })}`, PHONE],
  ["phone-remove", `dialog=${dialog({ kind: "remove", sessionId: "s7" })}`, PHONE],
  ["phone-notices", "drawer&notices", PHONE],
];

const { address, close } = await serveFixtures();
const profile = mkdtempSync(join(tmpdir(), "shots-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
  reducedMotion: "reduce",
});
const page = await context.newPage();
let broken = 0;
page.on("pageerror", (error) => {
  broken += 1;
  console.error(`  ${page.url()}: ${error.message}`);
});
page.on("console", (message) => message.type() === "error" && console.error(`  ${message.text()}`));

for (const [name, query, size, themes] of SHOTS) {
  if (only && !new RegExp(only).test(name)) continue;
  await page.setViewportSize(size);
  for (const theme of themes === "both" ? ["dark", "light"] : ["dark"]) {
    await page.goto(`${address}?theme=${theme}&${query}`);
    await page.waitForFunction(() => document.fonts.status === "loaded");
    await page.waitForTimeout(name === "loading" ? 900 : 1_300);
    const press = new URLSearchParams(query).get("press");
    if (press) {
      await page.click(press);
      await page.waitForTimeout(300);
    }
    const then = new URLSearchParams(query).get("then");
    if (then) {
      await page.click(then);
      await page.waitForTimeout(300);
    }
    const focus = new URLSearchParams(query).get("focus");
    if (focus) {
      await page.focus(focus);
      await page.keyboard.press(new URLSearchParams(query).get("key"));
    }
    const type = new URLSearchParams(query).get("type");
    if (type) {
      // A leading slash is the key that leads to the filter of the board.
      if (type.startsWith("/")) await page.locator("main input").first().focus();
      await page.locator("input:focus, textarea:focus").waitFor();
      await page.keyboard.type(type.replace(/^\//, ""));
      await page.waitForTimeout(600);
    }
    const file = `${name}${theme === "light" ? "-light" : ""}`;
    await page.screenshot({ path: join(out, `${file}.png`) });
    if (guide && IN_GUIDE.includes(file))
      copyFileSync(join(out, `${file}.png`), join(guide, `${file}.png`));
  }
}
await context.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
await close();
process.exitCode = broken === 0 ? 0 : 1;
