//! A hook for tests: what `downbeat-hook` is in the product.

fn main() {
    downbeat_keeper::run_hook();
}
