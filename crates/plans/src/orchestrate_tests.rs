//! Tests of what people write who bring tasks for `/orchestrate` along: every keyword, every form and every example, and what becomes
//! of it here. Who starts the workers, and how they are watched, is the engine's.

use crate::domain::{Domains, GENERAL};
use crate::forms::{Meant, read_file, read_goal, read_planner};
use crate::plan::Plan;
use crate::record::{PlanRecord, PlanState};
use crate::results::result_names;
use crate::schedule::ShareState;
use crate::share::{Split, shares};
use crate::text::{prompt, report};
use crate::tick::{lines, tick};
use crate::worth::worth;
use downbeat_model::{PlanId, ProjectId, SessionId};
use jiff::Timestamp;

/// A chain of three tasks, as each of them is typed.
const CHAIN: [&str; 3] = [
    "Set up database (id: db)",
    "Create API (id: api) (depends_on: db)",
    "Build UI (id: ui) (depends_on: api)",
];

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap()
}

fn session() -> SessionId {
    SessionId::parse("s000000000001").unwrap()
}

fn listed(text: &str) -> Plan {
    read_goal(text, &Domains::default()).unwrap()
}

/// Returns a plan that runs from the first minute, with a worker for each domain.
fn running(plan: Plan) -> PlanRecord {
    let (id, project) = ("pl000000000001", "p000000000001");
    let (id, project) = (PlanId::parse(id).unwrap(), ProjectId::parse(project).unwrap());
    let mut plan = PlanRecord::new(id, project, plan, Split::Domain, at(0));
    (plan.state, plan.started_at) = (PlanState::Running, Some(at(0)));
    plan
}

/// Starts all workers of a plan at once, lets each work for its minutes, and ends the plan with the last of them.
fn worked(mut plan: PlanRecord, minutes: &[i64]) -> PlanRecord {
    assert_eq!(plan.shares.len(), minutes.len());
    for place in 0..minutes.len() {
        assert!(plan.claim(place, session(), at(0)), "{place} waits for nobody");
    }
    for (place, minute) in minutes.iter().enumerate() {
        plan.done(place, None, at(*minute));
    }
    let last = minutes.iter().max().copied().unwrap_or_default();
    (plan.state, plan.ended_at) = (PlanState::Complete, Some(at(last)));
    plan
}

fn title<'a>(plan: &'a Plan, id: &str) -> &'a str {
    let mut tasks = plan.tasks.iter();
    tasks
        .find(|task| task.id.as_str() == id)
        .map_or("", |task| task.title.as_str())
}

/// Formats each worker of a plan as `name: title + title`.
fn workers(plan: &Plan, split: Split) -> Vec<String> {
    let mut words = Vec::new();
    for share in shares(plan, split) {
        let titles: Vec<&str> = share.tasks.iter().map(|id| title(plan, id)).collect();
        words.push(format!("{}: {}", share.name, titles.join(" + ")));
    }
    words
}

/// Says what holds each worker that waits.
fn held(plan: &PlanRecord) -> Vec<String> {
    let held = plan.schedule().held;
    held.iter().map(|(_, held)| plan.held(held)).collect()
}

#[test]
fn each_keyword_of_each_domain_finds_that_domain() {
    let table = [
        ("frontend", "ui, ux, component, react, vue, css, tailwind, form"),
        ("backend", "api, endpoint, server, jwt, oauth, middleware"),
        ("testing", "test, spec, coverage, jest, pytest, e2e"),
        ("database", "sql, migration, schema, orm, postgres, mongodb"),
        ("devops", "docker, kubernetes, ci/cd, deploy, terraform"),
        ("security", "audit, penetration, vulnerability, owasp, encryption"),
        ("ml", "model, training, dataset, neural network, pytorch"),
        ("mobile", "ios, android, react native, flutter"),
        ("documentation", "docs, readme, api docs, guide"),
    ];
    let domains = Domains::default();
    assert_eq!(domains.names(), table.map(|(domain, _)| domain));
    for (domain, words) in table {
        for word in words.split(", ") {
            let texts = [
                format!("Look at the {word} again"),
                format!("{}: look at it", word.to_uppercase()),
            ];
            for text in texts {
                assert_eq!(domains.of(&text), domain, "{text}");
            }
        }
    }
}

#[test]
fn a_domain_that_a_person_adds_is_found_by_each_of_its_words() {
    let words = ["smart contract", "web3", "ethereum"].map(str::to_owned);
    let (known, own) = (Domains::default(), Domains::default().with("blockchain", words));
    for (text, before) in [
        ("Deploy the smart contract", "devops"),
        ("Connect web3", GENERAL),
        ("Read from Ethereum", GENERAL),
    ] {
        assert_eq!((known.of(text), own.of(text)), (before, "blockchain"), "{text}");
    }
}

#[test]
fn a_domain_before_a_colon_needs_no_blank_and_need_not_be_known() {
    for (text, expected) in [
        (
            "frontend:Build login page | backend:Create API | testing:Write E2E tests",
            vec![
                "frontend: Build login page",
                "backend: Create API",
                "testing: Write E2E tests",
            ],
        ),
        (
            "blockchain:Deploy smart contract | defi:Build liquidity pool",
            vec!["blockchain: Deploy smart contract", "defi: Build liquidity pool"],
        ),
    ] {
        assert_eq!(workers(&listed(text), Split::Domain), expected, "{text}");
    }
}

#[test]
fn a_list_in_a_block_of_its_own_is_the_list() {
    let text = "Build login UI, Create JWT API, Write tests, Security audit";
    let block = format!("\n    {text}\n");
    assert_eq!(listed(&block).tasks, listed(text).tasks);
}

#[test]
fn a_list_may_be_pasted_with_the_command_before_it() {
    let text = "Build login UI, Create JWT API, Write tests";
    assert_eq!(listed(&format!("/orchestrate {text}")).tasks, listed(text).tasks);
    let quoted = "/orchestrate \\\n  \"Build login UI\" \\\n  \"Create JWT API\"";
    assert_eq!(listed(quoted).tasks.len(), 2);
    assert_eq!(
        title(&listed("/orchestrated tasks are shown, Write tests"), "1"),
        "/orchestrated tasks are shown"
    );
}

#[test]
fn four_tasks_of_four_domains_are_four_workers_that_start_at_once() {
    let plan = listed("Build login UI, Create JWT API, Write tests, Security audit");
    let expected = [
        "frontend: Build login UI",
        "backend: Create JWT API",
        "testing: Write tests",
        "security: Security audit",
    ];
    assert_eq!(workers(&plan, Split::Domain), expected);
    let made = running(plan).schedule();
    assert_eq!((made.start, made.held), (vec![0, 1, 2, 3], vec![]));
}

#[test]
fn six_tasks_of_three_domains_are_three_workers_with_two_each() {
    let plan = listed("Build UI, Create API, Write tests, Form valid, JWT auth, E2E specs");
    let expected = [
        "frontend: Build UI + Form valid",
        "backend: Create API + JWT auth",
        "testing: Write tests + E2E specs",
    ];
    assert_eq!(workers(&plan, Split::Domain), expected);
    assert_eq!(running(plan).schedule().start, [0, 1, 2]);
}

#[test]
fn three_workers_start_at_once_whether_or_not_their_domains_are_named() {
    let expected = [
        "frontend: Build login UI component",
        "backend: Create authentication API",
        "testing: Write E2E tests for auth flow",
    ];
    for text in [
        "Build login UI component, Create authentication API, Write E2E tests for auth flow".to_owned(),
        expected.join(" | "),
    ] {
        let plan = listed(&text);
        assert_eq!(workers(&plan, Split::Domain), expected, "{text}");
        assert_eq!(running(plan).schedule().start, [0, 1, 2], "{text}");
    }
}

#[test]
fn tasks_that_a_program_hands_in_with_their_domains_are_started_and_none_fails() {
    let text = r#"[{"title": "Build login UI", "domain": "frontend"}, {"title": "Create JWT API", "domain": "backend"}]"#;
    let mut plan = running(read_planner(text, &Domains::default()).unwrap());
    for place in plan.schedule().start {
        assert!(plan.claim(place, session(), at(0)));
    }
    let are = |state: ShareState| {
        let all = plan.shares.iter().filter(|one| one.state == state);
        all.map(|one| one.share.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(are(ShareState::Running), ["frontend", "backend"]);
    assert_eq!(are(ShareState::Failed), [""; 0]);
}

#[test]
fn a_chain_is_the_same_in_one_argument_each_in_quotes_and_over_several_lines() {
    let quoted = CHAIN.map(|task| format!("\"{task}\""));
    let tasks = listed(&CHAIN.join(", ")).tasks;
    assert_eq!(tasks.len(), 3);
    // The command line puts each argument on a line of its own.
    for text in [CHAIN.join("\n"), quoted.join(" "), quoted.join(" \\\n  ")] {
        assert_eq!(listed(&text).tasks, tasks, "{text}");
    }
}

#[test]
fn a_backslash_before_the_first_quote_is_no_task() {
    let quoted = CHAIN.map(|task| format!("\"{task}\""));
    let tasks = listed(&CHAIN.join(", ")).tasks;
    for between in [" \\\n  ", " \\ "] {
        let text = format!("{}{}", between.trim_start(), quoted.join(between));
        let read = read_goal(&text, &Domains::default()).map(|plan| plan.tasks);
        assert_eq!(read.as_ref(), Ok(&tasks), "{text}");
    }
}

#[test]
fn each_task_of_a_chain_starts_when_the_one_before_it_is_done() {
    let mut plan = running(listed(&CHAIN.join("\n")));
    let waits = ["waits for database", "waits for backend"];
    for place in 0..3 {
        assert_eq!(plan.schedule().start, [place]);
        assert_eq!(held(&plan), waits[place..].to_vec());
        assert!(plan.claim(place, session(), at(0)));
        assert!(plan.schedule().start.is_empty(), "{place} is not done");
        plan.done(place, None, at(1));
    }
    assert!(plan.schedule().is_over);
}

#[test]
fn a_task_that_needs_two_starts_by_itself_when_both_are_done() {
    let text = "Build UI (id: A), Create API (id: B), Write tests (id: X) (depends_on: A,B)";
    let mut plan = running(listed(text));
    assert_eq!(held(&plan), ["waits for frontend, backend"]);
    for place in plan.schedule().start {
        assert!(plan.claim(place, session(), at(0)));
    }
    plan.done(0, None, at(1));
    assert_eq!(held(&plan), ["waits for backend"]);
    plan.done(1, None, at(2));
    assert_eq!((plan.schedule().start, held(&plan).len()), (vec![2], 0));
}

#[test]
fn skills_in_brackets_or_after_an_arrow_reach_the_worker() {
    let text = "Build login UI [Skill: frontend-design], Create JWT API → /go-api, Write tests [Skill: e2e] → /playwright";
    let plan = running(listed(text));
    let skills: Vec<String> = plan.plan.tasks.iter().map(|task| task.skills.join(" ")).collect();
    assert_eq!(skills, ["frontend-design", "go-api", "e2e playwright"]);
    let asked = prompt(&plan, 2, &[]);
    let wanted = "\n- Write tests\n  Use the skill e2e.\n  Use the skill playwright.\n";
    assert!(asked.contains(wanted), "{asked}");
    assert!(
        !asked.contains("Use the skill frontend-design"),
        "others have theirs: {asked}"
    );
}

#[test]
fn the_tasks_of_a_plan_file_are_grouped_by_domain_and_ticked_when_they_are_done() {
    let text = "# User sign-in\n\n- [ ] Build login UI [Skill: frontend-design]\n- [ ] Create the auth API [Skill: api-design]\n\
                - [ ] Validate the form [Skill: frontend-design]\n- [ ] Write E2E tests → /playwright\n";
    let plan = read_file(text.as_bytes(), None, &Domains::default()).unwrap();
    let expected = [
        "frontend: Build login UI + Validate the form",
        "backend: Create the auth API",
        "testing: Write E2E tests",
    ];
    assert_eq!(workers(&plan, Split::Domain), expected);
    let ticking = tick(text, (plan.form, None), &lines(&plan)).unwrap();
    assert!(ticking.missing.is_empty(), "{:?}", ticking.missing);
    assert_eq!(ticking.applied_to(text), text.replace("[ ]", "[x]"));
    assert_eq!(running(plan).schedule().start, [0, 1, 2]);
}

#[test]
fn a_plan_file_below_a_hidden_folder_is_a_file_and_no_issue() {
    for path in ["user-auth-plan.md", "payment-system-plan.md"] {
        assert_eq!(Meant::of(path), None, "{path}");
        assert_eq!(Meant::of(&format!(".opencode/plans/{path}")), None, "{path}");
    }
}

#[test]
fn several_workers_are_worthwhile_from_three_free_tasks_in_two_domains_on() {
    let chain = CHAIN.join(", ");
    for (text, worthwhile, why) in [
        (
            "Build UI, Style the form, Create API",
            true,
            "3 tasks can run at once, in 2 domains",
        ),
        (
            "Build UI, Create API",
            false,
            "2 tasks can run at once, in 2 domains: with fewer than 3, one worker is enough",
        ),
        (
            "Build UI, Style the form, Add a component",
            false,
            "3 tasks can run at once, in 1 domain: work of one domain is better done by one worker",
        ),
        (
            chain.as_str(),
            false,
            "1 task can run at once, in 1 domain: with fewer than 3, one worker is enough",
        ),
        // Tasks that wait for others do not make the free ones fewer.
        (
            "Build UI, Create API, Write tests, Write docs (depends_on: 1)",
            true,
            "3 tasks can run at once, in 3 domains",
        ),
    ] {
        let verdict = worth(&listed(text));
        assert_eq!(
            (verdict.worthwhile, verdict.why.as_str()),
            (worthwhile, why),
            "{text}"
        );
    }
}

#[test]
fn usual_goals_get_the_workers_and_the_advice_that_fit_them() {
    let across = "3 tasks can run at once, in 3 domains";
    let alone = "3 tasks can run at once, in 1 domain: work of one domain is better done by one worker";
    for (text, expected, advice) in [
        (
            "Build user registration UI, Create registration API, Add E2E tests",
            vec![
                "frontend: Build user registration UI",
                "backend: Create registration API",
                "testing: Add E2E tests",
            ],
            across,
        ),
        (
            "Run OWASP scan, Check dependencies for vulnerabilities, Audit authentication flow",
            vec![
                "security: Run OWASP scan + Check dependencies for vulnerabilities + Audit authentication flow",
            ],
            alone,
        ),
        (
            "Refactor frontend components, Update API contracts, Fix broken tests",
            vec![
                "frontend: Refactor frontend components",
                "backend: Update API contracts",
                "testing: Fix broken tests",
            ],
            across,
        ),
    ] {
        let plan = listed(text);
        assert_eq!(workers(&plan, Split::Domain), expected, "{text}");
        assert_eq!(worth(&plan).why, advice, "{text}");
        assert_eq!(workers(&plan, Split::Task).len(), 3, "{text}");
    }
}

#[test]
fn the_file_of_a_result_is_named_after_its_worker() {
    let expected = [
        "worker-frontend_result.json",
        "worker-backend_result.json",
        "worker-testing_result.json",
    ];
    assert_eq!(result_names(&["frontend", "backend", "testing"]), expected);
}

#[test]
fn the_report_counts_the_tasks_of_each_domain() {
    let text = "Build login UI, Create JWT API, Write tests, Security audit, Validate the form, Add the endpoint, \
                Add E2E specs, Style the CSS";
    let plan = worked(running(listed(text)), &[18, 16, 14, 12]);
    assert_eq!(
        report(&plan, at(999)),
        "[COMPLETE] All 4 workers finished\n- frontend: 3/3 tasks ✓\n- backend: 2/2 tasks ✓\n- testing: 2/2 tasks ✓\n\
         - security: 1/1 tasks ✓\nTotal time: 18 min (the workers worked 1 h 0 min together)\n"
    );
}

#[test]
fn the_report_says_how_long_the_plan_took_and_how_long_its_workers_worked_together() {
    for (minutes, said, times) in [
        (
            [6, 5, 4],
            "Total time: 6 min (the workers worked 15 min together)\n",
            "2.5",
        ),
        (
            [18, 15, 12],
            "Total time: 18 min (the workers worked 45 min together)\n",
            "2.5",
        ),
        (
            [35, 30, 25],
            "Total time: 35 min (the workers worked 1 h 30 min together)\n",
            "2.6",
        ),
    ] {
        let plan = worked(running(listed("Build UI, Create API, Write tests")), &minutes);
        let text = report(&plan, at(999));
        assert!(text.ends_with(said), "{text}");
        let together: i64 = plan.shares.iter().map(|one| one.worked(at(999))).sum();
        let faster = together as f64 / (60 * minutes[0]) as f64;
        assert_eq!(format!("{faster:.1}"), times, "{minutes:?}");
    }
}
