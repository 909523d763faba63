//! Tests with whole files: valid ones, invalid ones with positions, and edits that keep everything else.

use crate::host::config;
use crate::host::config::edit::edit;
use crate::host::config::global::{GlobalConfig, Limits, Location};
use crate::host::config::project::ProjectConfig;
use crate::host::config::{FILE, Kind, TrackerKind, load_global, parse, schema, validate};
use downbeat_plans::Domains;
use downbeat_yaml::{Error, Problem, Rules};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;

fn problems<T: DeserializeOwned + Default + JsonSchema + Rules>(text: &str) -> Vec<String> {
    match parse::<T>(Path::new("downbeat.yaml"), text) {
        Err(Error::Wrong(problems)) => problems.iter().map(Problem::to_string).collect(),
        Err(other) => vec![other.to_string()],
        Ok(_) => Vec::new(),
    }
}

fn edited(text: &str, changes: &[(&str, Value)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sub").join(FILE);
    if !text.is_empty() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let config = edit(&file, changes).unwrap();
    assert_eq!(load_global(&file).unwrap(), config);
    std::fs::read_to_string(&file).unwrap()
}

#[cfg(unix)]
#[test]
fn a_whole_file_is_read() {
    let text = r#"
defaults: { agent: codex, permissionMode: acceptEdits }
power:
  preventIdleSleep: false
worktrees:
  location: /srv/trees
ports: { from: 4000, to: 4100 }
agents:
  codex:
    command: [codex, --full-auto]
    resume: [codex, resume, --last]
    prompt: type
    env: { RUST_LOG: debug }
shell: /bin/zsh
"#;
    let config: GlobalConfig = parse(Path::new("x"), text).unwrap();
    assert_eq!(
        config.defaults.permission_mode,
        downbeat_model::PermissionMode::AcceptEdits
    );
    assert_eq!(config.worktrees.location, Location::Folder("/srv/trees".into()));
    let codex = &config.agents["codex"];
    assert_eq!(codex.prompt, downbeat_agents::PromptWay::Type);
    assert_eq!(codex.resume.as_ref().unwrap()[2], "--last");
    assert_eq!(config.shell.as_deref(), Some("/bin/zsh"));
    assert_eq!(config.limits, Limits::default());
    let text = "branch: x/{task-slug}\nsessionPrefix: web\nsetup:\n  - npm ci\n  - [make, a b]\n  - sh: a && b\ncopy: ['.env*']\n";
    let project: ProjectConfig = parse(Path::new("x"), text).unwrap();
    assert_eq!(project.branch_for("fix-it"), "x/fix-it");
    assert_eq!(
        project.setup_argv()[1..],
        [vec!["make", "a b"], vec!["sh", "-c", "a && b"]]
    );
    assert_eq!(
        parse::<ProjectConfig>(Path::new("x"), "# only this\n").unwrap(),
        ProjectConfig::default()
    );
}

#[test]
fn every_mistake_is_reported_with_its_position_and_the_nearest_word() {
    let text =
        "power:\n  preventIdleSlep: yes\nappearance:\n  theme: drak\n  terminalFontSize: 99\nlimit: 3\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(text).join("\n"), @r#"
    downbeat.yaml:2:3: unknown key `preventIdleSlep` in `power`; known are preventIdleSleep; did you mean `preventIdleSleep`?
    downbeat.yaml:4:10: `appearance.theme` is "drak"; expected one of system, light, dark; did you mean `dark`?
    downbeat.yaml:5:21: `appearance.terminalFontSize` is 99; expected a whole number from 8 to 32
    downbeat.yaml:6:1: unknown key `limit`; known are agents, appearance, budgets, defaults, domains, editor, forges, keys, limits, notifications, notifiers, planTemplates, planner, ports, power, shell, trackers, usageLimits, watchdog, worktrees; did you mean `limits`?
    "#);
    let text = "power: { preventIdleSleep: yes }\nagents: { x: { name: X, comand: [x] } }\nports: 3\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(text).join("\n"), @r#"
    downbeat.yaml:1:28: `power.preventIdleSleep` is "yes"; expected true or false
    downbeat.yaml:2:25: unknown key `comand` in `agents.x`; known are adapter, aliases, briefing, clear, command, conversation, env, fork, install, interrupt, limits, model, name, once, onceReads, permission, prompt, promptAfterTools, promptBox, promptOption, questions, resume, retries, screen, spawnable, title, tools, tried; did you mean `command`?
    downbeat.yaml:2:16: `agents.x` lacks `command`
    downbeat.yaml:3:8: `ports` is 3; expected a mapping
    "#);
}

#[test]
fn a_forge_has_the_addresses_that_its_kind_needs() {
    let text = "forges:\n  git.corp: { kind: gitlab, api: https://git.corp/api/v4 }\n  gitlab.corp: { graphql: x }\n  \
                ghe.corp: { api: https://ghe.corp/api/v3 }\n  other: { kind: gitea }\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(text).join("\n"), @r#"downbeat.yaml:5:18: `forges.other.kind` is "gitea"; expected one of github, gitlab; did you mean `gitlab`?"#);
    let found = problems::<GlobalConfig>(&text.replace("gitea", "github"));
    let ends = [
        "`forges.ghe.corp.api`: GitHub needs `graphql` beside it; or is this `kind: gitlab`?",
        "`forges.gitlab.corp.graphql`: GitLab is asked over `api` alone",
    ];
    assert_eq!(found.len(), ends.len(), "{found:#?}");
    for (problem, end) in found.iter().zip(ends) {
        assert!(problem.ends_with(end), "{problem}");
    }
}

#[test]
fn a_tracker_is_named_and_no_secret_is_in_a_file() {
    let text = "forges:\n  github.com: { webhookSecret: s3cret }\ntrackers: { linear: { apiKey: s3cret } }\ndefaults: { tracker: linear }\n";
    let found = problems::<GlobalConfig>(text);
    assert_eq!(found.len(), 2, "{found:#?}");
    for (problem, key) in found
        .iter()
        .zip(["forges.github.com.webhookSecret", "trackers.linear.apiKey"])
    {
        assert!(
            problem.contains(key)
                && problem.contains("keep it out of this file")
                && !problem.contains("s3cret"),
            "{problem}"
        );
    }
    let named = text.replace("webhookSecret: s3cret", "webhookSecret: '${HOOK}'");
    let named = named.replace("apiKey: s3cret", "apiKey: file:~/linear");
    assert_eq!(problems::<GlobalConfig>(&named), Vec::<String>::new());
    let tracker = |text: &str| {
        parse::<ProjectConfig>(Path::new("x"), text)
            .unwrap()
            .tracker
            .unwrap()
    };
    let linear = tracker("tracker: { plugin: linear, teamId: ENG }\n");
    assert_eq!((linear.kind(), linear.team()), (TrackerKind::Linear, Some("ENG")));
    assert_eq!(tracker("tracker: github\n").kind(), TrackerKind::GitHub);
    for wrong in [
        "tracker: jira\n",
        "tracker: { plugin: linear, team: ENG }\n",
        "tracker: { teamId: ENG }\n",
    ] {
        assert!(!problems::<ProjectConfig>(wrong).is_empty(), "{wrong}");
    }
}

#[test]
fn errors_beyond_the_schema_have_positions_too() {
    let text = "defaults:\n  permissionMode: bypass\nports: { from: 5000, to: 4000 }\nagents: { Cod ex: { command: [' '] } }\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(text).join("\n"), @r"
    downbeat.yaml:2:19: `defaults.permissionMode`: `bypass` is chosen for one session at a time, never in a file
    downbeat.yaml:3:26: `ports.to`: the last port is before the first, 5000
    downbeat.yaml:4:19: `agents.Cod ex`: an id is made of a-z, 0-9 and `-`
    downbeat.yaml:4:30: `agents.Cod ex.command`: the command names no program
    ");
    insta::assert_snapshot!(problems::<GlobalConfig>("worktrees:\n  location: trees\n").join("\n"), @r#"downbeat.yaml:2:13: `worktrees.location`: expected `data`, `project` or an absolute path, found "trees""#);
    let text = "permissionMode: bypass\nbranch: '{user}/x'\ncopy: [../x, /etc/passwd, ok]\nsetup:\n  - npm ci\n  - npm ci && x\n  - []\n  - shell: x\n";
    insta::assert_snapshot!(problems::<ProjectConfig>(text).join("\n"), @r"
    downbeat.yaml:7:5: `setup[2]` is empty
    downbeat.yaml:8:5: unknown key `shell` in `setup[3]`; known are sh; did you mean `sh`?
    downbeat.yaml:8:5: `setup[3]` lacks `sh`
    ");
    let text = "permissionMode: bypass\nbranch: '{user}/x'\ncopy: [../x, /ok, ok]\nsetup:\n  - npm ci\n  - npm ci && x\nworktrees: { location: data }\n";
    insta::assert_snapshot!(problems::<ProjectConfig>(text).join("\n"), @r#"
    downbeat.yaml:1:17: `permissionMode`: `bypass` is chosen for one session at a time, never in a file
    downbeat.yaml:2:9: `branch`: `{task-slug}` is the only placeholder
    downbeat.yaml:3:8: `copy[0]`: "../x" leads out of the project; name paths from its root
    downbeat.yaml:6:5: `setup[1]`: `&&` has a meaning only in a shell, and this does not run in one; write `sh: "npm ci && x"`
    "#);
    insta::assert_snapshot!(problems::<ProjectConfig>("worktrees: { location: /etc }\npermissionMode: askk\n").join("\n"), @r#"downbeat.yaml:2:17: `permissionMode` is "askk"; expected one of plan, ask, acceptEdits, bypass; did you mean `ask`?"#);
    let folder = problems::<ProjectConfig>("worktrees: { location: /etc }\n");
    assert!(
        folder[0].contains("only the global file may name a folder") || cfg!(windows),
        "{folder:?}"
    );
    insta::assert_snapshot!(problems::<ProjectConfig>("a: [\n").join("\n"), @r"downbeat.yaml:2:1: not YAML: while parsing a node, did not find expected node content");
}

#[test]
fn mistakes_in_reactions_are_named_with_their_line() {
    for (text, problem) in [
        (
            "  label-added: { condition: \"lable == 'x'\", action: notify }\n",
            "\"lable\" is not known here; known are label, pr.number",
        ),
        (
            "  label-added: { condition: \"label == 'x' || true\", action: notify }\n",
            "write `or` instead of `||`",
        ),
        (
            "  ci-failed: { message: \"{{ eror }}\" }\n",
            "\"eror\" is not known here",
        ),
        ("  ci-failed: { message: \"{{ errors \" }\n", "it cannot be read"),
        (
            "  agent-exited: { action: send-to-agent }\n",
            "there is no agent that could take a message",
        ),
        (
            "  checks-failed: { action: send-to-agent, message: '{{ comments }}' }\n",
            "\"comments\" is not known here; known are errors",
        ),
        ("  agent-idel: { action: notify }\n", "agent-idle"),
        ("  pr-opened: { action: spawn }\n", "it needs `message`"),
        ("  pr-opened: { action: run }\n", "it needs `command`"),
        (
            "  pr-opened: { action: run, command: 'make && make test' }\n",
            "has a meaning only in a shell",
        ),
        (
            "  pr-opened: { action: notify, command: make }\n",
            "only `action: run` runs a command",
        ),
        (
            "  pr-opened: { action: run, command: make, message: '{{ pr.title }}' }\n",
            "`run` sends no message",
        ),
    ] {
        let found = problems::<ProjectConfig>(&format!("reactions:\n{text}")).join("\n");
        assert!(
            found.starts_with("downbeat.yaml:2:") && found.contains(problem),
            "{text}: {found}"
        );
    }
}

#[test]
fn a_template_of_plans_says_where_a_task_goes() {
    let text = "planTemplates:\n  mine: |\n    {task} (id: work)\n    Review: {task} (depends_on: work)\n";
    let config: GlobalConfig = parse(Path::new("x"), text).unwrap();
    let all = config.all_plan_templates(&Domains::default()).infos();
    assert!(
        all.iter()
            .any(|one| one.name == "mine" && one.about == "{task}; Review: {task}")
    );
    assert_eq!(all.len(), 6);
    let wrong = "planTemplates:\n  mine: Build it\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(wrong).join("\n"), @"downbeat.yaml:2:9: `planTemplates.mine`: no task of it says {task}: write that where the title of a task goes");
}

#[test]
fn a_planner_is_a_program_of_the_persons_own_file() {
    let text = "planner:\n  command: [my-planner, --json]\n  timeoutMinutes: 5\n";
    let config: GlobalConfig = parse(Path::new("x"), text).unwrap();
    let planner = config.planner.unwrap();
    assert_eq!(
        (planner.name(), planner.limit().as_secs(), planner.most_tasks()),
        ("my-planner", 300, 40)
    );
    insta::assert_snapshot!(problems::<ProjectConfig>(text).join("\n"), @"downbeat.yaml:1:1: `planner` belongs in your own downbeat.yaml (`downbeat config path` prints its path); a project's file cannot have it");
    for (text, wanted) in [
        (
            "planner: my-planner --json\n",
            "`planner` is \"my-planner --json\"; expected",
        ),
        ("planner: { timeoutMinutes: 5 }\n", "`planner` lacks `command`"),
        ("planner: { command: [] }\n", "`planner.command` is empty"),
        ("planner: { command: my-planner }\n", "expected a list"),
        ("planner: { command: [' '] }\n", "the command names no program"),
        (
            "planner: { command: [./plan.sh] }\n",
            "a relative path leads to nothing",
        ),
        ("planner: { command: [x], timeoutMinutes: 0 }\n", "from 1 to 60"),
        ("planner: { command: [x], maxTasks: 9999 }\n", "from 1 to 1000"),
    ] {
        let said = problems::<GlobalConfig>(text).join("\n");
        assert!(said.contains(wanted), "{text}: {said}");
    }
}

#[test]
fn hostile_and_broken_files_give_one_error_each() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    assert!(validate(&file, Kind::Global).is_empty());
    for bytes in [
        &b"\xff\xfe\x00"[..],
        b"[]",
        b"- a",
        b"just text",
        &vec![b'a'; downbeat_yaml::MOST_BYTES + 1],
        b"a: !!x y",
    ] {
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(
            validate(&file, Kind::Project).len(),
            1,
            "{:?}",
            &bytes[..bytes.len().min(9)]
        );
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert_eq!(validate(&file, Kind::Global).len(), 1);
}

#[test]
fn the_schema_describes_every_key() {
    let schema = schema(Kind::Global);
    let font = &schema["$defs"]["Appearance"]["properties"]["terminalFontSize"];
    assert_eq!((&font["minimum"], &font["maximum"]), (&json!(8), &json!(32)));
    assert!(font["description"].as_str().unwrap().contains("pixels"));
    assert!(schema["properties"]["defaults"].is_object());
    assert!(config::schema(Kind::Project)["properties"]["setup"].is_object());
}

#[test]
fn edits_keep_every_other_character() {
    let text = "# mine\npower: # why\n  # sleep\n  preventIdleSleep: true   # keep\n\n# last\nlimits: {maxDepth: 1, totalSessions: 9}\n# end\n";
    insta::assert_snapshot!(edited(text, &[
        ("power.preventIdleSleep", json!(false)),
        ("limits.maxDepth", json!(3)),
        ("limits.workersPerConductor", json!(4)),
        ("defaults.agent", json!("my agent: x")),
        ("defaults.permissionMode", json!("plan")),
    ]), @r#"
    # mine
    power: # why
      # sleep
      preventIdleSleep: false   # keep

    # last
    limits: { workersPerConductor: 4,maxDepth: 3, totalSessions: 9}
    # end
    defaults:
      agent: "my agent: x"
      permissionMode: plan
    "#);
    let text = "appearance:\n    theme: dark\nagents:\n  x:\n    command:\n      - x\n\ndefaults:\nnotifications: # none\n";
    insta::assert_snapshot!(edited(text, &[
        ("appearance.terminalFontSize", json!(20)),
        ("defaults.agent", json!("x")),
        ("notifications.desktop", json!(false)),
    ]), @r"
    appearance:
        theme: dark
        terminalFontSize: 20
    agents:
      x:
        command:
          - x

    defaults:
      agent: x
    notifications: # none
      desktop: false
    ");
    assert_eq!(
        edited("", &[("appearance.theme", json!("light"))]),
        "appearance:\n  theme: light\n"
    );
    assert_eq!(
        edited("{}", &[("appearance.theme", json!("light"))]),
        "{ appearance: { theme: light } }"
    );
    assert_eq!(
        edited("# c", &[("limits.maxDepth", json!(0))]),
        "# c\nlimits:\n  maxDepth: 0\n"
    );
    let block = "budgets:\n  session: # mine\n    usd: 5\n    tokens: 7\n\n  # last\n  warn: 70\n";
    let usd = json!({"usd": 2.5});
    assert_eq!(
        edited(
            block,
            &[("budgets.session", usd.clone()), ("budgets.projectDay", usd)]
        ),
        "budgets:\n  session: # mine\n    { usd: 2.5 }\n\n  # last\n  warn: 70\n  projectDay: { usd: 2.5 }\n"
    );
    assert_eq!(
        edited(block, &[("budgets.session", json!(null))]),
        "budgets:\n\n  # last\n  warn: 70\n"
    );
    let crlf = edited(
        "limits:\r\n  maxDepth: 1\r\n",
        &[("limits.totalSessions", json!(7))],
    );
    assert_eq!(crlf, "limits:\r\n  maxDepth: 1\r\n  totalSessions: 7\r\n");
    let same = "limits: { maxDepth:   2 } # x";
    assert_eq!(edited(same, &[("limits.maxDepth", json!(2))]), same);
}

#[test]
fn keys_are_read_refused_with_their_position_and_removed() {
    let text = "keys: { palette: mod+P, find: mod++, rename: none, keys: F1 }\n";
    assert!(problems::<GlobalConfig>(text).is_empty());
    let text = "keys:\n  find: Cmd+F\n  rename: mod+\n  resume: 'mod+ '\n  stop: mod+Shift\n  kill: ''\n";
    insta::assert_snapshot!(problems::<GlobalConfig>(text).join("\n"), @r"
    downbeat.yaml:2:9: `keys.find`: expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`
    downbeat.yaml:3:11: `keys.rename`: expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`
    downbeat.yaml:4:11: `keys.resume`: expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`
    downbeat.yaml:5:9: `keys.stop`: expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`
    downbeat.yaml:6:9: `keys.kill`: expected keys such as `mod+Shift+A` (`mod`, `Ctrl`, `Alt`, `Shift`), or `none`
    ");
    let unknown = problems::<GlobalConfig>("keys:\n  palete: mod+P\n").join("\n");
    assert!(unknown.starts_with("downbeat.yaml:2:3: unknown key `palete` in `keys`; known are "));
    assert!(unknown.ends_with("did you mean `palette`?"), "{unknown}");

    let text = "keys:\n  palette: mod+P # mine\n  find: F3\n# end\n";
    let without = edited(text, &[("keys.palette", Value::Null), ("keys.stop", Value::Null)]);
    assert_eq!(without, "keys:\n  find: F3\n# end\n");
    assert_eq!(edited(&without, &[("keys.find", Value::Null)]), "keys:\n# end\n");
    let text = "keys: { palette: F1, find: F3, rename: F4 }\n";
    for (key, rest) in [
        ("keys.palette", "find: F3, rename: F4"),
        ("keys.find", "palette: F1, rename: F4"),
        ("keys.rename", "palette: F1, find: F3"),
    ] {
        assert_eq!(
            edited(text, &[(key, Value::Null)]),
            format!("keys: {{ {rest} }}\n")
        );
    }
    let none = edited("keys: { find: F3 }\n", &[("keys.find", Value::Null)]);
    assert_eq!(none, "keys: {  }\n");
    assert_eq!(
        edited("", &[("keys.palette", json!("mod+P"))]),
        "keys:\n  palette: \"mod+P\"\n"
    );
}

#[test]
fn an_edit_with_an_invalid_result_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(FILE);
    for (text, key, value) in [
        ("limits: { maxDepth: 1 }\n", "limits.maxDepth", json!(99)),
        ("limits: { maxDeph: 1 }\n", "limits.maxDepth", json!(1)),
        ("limits: { maxDepth: 1 }\n", "limits.depth", json!(1)),
        ("limits: { maxDepth: 1 }\n", "limits", json!(1)),
        ("", "defaults.agent", json!("")),
    ] {
        std::fs::write(&file, text).unwrap();
        assert!(edit(&file, &[(key, value)]).is_err(), "{text}{key}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[cfg(unix)]
#[test]
fn an_edit_keeps_a_link_and_the_mode_of_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (folder.path().join("dotfile"), folder.path().join(FILE));
    std::fs::write(&real, "# x\n").unwrap();
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    edit(&link, &[("limits.maxDepth", json!(1))]).unwrap();
    assert!(link.is_symlink());
    assert_eq!(
        std::fs::read_to_string(&real).unwrap(),
        "# x\nlimits:\n  maxDepth: 1\n"
    );
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn notifiers_are_checked_with_their_routes() {
    let text = "notifiers:\n  slack: { channel: \"#a\" }\n  phone: { kind: ntfy, url: https://ntfy.sh/x }\nnotifications:\n  routes:\n    \
                urgent: [desktop, phone]\n    info: []\n";
    let config: GlobalConfig = parse(Path::new("x"), text).unwrap();
    let routes = config.routes();
    use downbeat_model::reactions::NoticePriority::{Action, Info, Urgent};
    assert_eq!(routes.to(Urgent), ["desktop", "phone"]);
    assert_eq!(routes.to(Action), ["desktop", "phone", "slack"]);
    assert!(routes.to(Info).is_empty());
    for (text, wanted) in [
        (
            "notifiers:\n  slack:\n    webhookUrl: https://hooks.slack.com/services/s3cret\n",
            "3:17: `notifiers.slack.webhookUrl`: keep it out of this file",
        ),
        ("notifiers:\n  slack: { chanel: a }\n", "did you mean `channel`?"),
        (
            "notifiers:\n  my slack: { kind: slack }\n",
            "letters, digits, `-` and `_`",
        ),
        ("notifiers:\n  team: { channel: a }\n", "say which kind it is"),
        (
            "notifiers:\n  slack: {}\nnotifications: { routes: { urgent: [slak] } }\n",
            "there is no notifier `slak`; there are desktop, slack",
        ),
        ("notifications: { routes: { high: [desktop] } }\n", "high"),
    ] {
        let said = problems::<GlobalConfig>(text).join("\n");
        assert!(said.contains(wanted), "{text}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
    // A project's file, which comes with a repository, has no notifiers.
    let said = problems::<ProjectConfig>("notifiers: { slack: {} }\n").join("\n");
    assert!(said.contains("notifiers"), "{said}");
}
