//! Tests of webhooks: what is taken for genuine, and what one names.

use super::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SECRET: &str = "It's a Secret to Everybody";

/// A signing token of GitLab, and the time at which its webhook was signed.
const TOKEN: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const SIGNED_AT: i64 = 1_767_225_600;

fn headers(given: &[(&str, &str)]) -> BTreeMap<String, String> {
    given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn prove(
    sender: Sender,
    given: &[(&str, &str)],
    (body, secret): (&str, &str),
    second: i64,
) -> Result<Proof, Unproven> {
    let post = Post {
        headers: &headers(given),
        body: body.as_bytes(),
    };
    sender.prove(&post, secret, Timestamp::from_second(second).unwrap())
}

#[test]
fn a_webhook_of_github_is_genuine_if_its_body_is_signed() {
    // The example of GitHub's documentation.
    let good = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let of =
        |given: &[(&str, &str)], body: &str, secret: &str| prove(Sender::GitHub, given, (body, secret), 0);
    let signed = [("x-hub-signature-256", good), ("x-github-delivery", "d1")];
    let proof = of(&signed, "Hello, World!", SECRET).unwrap();
    assert!(
        proof.marks[0].starts_with("body:dffd6021bb2bd5b0af67629080") && proof.marks[1] == "id:d1",
        "{proof:?}"
    );
    // A copy with another id has the same first mark.
    let copy = [("x-hub-signature-256", good), ("x-github-delivery", "d2")];
    assert_eq!(
        of(&copy, "Hello, World!", SECRET).unwrap().marks[0],
        proof.marks[0]
    );
    let wrong = Err(Unproven::Wrong("X-Hub-Signature-256"));
    assert_eq!(of(&signed, "Hello, World?", SECRET), wrong);
    assert_eq!(of(&signed, "Hello, World!", "another"), wrong);
    for signature in [
        "",
        "sha256=",
        "sha256=75",
        "sha256=zz",
        "757107ea",
        "sha1=757107ea0eb2509fc211",
        &good[..70],
    ] {
        assert_eq!(
            of(&[("x-hub-signature-256", signature)], "Hello, World!", SECRET),
            wrong,
            "{signature}"
        );
    }
    assert_eq!(
        of(&[], "Hello, World!", SECRET),
        Err(Unproven::Unsigned("X-Hub-Signature-256"))
    );
}

#[test]
fn a_webhook_of_gitlab_is_genuine_with_its_token_or_its_signature() {
    let of =
        |given: &[(&str, &str)], secret: &str, second| prove(Sender::GitLab, given, ("{}", secret), second);
    let wrong = Err(Unproven::Wrong("X-Gitlab-Token"));
    let proof = of(&[("x-gitlab-token", SECRET), ("idempotency-key", "k")], SECRET, 0).unwrap();
    assert_eq!((proof.marks.len(), &*proof.marks[1]), (2, "id:k"));
    for token in ["", "It's", "It's a Secret to Everybody "] {
        assert_eq!(of(&[("x-gitlab-token", token)], SECRET, 0), wrong, "{token}");
    }
    assert_eq!(of(&[], SECRET, 0), Err(Unproven::Unsigned("X-Gitlab-Token")));

    // The example of Standard Webhooks.
    let given = [
        ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
        ("webhook-timestamp", "1614265330"),
        (
            "webhook-signature",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    ];
    let example = (
        r#"{"test": 2432232314}"#,
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    );
    assert!(prove(Sender::GitLab, &given, example, 1_614_265_330).is_ok());

    let of_another = "v1,Kfj5zbv0wUtjYtYm6zC3sjGk9VpWqv2sKkTQbjS9mWk=";
    let time = SIGNED_AT.to_string();
    let mac = |id: &str| {
        use base64::Engine as _;
        use hmac::{KeyInit as _, Mac as _};
        let mut mac =
            hmac::Hmac::<sha2::Sha256>::new_from_slice(b"01234567890123456789012345678901").unwrap();
        mac.update(format!("{id}.{time}.{{}}").as_bytes());
        let tag = mac.finalize().into_bytes();
        format!("v1,{}", base64::engine::general_purpose::STANDARD.encode(tag))
    };
    let good = mac("w1");
    let both = format!("{of_another} {good}");
    let signed = |signature: &str, id: &str, second| {
        let given = [
            ("webhook-id", id),
            ("webhook-timestamp", &*time),
            ("webhook-signature", signature),
        ];
        of(&given, TOKEN, second)
    };
    for (signature, id, late, expected) in [
        (
            &*good,
            "w1",
            0,
            Ok(Proof {
                marks: vec!["id:w1".to_owned()],
            }),
        ),
        (
            &both,
            "w1",
            -300,
            Ok(Proof {
                marks: vec!["id:w1".to_owned()],
            }),
        ),
        (&good, "w1", 301, Err(Unproven::Old)),
        (&good, "w1", -301, Err(Unproven::Old)),
        (&good, "w2", 0, Err(Unproven::Wrong("webhook-signature"))),
        (of_another, "w1", 0, Err(Unproven::Wrong("webhook-signature"))),
        ("v2,abc", "w1", 0, Err(Unproven::Wrong("webhook-signature"))),
    ] {
        assert_eq!(
            signed(signature, id, SIGNED_AT + late),
            expected,
            "{signature} {id} {late}"
        );
    }
    // The token alone is not enough where a signature is expected.
    assert_eq!(
        of(&[("x-gitlab-token", TOKEN)], TOKEN, 0),
        Err(Unproven::Unsigned("webhook-signature"))
    );
}

#[test]
fn nothing_is_genuine_under_an_empty_secret() {
    use base64::Engine as _;
    use hmac::{KeyInit as _, Mac as _};
    let signed = |text: &str| {
        let mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(b"").unwrap();
        mac.chain_update(text).finalize().into_bytes()
    };
    let hex = signed("{}")
        .iter()
        .fold("sha256=".to_owned(), |hex, byte| hex + &format!("{byte:02x}"));
    let given = [("x-hub-signature-256", &*hex)];
    let said = prove(Sender::GitHub, &given, ("{}", ""), SIGNED_AT);
    assert_eq!(said, Err(Unproven::Wrong("X-Hub-Signature-256")));

    let time = SIGNED_AT.to_string();
    let tag = base64::engine::general_purpose::STANDARD.encode(signed(&format!("w1.{time}.{{}}")));
    let tag = format!("v1,{tag}");
    let given = [
        ("webhook-id", "w1"),
        ("webhook-timestamp", &*time),
        ("webhook-signature", &*tag),
    ];
    let said = prove(Sender::GitLab, &given, ("{}", "whsec_"), SIGNED_AT);
    assert_eq!(said, Err(Unproven::Wrong("webhook-signature")));

    let said = prove(Sender::GitLab, &[("x-gitlab-token", "")], ("{}", ""), SIGNED_AT);
    assert_eq!(said, Err(Unproven::Wrong("X-Gitlab-Token")));
}

fn read(sender: Sender, event: &str, body: &Value) -> Result<Option<(String, Vec<u64>, usize)>, Unreadable> {
    let header = match sender {
        Sender::GitHub => "x-github-event",
        Sender::GitLab => "x-gitlab-event",
    };
    let body = body.to_string();
    let post = Post {
        headers: &headers(&[(header, event)]),
        body: body.as_bytes(),
    };
    let hint = sender.read(&post)?;
    assert_eq!(hint.event, event);
    Ok(hint.named.map(|named| {
        (
            named.repository.to_string(),
            named.pulls.into_iter().collect(),
            named.commits.len(),
        )
    }))
}

#[test]
fn a_webhook_names_pull_requests_by_number_or_commit() {
    let repository = json!({ "html_url": "https://github.com/acme/shop" });
    let project = json!({ "web_url": "https://gitlab.com/acme/sub/shop" });
    let head = "c".repeat(40);
    let pull = json!({ "repository": repository, "pull_request": { "number": 7, "head": { "sha": head } } });
    let run = |conclusion: Value| {
        json!({ "repository": repository, "check_run": { "conclusion": conclusion, "head_sha": head,
            "pull_requests": [{ "number": 7 }, { "number": 9 }] } })
    };
    let comment =
        |pull: Value| json!({ "repository": repository, "issue": { "number": 7, "pull_request": pull } });
    let status = |state: &str| json!({ "repository": repository, "sha": head, "state": state });
    let pipeline = |status: &str| {
        json!({ "object_kind": "pipeline", "project": project, "object_attributes": { "status": status, "sha": head },
            "merge_request": { "iid": 3 } })
    };
    let note = |of: &str| {
        json!({ "object_kind": "note", "project": project, "object_attributes": { "noteable_type": of },
            "merge_request": { "iid": 3 } })
    };
    let there = |pulls: &[u64], commits| Some(("github.com/acme/shop".to_owned(), pulls.to_vec(), commits));
    let lab = |pulls: &[u64], commits| Some(("gitlab.com/acme/sub/shop".to_owned(), pulls.to_vec(), commits));
    for (sender, event, body, expected) in [
        (Sender::GitHub, "pull_request", pull.clone(), there(&[7], 1)),
        (Sender::GitHub, "pull_request_review", pull, there(&[7], 1)),
        (
            Sender::GitHub,
            "check_run",
            run(json!("failure")),
            there(&[7, 9], 1),
        ),
        (Sender::GitHub, "check_run", run(json!("success")), None),
        (Sender::GitHub, "check_run", run(json!(null)), None),
        (
            Sender::GitHub,
            "issue_comment",
            comment(json!({})),
            there(&[7], 0),
        ),
        (Sender::GitHub, "issue_comment", comment(json!(null)), None),
        (Sender::GitHub, "status", status("failure"), there(&[], 1)),
        (Sender::GitHub, "status", status("pending"), None),
        (Sender::GitHub, "ping", json!({ "repository": repository }), None),
        (Sender::GitLab, "Pipeline Hook", pipeline("failed"), lab(&[3], 1)),
        (Sender::GitLab, "Pipeline Hook", pipeline("running"), None),
        (Sender::GitLab, "Note Hook", note("MergeRequest"), lab(&[3], 0)),
        (Sender::GitLab, "Note Hook", note("Issue"), None),
    ] {
        assert_eq!(read(sender, event, &body), Ok(expected), "{event} {body}");
    }
}

#[test]
fn what_a_forge_does_not_send_is_refused_with_a_reason() {
    let nowhere = json!({ "pull_request": { "number": 7 }, "repository": { "html_url": "file:///etc" } });
    assert!(read(Sender::GitHub, "pull_request", &nowhere).is_err());
    assert!(
        read(Sender::GitHub, "pull_request", &json!([]))
            .unwrap_err()
            .0
            .contains("names no repository")
    );
    assert!(
        read(Sender::GitHub, "", &json!({}))
            .unwrap_err()
            .0
            .contains("x-github-event")
    );
    let headers = headers(&[("x-github-event", "push")]);
    let broken = Sender::GitHub.read(&Post {
        headers: &headers,
        body: b"{",
    });
    assert!(broken.unwrap_err().0.contains("not JSON"));
    // Nothing that is not a commit gets further, and no more than a bounded number of anything.
    let many: Vec<Value> = (0..1000).map(|number| json!({ "number": number })).collect();
    let body = json!({ "repository": { "html_url": "https://github.com/acme/shop" }, "action": "completed",
        "check_suite": { "head_sha": "refs/heads/main", "pull_requests": many } });
    let (_, pulls, commits) = read(Sender::GitHub, "check_suite", &body).unwrap().unwrap();
    assert_eq!((pulls.len(), commits), (100, 0));
}
