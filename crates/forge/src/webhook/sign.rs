//! Signatures of webhooks, and their comparison in constant time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// Whether `tag` is the HMAC-SHA256 of these parts under a key. Compares in constant time.
pub(super) fn is_signed(key: &[u8], parts: &[&[u8]], tag: &[u8]) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return false;
    };
    for part in parts {
        mac.update(part);
    }
    mac.verify_slice(tag).is_ok()
}

/// Whether two texts are the same. Compares their digests under one key, in constant time whatever their lengths.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let digest = Sha256::digest(other);
    let tag = |text: &str| {
        let mac = Hmac::<Sha256>::new_from_slice(&digest).ok()?;
        Some(mac.chain_update(text).finalize().into_bytes())
    };
    tag(other).is_some_and(|tag| is_signed(&digest, &[one.as_bytes()], &tag))
}

/// Reads hexadecimal.
pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let nibble = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
    };
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
            _ => None,
        })
        .collect()
}

/// Reads base64.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
