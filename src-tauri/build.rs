//! Reads `tauri.conf.json`. Also makes an empty page where the interface was not built yet, so
//! that Rust can be checked alone.

use std::{fs, io, path::Path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    placeholder(Path::new("ui/dist"))?;
    let attributes =
        tauri_build::Attributes::new().capabilities_path_pattern("src-tauri/capabilities/*.json");
    tauri_build::try_build(attributes)?;
    Ok(())
}

fn placeholder(dist: &Path) -> io::Result<()> {
    let page = dist.join("index.html");
    if page.exists() {
        return Ok(());
    }
    fs::create_dir_all(dist)?;
    fs::write(
        page,
        "<!doctype html><title>Downbeat</title><p>The interface is not built: npm run ui:build</p>",
    )
}
