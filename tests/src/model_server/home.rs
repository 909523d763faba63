//! A home directory in which Claude Code starts against a loopback model without asking
//! anything of its own. It trusts no folder: a test does that where it wants to.

use serde_json::json;
use std::io;
use std::path::Path;

/// The key that is sent; the settings approve it by its last 20 characters.
const KEY: &str = "sk-test";

/// Writes the home directory and gives the environment that belongs to it, without `PATH`.
pub fn claude_home(home: &Path, url: &str) -> io::Result<Vec<(String, String)>> {
    std::fs::create_dir_all(home)?;
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
    });
    std::fs::write(home.join(".claude.json"), settings.to_string())?;
    let env = [
        ("HOME", home.to_string_lossy().as_ref()),
        ("USERPROFILE", home.to_string_lossy().as_ref()),
        ("ANTHROPIC_API_KEY", KEY),
        ("ANTHROPIC_BASE_URL", url),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm-256color"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(env.to_vec())
}
