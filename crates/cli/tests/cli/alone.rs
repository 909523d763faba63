//! Tests of commands that need no engine, or start one themselves.

use crate::rig::{PATIENCE, command, hooks, run};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

#[tokio::test]
async fn a_hook_never_harms_its_agent() {
    let home = TempDir::new().unwrap();
    let gone = home.path().join("keepers/gone");
    let huge = vec![b'x'; 1 << 20];
    let bodies = [&b""[..], b"{}", b"\xff\x00garbage", &huge];
    for (keeper, body) in [None, Some(gone.as_os_str())]
        .into_iter()
        .flat_map(|keeper| bodies.map(|body| (keeper, body)))
    {
        for mut hook in hooks(home.path()) {
            hook.stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if let Some(dir) = keeper {
                hook.env("DOWNBEAT_KEEPER", dir);
            }
            let mut child = hook.spawn().unwrap();
            let mut stdin = child.stdin.take().unwrap();
            // A hook without a keeper does not read its input, so the write may fail.
            let _ = stdin.write_all(body).await;
            drop(stdin);
            let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
                .await
                .unwrap()
                .unwrap();
            assert!(output.status.success());
            assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
        }
    }
}

#[tokio::test]
async fn a_hook_gives_up_if_its_agent_never_closes_stdin() {
    let home = TempDir::new().unwrap();
    let [mut hook, _] = hooks(home.path());
    hook.env("DOWNBEAT_KEEPER", home.path()).stdin(Stdio::piped());
    let started = Instant::now();
    let mut child = hook.spawn().unwrap();
    let stdin = child.stdin.take();
    assert!(
        tokio::time::timeout(PATIENCE, child.wait())
            .await
            .unwrap()
            .unwrap()
            .success()
    );
    assert!(started.elapsed() < Duration::from_secs(20));
    drop(stdin);
}

#[tokio::test]
async fn keeper_mcp_and_attach_fail_without_their_environment() {
    let home = TempDir::new().unwrap();
    assert_eq!(run(command(home.path()).arg("keeper")).await.code, 2);
    let said = run(command(home.path()).arg("mcp")).await;
    assert!(
        said.code == 2 && said.err.contains("inside a session"),
        "{said:?}"
    );
    assert_eq!(run(command(home.path()).args(["attach", "x"])).await.code, 2);
}

#[tokio::test]
async fn configuration_is_shown_and_checked() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("downbeat.yaml");
    let said = run(command(home.path()).args(["config", "path"])).await;
    assert_eq!(said.out.trim_end(), file.to_str().unwrap());
    assert!(run(command(home.path()).args(["config", "show"])).await.json()["limits"].is_object());
    assert!(
        run(command(home.path()).args(["config", "schema", "global"]))
            .await
            .json()
            .is_object()
    );
    assert_eq!(
        run(command(home.path()).args(["config", "validate"])).await.code,
        0
    );
    // Another file is read as a project's file, which the output says; `--global` changes that.
    let copy = home.path().join("copy.yaml");
    std::fs::write(&copy, "limits:\n  maxDepth: 1\n").unwrap();
    let said = run(command(home.path()).args(["config", "validate"]).arg(&copy)).await;
    assert!(
        said.code == 1 && said.out.contains("read as a project's file") && said.err.contains("--global"),
        "{said:?}"
    );
    // Control characters in a folder's name are escaped in the output.
    let loud = home.path().join("a\u{1b}]52;c;eA==\u{7}\u{202e}b");
    std::fs::create_dir(&loud).unwrap();
    for text in ["agent: shell\n", "agnet: shell\n"] {
        std::fs::write(loud.join("downbeat.yaml"), text).unwrap();
        let said = run(command(home.path()).args(["config", "validate"]).arg(&loud)).await;
        assert!(
            said.out.contains("\\u202eb") && !said.out.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{said:?}"
        );
    }
    let said = run(command(home.path())
        .args(["config", "validate", "--global"])
        .arg(&copy))
    .await;
    assert!(
        said.code == 0 && said.out.contains("ok, as your own file"),
        "{said:?}"
    );
    std::fs::write(&file, "limits:\n  maxDepht: 1\n").unwrap();
    let said = run(command(home.path()).args(["config", "validate"])).await;
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.out.contains("downbeat.yaml:2:") && said.out.contains("maxDepth"),
        "{said:?}"
    );
    let prices = home.path().join("prices.yaml");
    std::fs::write(&prices, "models:\n  - {model: house, inputt: 1, output: 1}\n").unwrap();
    let said = run(command(home.path()).args(["config", "validate"])).await;
    assert!(
        said.out.contains("prices.yaml:2:") && said.out.contains("`input`"),
        "{said:?}"
    );
    assert_eq!(
        run(command(home.path()).args(["config", "validate", "/none"]))
            .await
            .code,
        3
    );
}

#[tokio::test]
async fn a_command_starts_the_engine_it_needs_and_stop_all_ends_it() {
    let home = TempDir::new().unwrap();
    let said = run(command(home.path()).args(["list", "--json"])).await;
    assert_eq!((said.code, said.out.as_str()), (0, "[]\n"), "{said:?}");
    let engine = run(command(home.path()).args(["api", "GET", "/api/engine"]))
        .await
        .json();
    assert_eq!(engine["headless"], true);
    let mut racing = Vec::new();
    for _ in 0..4 {
        let mut list = command(home.path());
        list.args(["api", "GET", "/api/engine"]);
        racing.push(tokio::spawn(async move { run(&mut list).await }));
    }
    for said in racing {
        assert_eq!(
            said.await.unwrap().json()["pid"],
            engine["pid"],
            "one engine for all"
        );
    }
    assert_eq!(run(command(home.path()).args(["stop", "--all"])).await.code, 0);
    let doctor = async || run(command(home.path()).args(["doctor"])).await.out;
    let until = Instant::now() + PATIENCE;
    while !doctor().await.contains("not running") {
        assert!(Instant::now() < until, "the engine ended");
    }
}
