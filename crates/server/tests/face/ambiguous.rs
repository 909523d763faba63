//! Requests that two programs could understand in two ways: none reaches an operation.

use crate::http::unlucky;
use crate::rig::Rig;
use crate::scripted::OWNER;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Requests that two programs could understand in two ways, or that name no host; with a valid token.
const AMBIGUOUS: [(&str, &str); 6] = [
    (
        "two lengths",
        "POST /api/sessions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
    ),
    (
        "a length and chunks",
        "POST /api/sessions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: identity, chunked, x\r\n\r\n{}",
    ),
    ("no host", "GET /api/engine HTTP/1.1\r\n\r\n"),
    (
        "an old protocol without a host",
        "GET /api/engine HTTP/1.0\r\n\r\n",
    ),
    (
        "another host in the address",
        "GET http://evil.example/api/engine HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ),
    (
        "two hosts",
        "GET /api/engine HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n",
    ),
];

/// Sends bytes on a connection of their own; returns what comes back until the end, or until nothing does for a while.
async fn exchanged(port: u16, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    // The other side may hang up before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let reading = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(Duration::from_secs(5), reading).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn requests_that_can_be_understood_in_two_ways_reach_nobody() {
    let rig = Rig::start(unlucky()).await;
    let (host, token) = (
        format!("127.0.0.1:{}", rig.port),
        format!("Authorization: Bearer {OWNER}"),
    );
    let sent = |request: &str| {
        let request = request.replace("HOST", &host);
        let (first, rest) = request.split_once("\r\n").unwrap();
        format!("{first}\r\n{token}\r\nConnection: close\r\n{rest}")
    };
    let plain = sent("GET /api/engine HTTP/1.1\r\nHost: HOST\r\n\r\n");
    let plain = exchanged(rig.port, plain.as_bytes()).await;
    assert!(
        plain.starts_with("HTTP/1.1 409"),
        "the plain one arrives: {plain}"
    );
    let arrived = rig.host.calls().len();
    let mut all: Vec<(&str, String)> = AMBIGUOUS
        .iter()
        .map(|(what, request)| (*what, sent(request)))
        .collect();
    let endless = format!("X-Long: {}\r\n\r\n", "x".repeat(1 << 20));
    all.push((
        "a head of a megabyte",
        sent(&format!("GET /api/engine HTTP/1.1\r\nHost: HOST\r\n{endless}")),
    ));
    for (what, request) in all {
        let answer = exchanged(rig.port, request.as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or("none");
        assert!(answer.is_empty() || status.starts_with('4'), "{what}: {answer}");
        assert_eq!(rig.host.calls().len(), arrived, "{what} arrived");
    }
}
