//! A hook for tests: the equivalent of `downbeat-hook`.

fn main() {
    downbeat_keeper::run_hook();
}
