//! Records what a program writes to a terminal of 80 × 24, for `tests/recordings`:
//! `record <file.vt> <program> [argument…]`. Type as usual; the recording ends with the program.

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use std::error::Error;
use std::io::{Read as _, Write as _};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args_os().skip(1);
    let (Some(file), Some(program)) = (args.next(), args.next()) else {
        return Err("usage: record <file.vt> <program> [argument…]".into());
    };
    let size = PtySize {
        rows: 24,
        cols: 80,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system().openpty(size)?;
    let mut command = CommandBuilder::new(program);
    command.args(args);
    command.cwd(std::env::current_dir()?);
    command.env("TERM", "xterm-256color");
    let mut child = pair.slave.spawn_command(command)?;
    drop(pair.slave);
    let mut input = pair.master.take_writer()?;
    std::thread::spawn(move || std::io::copy(&mut std::io::stdin(), &mut input));
    let mut output = pair.master.try_clone_reader()?;
    let mut recording = std::fs::File::create(file)?;
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = output.read(&mut buffer) {
        recording.write_all(&buffer[..n])?;
        std::io::stdout().write_all(&buffer[..n])?;
        std::io::stdout().flush()?;
    }
    child.wait()?;
    Ok(())
}
