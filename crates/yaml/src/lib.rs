//! YAML files that people write, read into Rust types: everything that does not fit is named with
//! file, line, column and the nearest valid word, all at once. Which files there are and what may
//! stand in them is the types', elsewhere.
//!
//! Map: `tree` reads YAML with places, `problem` is what people read, `check` holds a tree against the schema that
//! comes from the type, `load` puts them together; [`Rules`] adds what a schema cannot say.
#![forbid(unsafe_code)]

mod check;
mod load;
mod problem;
mod tree;

pub use check::nearest;
pub use load::{Broken, MOST_BYTES, Rules, load, parse, problem_at, read, schema_of, text};
pub use problem::{Error, MOST_PROBLEMS, Problem};
pub use tree::{Key, Kind, Mark, Node, Wrong};
