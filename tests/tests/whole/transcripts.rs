//! Tests what is read from agents' transcripts: last answers, changes, usage and search.

use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::{Value, json};

#[tokio::test]
async fn the_last_answer_and_the_changes_are_shown_everywhere() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prompt = "say The first.\nsay And its end.\nwrite made.txt x";
    let id = sandbox
        .session(json!({ "projectId": project, "title": "Maker", "prompt": prompt }))
        .await;
    sandbox.status(&id, &["idle"]).await;
    let answer = sandbox
        .get(&format!("/api/sessions/{id}/output?what=answer"))
        .await
        .unwrap();
    assert_eq!(answer["text"], "The first.\nAnd its end.", "{answer}");
    assert!(answer["at"].is_string() && answer["title"] == "", "{answer}");
    let diff = sandbox
        .get(&format!("/api/sessions/{id}/output?what=diff"))
        .await
        .unwrap();
    let text = diff["text"].as_str().unwrap();
    assert!(text.starts_with("1 file changed since main, +1 -0"), "{text}");
    assert!(text.ends_with("+1 -0 made.txt (not added to git)"), "{text}");
    let printed = sandbox.cli(&["output", "maker", "--answer"]);
    assert_eq!(
        String::from_utf8_lossy(&printed.stdout),
        "The first.\nAnd its end.\n"
    );

    // A new turn, and a new engine.
    let message = json!({ "content": "say Twice." });
    sandbox
        .post(&format!("/api/sessions/{id}/message"), message)
        .await
        .unwrap();
    let mut sandbox = sandbox;
    sandbox.kill_engine();
    sandbox.start().await;
    until("the second answer", async || {
        let answer: Value = sandbox.get("/api/sessions/maker/output?what=answer").await.ok()?;
        (answer["text"] == "Twice.").then_some(())
    })
    .await;

    let shell = json!({ "projectId": project, "title": "Shell", "agent": "shell" });
    let shell = sandbox.session(shell).await;
    let refused = sandbox
        .get(&format!("/api/sessions/{shell}/output?what=answer"))
        .await
        .unwrap_err();
    assert_eq!(
        refused.body["message"],
        "Shell writes no transcript that can be read"
    );
    let silent = sandbox
        .session(json!({ "projectId": project, "title": "Silent" }))
        .await;
    sandbox.status(&silent, &["idle"]).await;
    let refused = sandbox
        .get(&format!("/api/sessions/{silent}/output?what=answer"))
        .await
        .unwrap_err();
    assert_eq!(refused.body["message"], "silent has not answered anything yet");
}

#[tokio::test]
async fn usage_is_summed_up_and_counted_once() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let prices = "models:\n  - {model: house, input: 1, output: 10}\n";
    std::fs::write(sandbox.data().join("prices.yaml"), prices).unwrap();
    let ask = json!({
        "projectId": project, "title": "Lead", "conductor": true, "prompt": "use house 1000000 100000",
    });
    let lead = sandbox.session(ask).await;
    sandbox.status(&lead, &["idle"]).await;
    let worker = json!({ "projectId": project, "title": "Worker", "parent": lead, "prompt": "use house 500000 0\nuse nobody 10 0" });
    let worker = sandbox.session(worker).await;
    sandbox.status(&worker, &["idle"]).await;
    let used = async |id: &str, cost: f64| {
        until(&format!("{id} used {cost}"), async || {
            let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            (session["usage"]["cost"].as_f64() == Some(cost)).then_some(session)
        })
        .await
    };
    let shown = used(&lead, 2.0).await;
    assert_eq!(shown["usage"]["unpriced"], json!([]));
    let shown = used(&worker, 0.5).await;
    // A message that was recorded twice counts once, with the larger numbers. The worker used two models.
    assert_eq!(shown["usage"]["input"], 500_000, "{shown}");

    // A fork repeats its history in a file of its own.
    let folder = sandbox.path().join("home/.claude/projects/fake");
    let transcript = |id: &str| -> std::path::PathBuf {
        let mut files = std::fs::read_dir(&folder)
            .unwrap()
            .flatten()
            .map(|file| file.path());
        files
            .find(|file| std::fs::read_to_string(file).unwrap().contains(id))
            .unwrap()
    };
    let history = std::fs::read_to_string(transcript("500000")).unwrap();
    let own = transcript("1000000");
    let mut both = std::fs::read_to_string(&own).unwrap();
    both.push_str(&history);
    std::fs::write(&own, both).unwrap();
    let message = json!({ "content": "use house 0 100000" });
    sandbox
        .post(&format!("/api/sessions/{lead}/message"), message)
        .await
        .unwrap();
    let shown = used(&lead, 3.0).await;
    assert_eq!(shown["subtreeUsage"]["cost"], 3.5, "{shown:#}");

    sandbox.kill_engine();
    sandbox.start().await;
    let report = sandbox.get("/api/usage").await.unwrap();
    assert_eq!(report["total"]["cost"], 3.5, "{report:#}");
    assert_eq!(report["projects"][0]["usage"]["cost"], 3.5);
    assert_eq!(report["days"].as_array().unwrap().len(), 1);
    assert_eq!(report["sessions"][0]["subtree"]["cost"], 3.5);
    assert_eq!(report["sessions"][1]["usage"]["cost"], 0.5);
    let before = sandbox.get("/api/usage?to=2001-01-01").await.unwrap();
    assert_eq!(before["days"], json!([]));
    let refused = sandbox.get("/api/usage?from=soon").await.unwrap_err();
    assert_eq!(refused.body["message"], "from: \"soon\" is not a date");
    let printed = sandbox.cli(&["cost", "--day", "today"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(
        ["Lead with workers", "agents", "$3.50"]
            .iter()
            .all(|part| printed.contains(part)),
        "{printed}"
    );

    // The usage of a worker stays counted for its conductor after the worker is forgotten.
    sandbox.delete(&format!("/api/sessions/{worker}")).await.unwrap();
    sandbox
        .delete(&format!("/api/sessions/{worker}/workspace?force=true"))
        .await
        .unwrap();
    sandbox
        .post(&format!("/api/sessions/{worker}/forget"), json!({}))
        .await
        .unwrap();
    for crashes in [false, true] {
        if crashes {
            sandbox.kill_engine();
            sandbox.start().await;
        }
        let shown = sandbox.get(&format!("/api/sessions/{lead}")).await.unwrap();
        assert_eq!(shown["subtreeUsage"]["cost"], 3.5, "{shown:#}");
        let report = sandbox.get("/api/usage").await.unwrap();
        assert_eq!(report["total"]["cost"], 3.5, "{report:#}");
        assert_eq!(report["sessions"][0]["subtree"]["cost"], 3.5, "{report:#}");
    }
}

#[tokio::test]
async fn search_finds_conversations_and_treats_all_input_as_words() {
    let sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask =
        json!({ "projectId": project, "title": "Painter", "prompt": "say The <b>zebra</b> is Ünder paint" });
    let id = sandbox.session(ask).await;
    let other = json!({ "projectId": project, "title": "Other", "prompt": "say nothing here" });
    let other = sandbox.session(other).await;
    sandbox.status(&id, &["idle"]).await;
    sandbox.status(&other, &["idle"]).await;
    let search = async |query: &str| {
        let query: String = query.bytes().map(|byte| format!("%{byte:02X}")).collect();
        sandbox.get(&format!("/api/search?query={query}")).await.unwrap()
    };
    let hits = until("answer and screen", async || {
        let hits = search("under zeb").await;
        let kinds: Vec<&str> = hits
            .as_array()?
            .iter()
            .filter_map(|hit| hit["kind"].as_str())
            .collect();
        (kinds.contains(&"answered") && kinds.contains(&"screen")).then_some(hits)
    })
    .await;
    let hits = hits.as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["sessionId"] == id), "{hits:#?}");
    let answered = hits.iter().find(|hit| hit["kind"] == "answered").unwrap();
    let matched = json!({ "text": "zebra", "isMatch": true });
    assert!(
        answered["snippet"].as_array().unwrap().contains(&matched),
        "{answered:#}"
    );
    for typed in [
        "\"",
        "zebra\"",
        "a AND (",
        "NEAR(x",
        "*",
        "-zebra:",
        "zebra OR nothing",
        "''; DROP TABLE texts",
        "\u{0}",
    ] {
        let hits = search(typed).await;
        assert!(hits.is_array(), "{typed}: {hits}");
    }
    assert_eq!(search("zebra OR nothing").await, json!([]), "OR is a word");
    let printed = sandbox.cli(&["search", "zebra", "-p", "shop"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert!(
        printed.contains("painter  answer") && printed.contains("<b>zebra</b>"),
        "{printed}"
    );

    // A forgotten session is no longer found.
    sandbox.delete(&format!("/api/sessions/{id}")).await.unwrap();
    sandbox
        .delete(&format!("/api/sessions/{id}/workspace?force=true"))
        .await
        .unwrap();
    sandbox
        .post(&format!("/api/sessions/{id}/forget"), json!({}))
        .await
        .unwrap();
    assert_eq!(search("zebra").await, json!([]));
}

#[tokio::test]
async fn transcripts_written_without_an_engine_are_read_by_the_next() {
    let mut sandbox = Sandbox::started().await;
    let project = sandbox.project("shop").await;
    let ask = json!({ "projectId": project, "title": "Late", "prompt": "use house 10 0" });
    let id = sandbox.session(ask).await;
    let used = async |sandbox: &Sandbox, tokens: u64| {
        until(&format!("{tokens} tokens"), async || {
            let session = sandbox.get(&format!("/api/sessions/{id}")).await.ok()?;
            (session["usage"]["input"] == tokens).then_some(())
        })
        .await;
    };
    used(&sandbox, 10).await;
    let stop = json!({ "id": id });
    sandbox.post("/api/sessions/stop", stop).await.unwrap();
    sandbox.kill_engine();
    let folder = sandbox.path().join("home/.claude/projects/fake");
    let file = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let text = std::fs::read_to_string(&file).unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("input_tokens\":10"))
        .unwrap();
    let late = line
        .replace("\"msg_", "\"late_")
        .replace("input_tokens\":10", "input_tokens\":30");
    std::fs::write(&file, format!("{text}{late}\n")).unwrap();
    sandbox.start().await;
    used(&sandbox, 40).await;
}
