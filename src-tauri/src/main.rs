fn main() { downbeat_desktop::run() }
