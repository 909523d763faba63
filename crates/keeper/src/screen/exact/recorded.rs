//! The output of real programs, cut at every byte: every file under `tests/recordings`, each an
//! asciicast (version 2) as `examples/record.rs` writes them.

use super::cut::Stream;
use serde_json::Value;
use std::io::Read as _;
use std::path::Path;

/// The fewest bytes that each cut is fed: more than any program here takes to redraw everything.
const TAIL: usize = 1 << 10;

fn read(name: &str) -> Stream {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let file = std::fs::File::open(folder.join(format!("{name}.cast.gz"))).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap();
    let number = |value: &Value| u16::try_from(value.as_u64().unwrap()).unwrap();
    let (mut bytes, mut sizes) = (Vec::new(), Vec::new());
    for event in lines {
        let (kind, data) = (event[1].as_str().unwrap(), event[2].as_str().unwrap());
        match kind {
            "o" => bytes.extend_from_slice(data.as_bytes()),
            "r" => {
                let (cols, rows) = data.split_once('x').unwrap();
                sizes.push((bytes.len(), cols.parse().unwrap(), rows.parse().unwrap()));
            }
            other => panic!("an event {other:?}"),
        }
    }
    Stream::new(number(&head["width"]), number(&head["height"]), bytes, sizes)
}

/// One test per recording, so that they run in parallel; a recording without a test is noticed.
macro_rules! recordings {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            read($name).check($name, TAIL);
        })*

        /// Run by hand; takes minutes. Each cut is fed all of the rest.
        #[test]
        #[ignore = "takes minutes"]
        fn whole_tails() {
            $(read($name).check($name, usize::MAX);)*
        }

        #[test]
        fn every_recording_is_tried() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
            let mut found: Vec<String> = std::fs::read_dir(folder)
                .unwrap()
                .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".cast.gz")?.to_owned()))
                .collect();
            found.sort();
            let mut tried = vec![$($name),*];
            tried.sort_unstable();
            assert_eq!(found, tried);
        }
    };
}

recordings! {
    claude_code: "claude";
    codex: "codex";
    less: "less";
    opencode: "opencode";
    vim: "vim";
}
