//! How an engine proves that it knows a token before anybody shows it one. A client asks
//! `GET /api/hello?nonce=…&key=…` with a fresh nonce and the fingerprint of its token; the engine
//! answers with an HMAC of nonce and port under that token. Whoever listens on the port of an engine
//! that is gone cannot answer, and learns nothing that can be used.
//!
//! The port is part of what is proved. Without it, a listener on an old port could pass the question
//! on to the real engine on its new one, and its answer back.

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Where an engine is asked to prove itself. Outside the table of operations: it takes no token.
pub const PATH: &str = "/api/hello";

/// What a proof is for, so that it is good for nothing else.
const PURPOSE: &str = "downbeat hello 1";

/// What a fingerprint is for.
const KEY: &str = "downbeat key 1";

/// What a page's name is for.
const PAGE: &str = "downbeat page 1";

/// Bytes of a page's name: enough that nobody guesses it.
const PAGE_BYTES: usize = 16;

/// Bytes of a fingerprint: enough to tell tokens apart, and nothing to guess a token from.
const KEY_BYTES: usize = 8;

/// Characters that a nonce may have.
const NONCE: std::ops::RangeInclusive<usize> = 32..=128;

/// The engine's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The HMAC, in hexadecimal.
    pub proof: String,
}

/// The fingerprint of a token: says which token is meant, and not what it is.
#[must_use]
pub fn fingerprint(token: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update(KEY);
    hasher.update("\n");
    hasher.update(token);
    hex(&hasher.finalize()[..KEY_BYTES])
}

/// The name under which the interface is served to who knows `token`, and to nobody else: a name below
/// `localhost`, which browsers take for this machine. Whoever had the port before could leave a worker in the
/// browser that answers for every page of the same name and port; no page had this name before.
#[must_use]
pub fn page_name(token: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(token.as_bytes());
    let mac = mac.map(|mac| mac.chain_update(PAGE).finalize().into_bytes());
    let name = mac.map_or_else(|_| String::new(), |mac| hex(&mac[..PAGE_BYTES]));
    format!("{name}.localhost")
}

/// The address of the interface, with its token.
#[must_use]
pub fn link(token: &str, port: u16) -> String {
    format!("http://{}:{port}/#token={token}", page_name(token))
}

/// Whether a text can be a nonce: long enough to be asked once only, in letters and digits.
#[must_use]
pub fn is_nonce(text: &str) -> bool {
    NONCE.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The proof that who listens on `port` knows `token`.
#[must_use]
pub fn prove(token: &str, nonce: &str, port: u16) -> String {
    mac(token, nonce, port).map_or_else(String::new, |mac| hex(&mac.finalize().into_bytes()))
}

/// Whether a proof is right. Takes the same time wherever it differs.
#[must_use]
pub fn is_right(token: &str, nonce: &str, port: u16, proof: &str) -> bool {
    let Some(proof) = bytes(proof) else {
        return false;
    };
    !token.is_empty() && mac(token, nonce, port).is_some_and(|mac| mac.verify_slice(&proof).is_ok())
}

/// Nothing only where the implementation refuses the length of a key, which HMAC never does.
fn mac(token: &str, nonce: &str, port: u16) -> Option<Hmac<Sha256>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(token.as_bytes()).ok()?;
    mac.update(format!("{PURPOSE}\n{port}\n{nonce}").as_bytes());
    Some(mac)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failure here is a failed test")]
    use super::*;

    const NONCE: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_proof_is_good_for_one_token_one_nonce_and_one_port() {
        let proof = prove("token", NONCE, 4000);
        assert!(is_right("token", NONCE, 4000, &proof));
        let other = NONCE.replace('0', "1");
        for (token, nonce, port, proof) in [
            ("other", NONCE, 4000, proof.as_str()),
            ("token", other.as_str(), 4000, &proof),
            ("token", NONCE, 4001, &proof),
            ("token", NONCE, 4000, &proof[..62]),
            ("token", NONCE, 4000, ""),
            ("token", NONCE, 4000, "no proof"),
            ("", NONCE, 4000, &prove("", NONCE, 4000)),
        ] {
            assert!(
                !is_right(token, nonce, port, proof),
                "{token} {nonce} {port} {proof}"
            );
        }
    }

    /// The page computes the same with another library; both are held to these values.
    #[test]
    fn the_values_are_those_that_every_client_computes() {
        assert_eq!(fingerprint("token"), "d91469750b3f1844");
        assert_eq!(
            prove("token", NONCE, 4000),
            "5b063ffc4091f53e2c022463a49995493bfe0edfbc77d8c73e9004e263955fe7"
        );
    }

    #[test]
    fn a_page_has_another_name_with_each_token() {
        let name = page_name("token");
        assert_eq!(name.len(), PAGE_BYTES * 2 + ".localhost".len());
        assert_ne!(name, page_name("other"));
        assert!(!name.contains(&fingerprint("token")));
        assert_eq!(link("token", 4000), format!("http://{name}:4000/#token=token"));
    }

    #[test]
    fn a_nonce_is_long_and_plain() {
        assert!(is_nonce(NONCE));
        for bad in ["", "short", &"a".repeat(129), "0123456789abcdef0123456789abcde\n"] {
            assert!(!is_nonce(bad), "{bad:?}");
        }
    }
}
