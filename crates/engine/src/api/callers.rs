//! Identifies the caller of a request by its token, and proves to a client that this engine knows the
//! token before the client sends it. The permissions of a caller are in [`crate::decide::access`].

use crate::state::context::Engine;
use downbeat_wire::{Caller, proof};

impl Engine {
    /// Returns the caller that a token belongs to. Compares every known token in full, in constant time.
    pub(crate) fn who(&self, token: &str) -> Option<Caller> {
        let mut found = None;
        self.each_token(|caller, known| {
            if same(known, token) {
                found = Some(caller());
            }
        });
        found
    }

    /// Returns the proof for the token with this fingerprint. An unknown fingerprint gets a proof of a
    /// decoy token, which looks the same.
    pub(crate) fn prove(&self, key: &str, nonce: &str, port: u16) -> String {
        let mut secret = self.decoy.clone();
        self.each_token(|_, known| {
            if same(&proof::fingerprint(known), key) {
                known.clone_into(&mut secret);
            }
        });
        proof::prove(&secret, nonce, port)
    }

    /// Every valid token with its caller.
    fn each_token(&self, mut look: impl FnMut(&dyn Fn() -> Caller, &str)) {
        look(&|| Caller::Owner, &self.token());
        for row in self.ledger.state().sessions.values() {
            if row.status.is_live() {
                look(&|| Caller::Session(row.id.clone()), &row.token);
            }
        }
    }
}

/// Compares secrets in constant time.
fn same(secret: &str, given: &str) -> bool {
    let differ = secret
        .bytes()
        .zip(given.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    secret.len() == given.len() && differ == 0 && !secret.is_empty()
}
