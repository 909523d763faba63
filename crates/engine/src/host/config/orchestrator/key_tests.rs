//! Tests of what becomes of each key of Agent Orchestrator, as a table.

use super::keys::{self, Fate, KEYS};
use super::tests::{settings, translated};
use super::translate::How;

/// A key of a project, in a file with that project alone.
fn of_project(line: &str) -> String {
    format!("projects:\n  shop:\n    path: /code/shop\n    {line}\n")
}

#[test]
fn every_key_says_what_becomes_of_it() {
    use How::{Nothing, Refused, Same};
    let own = |line: &str| line.to_owned();
    let rows: &[(&str, String, Result<&str, How>)] = &[
        (
            "$schema",
            own("$schema: https://example.com/config.schema.json"),
            Err(Nothing),
        ),
        ("port", own("port: 3001"), Err(Nothing)),
        ("dataDir", own("dataDir: ~/.agent-orchestrator"), Err(Nothing)),
        ("worktreeDir", own("worktreeDir: ~/.worktrees"), Err(Nothing)),
        ("terminalPort", own("terminalPort: 14800"), Err(Nothing)),
        (
            "directTerminalPort",
            own("directTerminalPort: 14801"),
            Err(Nothing),
        ),
        ("readyThresholdMs", own("readyThresholdMs: 60000"), Err(Nothing)),
        (
            "power.preventIdleSleep",
            own("power: { preventIdleSleep: false }"),
            Ok("power.preventIdleSleep: false"),
        ),
        (
            "lifecycle.autoCleanupOnMerge",
            own("lifecycle: { autoCleanupOnMerge: true }\nprojects: { shop: { path: /code/shop } }"),
            Ok(r#"reactions.pr-merged: {"action":"archive","auto":true}"#),
        ),
        (
            "lifecycle.autoCleanupOnMerge",
            own("lifecycle: { autoCleanupOnMerge: false }"),
            Err(Same),
        ),
        (
            "lifecycle.mergeCleanupIdleGraceMs",
            own("lifecycle: { mergeCleanupIdleGraceMs: 60000 }"),
            Err(Nothing),
        ),
        (
            "defaults.runtime",
            own("defaults: { runtime: process }"),
            Err(Same),
        ),
        ("defaults.runtime", own("defaults: { runtime: tmux }"), Err(Same)),
        (
            "defaults.runtime",
            own("defaults: { runtime: docker }"),
            Err(Nothing),
        ),
        (
            "defaults.runtime",
            own("defaults: { runtime: screen }"),
            Err(Refused),
        ),
        (
            "defaults.agent",
            own("defaults: { agent: claude-code }"),
            Ok(r#"defaults.agent: "claude""#),
        ),
        (
            "defaults.agent",
            own("defaults: { agent: kimicode }"),
            Ok(r#"defaults.agent: "kimi""#),
        ),
        ("defaults.agent", own("defaults: { agent: claud }"), Err(Refused)),
        (
            "defaults.workspace",
            own("defaults: { workspace: worktree }"),
            Err(Same),
        ),
        (
            "defaults.workspace",
            own("defaults: { workspace: clone }"),
            Err(Nothing),
        ),
        (
            "defaults.notifiers",
            own("defaults: { notifiers: [desktop] }"),
            Ok("notifications.desktop: true"),
        ),
        (
            "defaults.tracker",
            own("defaults: { tracker: github }"),
            Err(Same),
        ),
        (
            "defaults.tracker",
            own("defaults: { tracker: linear }"),
            Ok("defaults.tracker: \"linear\""),
        ),
        (
            "defaults.orchestrator",
            own("defaults: { orchestrator: { agent: codex } }"),
            Err(Nothing),
        ),
        (
            "defaults.worker",
            own("defaults: { worker: { agent: codex } }"),
            Err(Nothing),
        ),
        (
            "plugins",
            own("plugins: [{ name: auditor, source: npm, package: auditor }]"),
            Err(Nothing),
        ),
        (
            "dashboard.attentionZones",
            own("dashboard: { attentionZones: detailed }"),
            Err(Nothing),
        ),
        ("projectOrder", own("projectOrder: [shop]"), Err(Nothing)),
        (
            "reactions",
            own("reactions: { ci-failed: { retries: 3 } }\nprojects: { shop: { path: /code/shop } }"),
            Ok(r#"reactions.ci-failed: {"retries":3}"#),
        ),
        ("projects.*.name", of_project("name: Shop"), Err(Nothing)),
        (
            "projects.*.displayName",
            of_project("displayName: Shop"),
            Err(Nothing),
        ),
        ("projects.*.repo", of_project("repo: acme/shop"), Err(Nothing)),
        (
            "projects.*.defaultBranch",
            of_project("defaultBranch: develop"),
            Ok(r#"base: "develop""#),
        ),
        (
            "projects.*.sessionPrefix",
            of_project("sessionPrefix: fe"),
            Ok(r#"sessionPrefix: "fe""#),
        ),
        (
            "projects.*.projectId",
            of_project("projectId: shop"),
            Err(Nothing),
        ),
        (
            "projects.*.storageKey",
            of_project("storageKey: abc"),
            Err(Nothing),
        ),
        (
            "projects.*.originUrl",
            of_project("originUrl: https://example.com/shop.git"),
            Err(Nothing),
        ),
        (
            "projects.*.resolveError",
            of_project("resolveError: gone"),
            Err(Nothing),
        ),
        ("projects.*.source", of_project("source: cli"), Err(Nothing)),
        (
            "projects.*.registeredAt",
            of_project("registeredAt: 1"),
            Err(Nothing),
        ),
        ("projects.*.runtime", of_project("runtime: tmux"), Err(Same)),
        (
            "projects.*.agent",
            of_project("agent: claude-code"),
            Ok(r#"agent: "claude""#),
        ),
        ("projects.*.agent", of_project("agent: codx"), Err(Refused)),
        (
            "projects.*.workspace",
            of_project("workspace: worktree"),
            Err(Same),
        ),
        (
            "projects.*.tracker",
            of_project("tracker: { plugin: linear, teamId: ENG }"),
            Ok("tracker: {\"plugin\":\"linear\",\"teamId\":\"ENG\"}"),
        ),
        (
            "projects.*.tracker",
            of_project("tracker: { plugin: github }"),
            Err(Same),
        ),
        (
            "projects.*.tracker",
            of_project("tracker: { package: '@acme/tracker' }"),
            Err(Nothing),
        ),
        ("projects.*.scm", of_project("scm: { plugin: gitlab }"), Err(Same)),
        (
            "projects.*.scm",
            of_project("scm: { plugin: github, webhook: { enabled: true } }"),
            Err(Nothing),
        ),
        (
            "projects.*.symlinks",
            of_project("symlinks: [.env, .claude]"),
            Ok(r#"symlink: [".env",".claude"]"#),
        ),
        (
            "projects.*.symlinks",
            of_project("symlinks: [../outside]"),
            Err(Refused),
        ),
        (
            "projects.*.postCreate",
            of_project("postCreate: [pnpm install, 'cp .env.example .env && make']"),
            Ok(r#"setup: ["pnpm install",{"sh":"cp .env.example .env && make"}]"#),
        ),
        (
            "projects.*.agentConfig.permissions",
            of_project("agentConfig: { permissions: auto-edit }"),
            Ok(r#"permissionMode: "acceptEdits""#),
        ),
        (
            "projects.*.agentConfig.permissions",
            of_project("agentConfig: { permissions: suggest }"),
            Ok(r#"permissionMode: "plan""#),
        ),
        (
            "projects.*.agentConfig.permissions",
            of_project("agentConfig: { permissions: default }"),
            Ok(r#"permissionMode: "ask""#),
        ),
        (
            "projects.*.agentConfig.permissions",
            of_project("agentConfig: { permissions: skip }"),
            Err(Nothing),
        ),
        (
            "projects.*.agentConfig.permissions",
            of_project("agentConfig: { permissions: permissionless }"),
            Err(Nothing),
        ),
        (
            "projects.*.agentConfig.model",
            of_project("agentConfig: { model: opus }"),
            Err(Nothing),
        ),
        (
            "projects.*.agentConfig.orchestratorModel",
            of_project("agentConfig: { orchestratorModel: opus }"),
            Err(Nothing),
        ),
        (
            "projects.*.agentConfig.opencodeSessionId",
            of_project("agentConfig: { opencodeSessionId: x }"),
            Err(Nothing),
        ),
        (
            "projects.*.orchestrator",
            of_project("orchestrator: { agent: claude-code }"),
            Err(Nothing),
        ),
        (
            "projects.*.worker",
            of_project("worker: { agent: codex, agentConfig: { model: x } }"),
            Err(Nothing),
        ),
        (
            "projects.*.reactions",
            of_project("reactions: { ci-failed: { auto: false } }"),
            Ok(r#"reactions.ci-failed: {"auto":false}"#),
        ),
        (
            "projects.*.agentRules",
            of_project("agentRules: Test first."),
            Err(Nothing),
        ),
        (
            "projects.*.agentRulesFile",
            of_project("agentRulesFile: RULES.md"),
            Err(Nothing),
        ),
        (
            "projects.*.orchestratorRules",
            of_project("orchestratorRules: Divide."),
            Err(Nothing),
        ),
        (
            "projects.*.orchestratorSessionStrategy",
            of_project("orchestratorSessionStrategy: reuse"),
            Err(Nothing),
        ),
        (
            "projects.*.opencodeIssueSessionStrategy",
            of_project("opencodeIssueSessionStrategy: delete"),
            Err(Nothing),
        ),
        (
            "projects.*.decomposer",
            of_project("decomposer: { depth: 2 }"),
            Err(Nothing),
        ),
    ];
    for (pattern, text, expected) in rows {
        let got = translated(text);
        let from = pattern.replace('*', "shop");
        let is_from = |name: &str| name == from || name.starts_with(&format!("{from}."));
        match expected {
            Ok(setting) => {
                let all = settings(&got);
                assert!(all.contains(&(*setting).to_owned()), "{pattern}: {all:?}");
                let projects = got.projects.iter().flat_map(|project| &project.settings);
                let settings = got.own.iter().chain(projects);
                let every: Vec<_> = settings.filter(|setting| is_from(&setting.from)).collect();
                assert_eq!(every.len(), 1, "{pattern}: {every:?}");
            }
            Err(how) => {
                let all: Vec<_> = got.told.iter().filter(|told| is_from(&told.from)).collect();
                assert!(
                    all.len() == 1 && all[0].how == *how && !all[0].text.is_empty(),
                    "{pattern}: {all:?}"
                );
                assert!(settings(&got).is_empty(), "{pattern}: {:?}", settings(&got));
            }
        }
    }
    // Who gets notices has a test of its own.
    let has_own = |fate: &Fate| matches!(fate, Fate::Identity(_) | Fate::Notifiers);
    for (pattern, fate) in KEYS {
        let is_shown = rows.iter().any(|(row, ..)| row == pattern);
        assert!(is_shown || has_own(fate), "{pattern} has no row");
    }
}

#[test]
fn every_row_can_be_reached() {
    for (pattern, _) in KEYS {
        let mut above = *pattern;
        while let Some((shorter, _)) = above.rsplit_once('.') {
            above = shorter;
            assert!(keys::fate(above).is_none(), "{pattern} is hidden by {above}");
        }
    }
}
