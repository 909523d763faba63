//! The input for the terminals. Not random: each run measures the same bytes.

use crate::done::Done;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The number of lines in one block of mixed output.
const BLOCK: u32 = 4000;

/// Writes at least `size` bytes like a build's: colours, UTF-8, redraws, long and short lines.
pub fn mixed(dir: &Path, size: usize) -> Done<PathBuf> {
    let path = dir.join("mixed");
    let mut block = Vec::new();
    for n in 0..BLOCK {
        mixed_line(&mut block, n)?;
    }
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    let mut written = 0;
    while written < size {
        file.write_all(&block)?;
        written += block.len();
    }
    file.flush()?;
    Ok(path)
}

fn mixed_line(block: &mut Vec<u8>, n: u32) -> std::io::Result<()> {
    let colour = n % 256;
    match n % 8 {
        0 => writeln!(
            block,
            "\x1b[32m   Compiling\x1b[0m crate-{n} v1.{n}.0 (/home/me/work/crate-{n})\r"
        ),
        1 => writeln!(
            block,
            "\x1b[1;38;5;{colour}merror[E{n:04}]\x1b[0m: mismatched types in `module::{n}`\r"
        ),
        2 => writeln!(block, "  → «naïve café» 日本語テキスト {n} ✓ done\r"),
        3 => write!(block, "\r\x1b[K[{n:>5}/{BLOCK}] building … {}%", n / 40),
        4 => writeln!(
            block,
            "\r\n{}\r",
            "the quick brown fox jumps over the lazy dog ".repeat(3)
        ),
        5 => write!(block, "\x1b[2A\x1b[38;2;10;{colour};90mstatus\x1b[m\x1b[2B\r"),
        6 => writeln!(
            block,
            "plain line number {n} of the build log, nothing special about it\r"
        ),
        _ => writeln!(
            block,
            "{{\"level\":\"info\",\"n\":{n},\"msg\":\"request served\",\"ms\":{}}}\r",
            n % 97
        ),
    }
}

/// Writes `lines` numbered lines that fill `cols` columns, with a coloured word in each.
pub fn full_lines(dir: &Path, lines: usize, cols: usize) -> Done<PathBuf> {
    const WORDS: &str = "every line of this file is as long as the terminal is wide and says little ";
    let path = dir.join(format!("full-{cols}"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    let long = WORDS.repeat(cols / WORDS.len() + 2);
    for n in 0..lines {
        let from = n % WORDS.len();
        // "[12345] info " takes 13 columns; the last column stays free, so that no line wraps.
        let text = &long[from..from + cols.saturating_sub(14)];
        writeln!(file, "[{n:05}] \x1b[3{}minfo\x1b[0m {text}", 1 + n % 6)?;
    }
    file.flush()?;
    Ok(path)
}

/// Creates a repository's files: `count` of about two kilobytes each, a hundred to a folder.
pub fn source_tree(dir: &Path, count: usize) -> Done<()> {
    for n in 0..count {
        let folder = dir.join(format!("src/part-{:02}", n / 100));
        if n % 100 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let line = format!("pub fn function_{n}(argument: u64) -> u64 {{ argument * {n} }}\n");
        std::fs::write(folder.join(format!("file-{n}.rs")), line.repeat(32))?;
    }
    Ok(())
}
