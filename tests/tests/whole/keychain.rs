//! Tests of secrets in the system's keychain, with a real GNOME Keyring on a session bus of its own.

use downbeat_tests::programs::program;
use downbeat_tests::receiver::{Receiver, SECRET};
use downbeat_tests::sandbox::{Sandbox, until};
use serde_json::json;
use std::io::Write as _;
use std::process::{Child, Output, Stdio};

/// A program that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a session bus and an unlocked keyring for everything that the sandbox starts from now on.
async fn keyring(sandbox: &mut Sandbox) -> [Running; 2] {
    let bus = sandbox.path().join("bus");
    let address = format!("unix:path={}", bus.display());
    sandbox.set_env("DBUS_SESSION_BUS_ADDRESS", &address);
    let folder = sandbox.path().display().to_string();
    sandbox.set_env("XDG_RUNTIME_DIR", &folder);
    let daemon = sandbox
        .command("dbus-daemon")
        .args(["--session", "--nofork", "--address", &address])
        .spawn()
        .unwrap();
    let daemon = Running(daemon);
    until("a session bus", async || bus.exists().then_some(())).await;
    let mut ring = sandbox
        .command("gnome-keyring-daemon")
        .args(["--foreground", "--unlock", "--components=secrets"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The end of the input is the end of the password.
    ring.stdin.take().unwrap().write_all(b"password").unwrap();
    let ring = Running(ring);
    let asked = [
        "--session",
        "--print-reply",
        "--dest=org.freedesktop.DBus",
        "/org/freedesktop/DBus",
        "org.freedesktop.DBus.NameHasOwner",
        "string:org.freedesktop.secrets",
    ];
    until("a keyring", async || {
        let said = sandbox.command("dbus-send").args(asked).output().unwrap();
        String::from_utf8_lossy(&said.stdout)
            .contains("true")
            .then_some(())
    })
    .await;
    [daemon, ring]
}

/// Runs `downbeat secret` with a text as its input.
fn secret(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Output {
    let mut command = sandbox.command(program("downbeat"));
    command.arg("secret").args(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A name that is refused is refused before anything is read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text).into_owned())
        .concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notifier_takes_its_address_from_the_keychain() {
    let (mut sandbox, receiver) = (Sandbox::new(), Receiver::start().await);
    let _running = keyring(&mut sandbox).await;
    let address = format!("{}/slack/{SECRET}", receiver.url);
    sandbox.configure("notifiers: { slack: { webhookUrl: \"keychain:work.slack\" } }\n");
    sandbox.start().await;
    let test = async || sandbox.post("/api/notifiers/slack/test", json!({})).await;
    let missing = test().await;
    let missing = format!("{missing:?}");
    assert!(
        missing.contains("the keychain has no secret work.slack: `downbeat secret set work.slack` stores it"),
        "{missing}"
    );
    let stored = secret(&sandbox, &["set", "work.slack"], &format!("{address}\n"));
    assert!(stored.status.success(), "{}", told(&stored));
    assert!(told(&stored).contains("keychain:work.slack") && !told(&stored).contains(SECRET));
    let sent = test().await;
    assert!(
        sent.is_ok() && receiver.at("/slack").len() == 1,
        "{sent:?} {}",
        sandbox.log()
    );
    // What uses the same entry is any program of the person.
    let found = sandbox
        .command("dbus-send")
        .args(["--session", "--print-reply", "--dest=org.freedesktop.secrets"])
        .args([
            "/org/freedesktop/secrets",
            "org.freedesktop.Secret.Service.SearchItems",
        ])
        .arg("dict:string:string:service,downbeat,username,work.slack")
        .output()
        .unwrap();
    assert!(
        told(&found).contains("/org/freedesktop/secrets/collection/"),
        "{}",
        told(&found)
    );
    let shown = sandbox.get("/api/notifiers").await.unwrap().to_string();
    let log = sandbox.log();
    assert!(!shown.contains(SECRET) && !log.contains(SECRET), "{shown} {log}");
    let deleted = secret(&sandbox, &["delete", "work.slack"], "");
    assert!(deleted.status.success(), "{}", told(&deleted));
    let again = secret(&sandbox, &["delete", "work.slack"], "");
    assert!(!again.status.success() && told(&again).contains("no secret work.slack"));
    assert!(format!("{:?}", test().await).contains("no secret work.slack"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_keychain_cannot_do_is_said_with_a_way_out() {
    let mut sandbox = Sandbox::new();
    sandbox.set_env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    for (arguments, input, said) in [
        (["set", "slack"], "s3cret", "the system's keychain cannot be used"),
        (["set", "slack"], "s3cret", "`file:PATH`"),
        (["set", "slack"], " \n", "the secret is empty"),
        (["set", "two words"], "s3cret", "up to 64 letters"),
        (["set", "../x"], "s3cret", "up to 64 letters"),
        (["delete", "slack"], "", "the system's keychain cannot be used"),
    ] {
        let output = secret(&sandbox, &arguments, input);
        let told = told(&output);
        assert!(
            !output.status.success() && told.contains(said),
            "{arguments:?}: {told}"
        );
        assert!(!told.contains("s3cret"), "{told}");
    }
    sandbox.set_env("DOWNBEAT_SESSION", "s-1");
    let inside = secret(&sandbox, &["set", "slack"], "s3cret");
    assert!(
        told(&inside).contains("a session cannot change your secrets"),
        "{}",
        told(&inside)
    );
}
