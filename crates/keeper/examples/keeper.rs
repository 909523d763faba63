//! A keeper process for tests and measurements: the equivalent of `downbeat keeper <dir>`.

fn main() {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let served = match args.as_slice() {
        [word, dir] if word == "keeper" => downbeat_keeper::run(dir.as_ref()).is_ok(),
        _ => false,
    };
    std::process::exit(i32::from(!served));
}
