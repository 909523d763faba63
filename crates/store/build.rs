//! Lists the migrations for the sources of this crate. The macro of sqlx would do that too, but it builds a second SQLite, for the
//! compiler.

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::var("CARGO_MANIFEST_DIR")?;
    let out = std::env::var("OUT_DIR")?;
    for name in ["migrations", "chronicle"] {
        let from = Path::new(&folder).join(name);
        // Without this, a new file would not be compiled in.
        println!("cargo:rerun-if-changed={name}");
        fs::write(Path::new(&out).join(format!("{name}.rs")), list(&from)?)?;
    }
    Ok(())
}

/// Returns the files of a folder as the source of a list of names and texts.
fn list(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut files = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|name| name.ends_with(".sql")) {
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    let lines = files
        .iter()
        .map(|(name, path)| format!("    ({name:?}, include_str!({path:?})),\n"));
    Ok(format!("&[\n{}]\n", lines.collect::<String>()))
}
