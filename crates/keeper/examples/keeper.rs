//! A keeper process for tests and measurements: what `downbeat keeper <dir>` is in the product.

fn main() {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|word| word == "keeper") {
        if let Some(dir) = args.next() {
            if downbeat_keeper::run(dir.as_ref()).is_ok() {
                return;
            }
        }
    }
    std::process::exit(1);
}
