//! `downbeat-hook`: the program that agents run for each of their hooks. It does the same as `downbeat hook`
//! and is small, since it starts for every tool call of every agent: it links the client of the keeper's
//! socket and nothing of the engine.
#![deny(unsafe_code)]

fn main() {
    downbeat_keeper::run_hook();
}
