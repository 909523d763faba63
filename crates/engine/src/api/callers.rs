//! Whose token it is that a request shows, and the proof to a client that this engine knows the token
//! that the client is about to show. What a caller may do is in [`crate::decide::access`].

use crate::state::context::Engine;
use downbeat_wire::{Caller, proof};

impl Engine {
    /// Who a token stands for. Compares every candidate in full, whatever differs first.
    pub(crate) fn who(&self, token: &str) -> Option<Caller> {
        let mut found = None;
        self.each_token(|caller, known| {
            if same(known, token) {
                found = Some(caller());
            }
        });
        found
    }

    /// The proof for the token with this fingerprint; for one that is none, a proof of nothing that
    /// looks the same.
    pub(crate) fn prove(&self, key: &str, nonce: &str, port: u16) -> String {
        let mut secret = self.decoy.clone();
        self.each_token(|_, known| {
            if same(&proof::fingerprint(known), key) {
                known.clone_into(&mut secret);
            }
        });
        proof::prove(&secret, nonce, port)
    }

    /// Every token that counts now.
    fn each_token(&self, mut look: impl FnMut(&dyn Fn() -> Caller, &str)) {
        look(&|| Caller::Owner, &self.token());
        for row in self.ledger.state().sessions.values() {
            if row.status.is_live() {
                look(&|| Caller::Session(row.id.clone()), &row.token);
            }
        }
    }
}

/// Compares secrets without telling by the time it takes where they differ.
fn same(secret: &str, given: &str) -> bool {
    let differ = secret
        .bytes()
        .zip(given.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    secret.len() == given.len() && differ == 0 && !secret.is_empty()
}
