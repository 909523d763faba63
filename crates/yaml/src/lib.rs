//! YAML files that people write, read into Rust types. Everything that does not fit is reported in one go
//! with file, line, column and the nearest valid word. The types, and the paths of the files, are defined by
//! the callers.
//!
//! Map: `tree` parses YAML with places, `problem` is what people read, `check` compares a tree with the
//! schema of the type, `load` combines them; [`Rules`] adds what a schema cannot express.
#![forbid(unsafe_code)]

mod check;
mod load;
mod problem;
mod tree;

pub use check::nearest;
pub use load::{Broken, MOST_BYTES, Rules, load, parse, problem_at, read, schema_of, text};
pub use problem::{Error, MOST_PROBLEMS, Problem};
pub use tree::{Key, Kind, Mark, Node, Wrong};
