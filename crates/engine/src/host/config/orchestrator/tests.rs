//! Tests of configurations of Agent Orchestrator, as its documentation describes them, and of a file in a project's
//! folder. What becomes of each key is in `key_tests`.

use super::translate::{How, Setting, Translation, translate};
use crate::host::config::{
    FILE, GlobalConfig, Kind, ProjectConfig, Put, add, load_project, parse, reaction_rules,
};
use downbeat_model::reactions::{Action, Event};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) fn translated(text: &str) -> Translation {
    translate(Path::new("/code/agent-orchestrator.yaml"), text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the settings of a translation as `key: value`, those of the first project after the person's own.
pub(super) fn settings(translation: &Translation) -> Vec<String> {
    let all = translation
        .own
        .iter()
        .chain(translation.projects.iter().take(1).flat_map(|one| &one.settings));
    all.map(|setting| format!("{}: {}", setting.key, setting.value))
        .collect()
}

fn told(translation: &Translation) -> Vec<(String, How)> {
    translation
        .told
        .iter()
        .map(|told| (told.from.clone(), told.how))
        .collect()
}

#[test]
fn notifiers_and_routes_are_settings_and_what_is_only_named_gets_an_entry() {
    let routed = "notifiers:\n  slack: { plugin: slack, webhook: '${SLACK_WEBHOOK_URL}' }\nnotificationRouting:\n  urgent: [desktop, slack, discord]\n";
    let named = "defaults: { notifiers: [slack] }\n";
    let literal = "notifiers: { slack: { webhookUrl: 'https://hooks.slack.com/services/T0/B0/secret' } }\n";
    let unknown = "defaults: { notifiers: [desktop, telegram] }\n";
    for (text, wanted, refused) in [
        (
            routed,
            &[
                r#"notifiers.slack: {"webhookUrl":"${SLACK_WEBHOOK_URL}"}"#,
                "notifiers.discord: {}",
                r#"notifications.routes: {"urgent":["desktop","slack","discord"]}"#,
            ][..],
            &[][..],
        ),
        (
            named,
            &["notifications.desktop: false", "notifiers.slack: {}"],
            &[],
        ),
        (literal, &[], &["notifiers.slack"]),
        (
            "notifiers: { hook: { plugin: webhook, url: 'https://hook.example' } }\n",
            &[r#"notifiers.hook: {"kind":"webhook","url":"https://hook.example"}"#],
            &[],
        ),
        (
            "defaults: { notifiers: [desktop, webhook, ntfy] }\n",
            &["notifications.desktop: true"],
            &[],
        ),
        (unknown, &["notifications.desktop: true"], &["defaults.notifiers"]),
    ] {
        let got = translated(text);
        assert_eq!(settings(&got), wanted, "{text}");
        let told: Vec<_> = refused
            .iter()
            .map(|from| ((*from).to_owned(), How::Refused))
            .collect();
        let mut wrong = self::told(&got);
        wrong.retain(|(_, how)| *how != How::Nothing);
        assert_eq!(wrong, told, "{text}");
        assert!(
            got.told.iter().all(|told| !told.text.contains("B0")),
            "{:?}",
            got.told
        );
    }
}

#[test]
fn an_unknown_key_is_named_with_the_nearest() {
    let text = "prot: 1\nzebra: 1\ndefaults: { agnt: codex }\nprojects:\n  shop:\n    path: /code/shop\n    symlinsk: [a]\n    agentConfig: { modle: x }\nreactions:\n  ci-faild: { auto: true }\n  ci-failed: { retrys: 1 }\n";
    let got = translated(text);
    let of = |from: &str| {
        let told = got
            .told
            .iter()
            .find(|told| told.from == from)
            .unwrap_or_else(|| panic!("{from}: {:?}", got.told));
        told.text.clone()
    };
    for (from, near) in [
        ("prot", "`port`"),
        ("defaults.agnt", "`agent`"),
        ("projects.shop.symlinsk", "`symlinks`"),
        ("projects.shop.agentConfig.modle", "`model`"),
        ("reactions.ci-faild", "`ci-failed`"),
        ("reactions.ci-failed", "`retries`"),
    ] {
        assert!(
            of(from).contains(&format!("did you mean {near}")),
            "{from}: {}",
            of(from)
        );
    }
    assert!(!of("zebra").contains("did you mean"), "{}", of("zebra"));
    assert!(
        got.own.is_empty() && got.projects[0].settings.is_empty(),
        "{got:#?}"
    );
    for text in ["", "- a\n", "projects: 1\n", "a: [1\n"] {
        assert!(translate(Path::new("x"), text).is_err(), "{text:?}");
    }
}

/// Configurations with the keys of the documented examples.
const EXAMPLES: &[&str] = &[
    "port: 3000\ndefaults:\n  runtime: tmux\n  agent: claude-code\n  workspace: worktree\n  notifiers: [desktop]\nprojects:\n  my-app:\n    repo: owner/my-app\n    path: ~/my-app\n    defaultBranch: main\n    sessionPrefix: app\nreactions:\n  ci-failed: { auto: true, action: send-to-agent, retries: 2 }\n  changes-requested: { auto: true, action: send-to-agent, escalateAfter: 30m }\n  approved-and-green: { auto: false, action: notify }\npower:\n  preventIdleSleep: true\n",
    "projects:\n  frontend: { repo: org/frontend, path: ~/work/frontend, defaultBranch: main, sessionPrefix: fe }\n  backend: { repo: org/backend, path: ~/work/backend, defaultBranch: develop, sessionPrefix: be }\n  docs: { repo: org/documentation, path: ~/work/docs, defaultBranch: main, sessionPrefix: docs }\n",
    "projects:\n  my-app:\n    path: ~/my-app\n    reactions:\n      approved-and-green: { auto: true, action: auto-merge }\nreactions:\n  ci-failed: { auto: true, action: send-to-agent, retries: 3 }\n  changes-requested: { auto: true, action: send-to-agent, escalateAfter: 1h }\n  agent-stuck: { threshold: 10m, action: notify, priority: urgent }\n",
    "defaults: { agent: codex, runtime: tmux, workspace: worktree }\nprojects:\n  my-app:\n    path: ~/my-app\n    agentConfig: { model: some, permissions: default }\n    agentRules: |\n      Test before a push.\n",
    "projects:\n  my-app:\n    repo: owner/my-app\n    path: ~/my-app\n    tracker: { plugin: linear, teamId: team }\n    agentRules: Name the ticket.\n",
    "defaults: { notifiers: [desktop, slack] }\nprojects:\n  backend: { name: Backend, repo: org/backend, path: ~/backend, tracker: { plugin: github } }\nnotifiers:\n  slack: { plugin: slack, webhook: '${SLACK_WEBHOOK_URL}', channel: '#agents' }\nnotificationRouting: { urgent: [desktop, slack], action: [desktop, slack], warning: [slack], info: [slack] }\n",
    "reactions:\n  ci-failed: { auto: true, action: send-to-agent, retries: 2, message: 'CI failed: {{errors}}' }\n  changes-requested: { auto: true, action: send-to-agent, escalateAfter: 30m, message: 'Asked for: {{comments}}' }\n  approved-and-green: { auto: true, action: merge, strategy: squash, deleteAfter: true }\n  label-added: { auto: true, condition: \"label == 'needs-tests'\", action: send-to-agent, message: 'Add tests.' }\n",
    "agent: claude-code\nruntime: tmux\nworkspace: worktree\nsymlinks: [.env, .claude]\npostCreate: [pnpm install]\nagentRules: Keep it small.\n",
    "reactions:\n  ci-failed: { auto: false }\n  bugbot-comments: { auto: false }\n  merge-conflicts: { auto: false }\n  agent-needs-input: { priority: urgent }\n  agent-exited: { action: notify }\n  agent-idle: { auto: false }\n  all-complete: { includeSummary: true }\nagent: codex\n",
];

#[test]
fn the_documented_configurations_load_without_an_unknown_key() {
    for text in EXAMPLES {
        let got = translated(text);
        let bad: Vec<_> = got
            .told
            .iter()
            .filter(|told| matches!(told.how, How::Unknown | How::Refused))
            .collect();
        assert!(bad.is_empty(), "{bad:?}\n{text}");
        assert!(!got.projects.is_empty(), "{text}");
        // What is written is valid, and a second time nothing is added.
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name);
        let write = |name: &str, kind, settings: &[Setting]| {
            let values: Vec<(&str, Value)> = settings
                .iter()
                .map(|one| (one.key.as_str(), one.value.clone()))
                .collect();
            let first =
                add(&file(name), kind, &values, false).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert!(first.iter().all(|put| matches!(put, Put::Added(_))), "{first:?}");
            let again = add(&file(name), kind, &values, false).unwrap();
            assert!(again.iter().all(|put| *put == Put::Same), "{again:?}");
        };
        write("own.yaml", Kind::Global, &got.own);
        for project in &got.projects {
            write(&project.name, Kind::Project, &project.settings);
        }
    }
}

#[test]
fn reactions_of_a_project_are_in_front_of_those_of_all_key_by_key() {
    let got = translated(EXAMPLES[2]);
    let all = settings(&got);
    let merges = r#"reactions.approved-and-green: {"action":"auto-merge","auto":true}"#;
    assert!(all.contains(&merges.to_owned()), "{all:?}");
    let note = got.projects[0]
        .settings
        .iter()
        .find(|one| one.key.ends_with("approved-and-green"))
        .unwrap();
    assert!(
        note.note.contains("lets the forge merge") && note.from.starts_with("projects.my-app.reactions"),
        "{note:?}"
    );
    let stuck = got.projects[0]
        .settings
        .iter()
        .find(|one| one.key.ends_with("agent-stuck"))
        .unwrap();
    assert!(stuck.note.contains("watchdog.stuckAfter"), "{stuck:?}");
    let text = "reactions: { ci-failed: { retries: 3, auto: true } }\nprojects: { shop: { path: /x, reactions: { ci-failed: { retries: 4 } } } }\n";
    assert_eq!(
        settings(&translated(text)),
        [r#"reactions.ci-failed: {"auto":true,"retries":4}"#]
    );
    let last = translated(EXAMPLES[8]);
    assert_eq!(told(&last), []);
    let complete = &last.projects[0].settings;
    let complete = complete
        .iter()
        .find(|one| one.key.ends_with("all-complete"))
        .unwrap();
    assert_eq!(complete.note, "", "it means the same here");
}

#[test]
fn a_home_directory_is_written_out_and_a_relative_path_starts_at_the_file() {
    let got = translated("projects: { a: { path: ~/a }, b: { path: b }, c: { path: /c }, d: {} }\n");
    let paths: Vec<PathBuf> = got.projects.iter().map(|project| project.path.clone()).collect();
    assert!(
        paths[0].is_absolute() && paths[0].ends_with("a") && !paths[0].starts_with("/code"),
        "{paths:?}"
    );
    assert_eq!(
        paths[1..],
        [Path::new("/code/b"), Path::new("/c"), Path::new("/code/d")]
    );
}

#[test]
fn what_a_person_wrote_stays_with_its_comments() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE);
    let text = "# mine\nagent: codex # the best\nreactions: # ours\n  ci-failed: { retries: 1 }\n";
    std::fs::write(&path, text).unwrap();
    let values = [
        ("agent", json!("claude")),
        ("symlink", json!([".env", "a b"])),
        ("reactions.ci-failed", json!({ "retries": 5 })),
        (
            "reactions.pr-opened",
            json!({ "action": "notify", "message": "Two\nlines: \"x\" # no comment" }),
        ),
    ];
    let dry = add(&path, Kind::Project, &values, true).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        text,
        "a dry run writes nothing"
    );
    let put = add(&path, Kind::Project, &values, false).unwrap();
    assert_eq!(dry, put);
    assert_eq!(put[0], Put::Kept(json!("codex")));
    assert!(matches!(put[1], Put::Added(_)) && matches!(put[3], Put::Added(_)));
    assert_eq!(put[2], Put::Kept(json!({ "retries": 1 })));
    let new = std::fs::read_to_string(&path).unwrap();
    assert!(new.starts_with(text), "{new}");
    let config: ProjectConfig = parse(&path, &new).unwrap();
    assert_eq!(
        (config.agent.as_deref(), config.symlink.len()),
        (Some("codex"), 2)
    );
    assert_eq!(
        config.reactions.pr_opened.unwrap().message.unwrap(),
        "Two\nlines: \"x\" # no comment"
    );
    // A key without a value has no place for one.
    let odd = dir.path().join("odd.yaml");
    std::fs::write(&odd, "agent:\n").unwrap();
    assert_eq!(
        add(&odd, Kind::Project, &values[..1], false).unwrap(),
        [Put::Kept(Value::Null)]
    );
    // An invalid file is left alone.
    std::fs::write(&odd, "agnet: x\n").unwrap();
    assert!(add(&odd, Kind::Project, &values[..1], false).is_err());
    let flow = dir.path().join("flow.yaml");
    std::fs::write(&flow, "{ power: {} }\n").unwrap();
    let own = [
        ("defaults.agent", json!("codex")),
        ("power.preventIdleSleep", json!(false)),
        ("shell", json!("fish")),
    ];
    let put = add(&flow, Kind::Global, &own, false).unwrap();
    assert!(put.iter().all(|put| matches!(put, Put::Added(_))), "{put:?}");
    let config: GlobalConfig = parse(&flow, &std::fs::read_to_string(&flow).unwrap()).unwrap();
    assert!(!config.power.prevent_idle_sleep && config.shell.as_deref() == Some("fish"));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_of_a_repository() {
    let dir = tempfile::tempdir().unwrap();
    let (target, link) = (dir.path().join("theirs.yaml"), dir.path().join(FILE));
    std::fs::write(&target, "").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let values = [("agent", json!("codex"))];
    for is_dry in [true, false] {
        let refused = add(&link, Kind::Project, &values, is_dry)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("it is a link"), "{refused}");
    }
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
}

#[test]
fn the_reactions_in_a_projects_folder_apply_until_its_own_file_has_some() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    let rule = |config: &ProjectConfig, event: Event| {
        reaction_rules(&config.reactions)
            .into_iter()
            .find(|rule| rule.event == event)
            .unwrap()
    };
    assert_eq!(load_project(root).unwrap().reactions_file, None);
    let other = format!(
        "projects:\n  other: {{ path: /elsewhere, reactions: {{ ci-failed: {{ retries: 7 }} }} }}\n  this:\n    path: {:?}\n    reactions: {{ ci-failed: {{ retries: 4 }} }}\nreactions:\n  approved-and-green: {{ auto: true, action: merge, strategy: squash }}\n  pr-opened: {{ action: fly }}\n  all-complete: {{}}\n",
        root
    );
    write("agent-orchestrator.yaml", &other);
    let config = load_project(root).unwrap();
    assert_eq!(config.reactions_file, Some("agent-orchestrator.yaml"));
    assert_eq!(rule(&config, Event::CiFailed).retries, Some(4));
    assert_eq!(rule(&config, Event::ApprovedAndGreen).action, Action::Merge);
    assert!(config.reactions.pr_opened.is_none(), "what is wrong is left out");
    // Other keys of the project's own file change nothing about that; reactions do.
    write(FILE, "agent: codex\n");
    assert_eq!(
        rule(&load_project(root).unwrap(), Event::CiFailed).retries,
        Some(4)
    );
    write(FILE, "reactions: { ci-failed: { retries: 1 } }\n");
    let config = load_project(root).unwrap();
    assert_eq!(
        (config.reactions_file, rule(&config, Event::CiFailed).retries),
        (None, Some(1))
    );
    assert_eq!(rule(&config, Event::ApprovedAndGreen).action, Action::Notify);
    // A file that cannot be read keeps nobody from working.
    std::fs::remove_file(root.join(FILE)).unwrap();
    write("agent-orchestrator.yaml", "reactions: [1\n");
    assert_eq!(load_project(root).unwrap(), ProjectConfig::default());
}
