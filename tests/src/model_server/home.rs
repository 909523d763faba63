//! Home directories in which the agents start against a loopback model without questions of their own. They
//! trust no folder: a test does that if it wants to.

use serde_json::json;
use std::io;
use std::path::Path;

/// The API key; the settings approve it by its last 20 characters.
const KEY: &str = "sk-test";

/// Writes the home directory and returns the environment that belongs to it, without `PATH`.
pub fn claude_home(home: &Path, url: &str) -> io::Result<Vec<(String, String)>> {
    std::fs::create_dir_all(home)?;
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
    });
    std::fs::write(home.join(".claude.json"), settings.to_string())?;
    Ok(environment(
        home,
        &[
            ("ANTHROPIC_API_KEY", KEY),
            ("ANTHROPIC_BASE_URL", url),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ],
    ))
}

/// Writes a home directory for Codex.
pub fn codex_home(home: &Path, url: &str) -> io::Result<Vec<(String, String)>> {
    let settings = home.join(".codex");
    std::fs::create_dir_all(&settings)?;
    let config = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{url}/v1\"\n\
         env_key = \"SCRIPTED_KEY\"\nwire_api = \"responses\"\n\
         [tui]\nscreen_reader_detection_done = true\n"
    );
    std::fs::write(settings.join("config.toml"), config)?;
    Ok(environment(home, &[("SCRIPTED_KEY", KEY)]))
}

/// Writes a home directory for OpenCode. It looks as after OpenCode's first start, which installs a package for
/// plugins from the registry: with several first starts at a time that takes minutes. Its list of the models of all
/// providers is empty: reading the whole one takes more than half of the processor time and a third of the memory of
/// a first turn, and no test needs it.
pub fn opencode_home(home: &Path, url: &str) -> io::Result<Vec<(String, String)>> {
    let settings = home.join(".config/opencode");
    std::fs::create_dir_all(settings.join("node_modules"))?;
    let installed = json!({"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}});
    std::fs::write(settings.join("package-lock.json"), installed.to_string())?;
    let options = json!({"baseURL": format!("{url}/v1"), "apiKey": KEY});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "Scripted",
        "options": options, "models": {"scripted": {"name": "Scripted"}},
    });
    let config = json!({
        "$schema": "https://opencode.ai/config.json",
        "autoupdate": false,
        "model": "scripted/scripted",
        "provider": {"scripted": provider},
    });
    std::fs::write(settings.join("opencode.json"), config.to_string())?;
    let models = settings.join("models.json");
    std::fs::write(&models, "{}")?;
    Ok(environment(
        home,
        &[
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_MODELS_PATH", &models.to_string_lossy()),
        ],
    ))
}

fn environment(home: &Path, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let home = home.to_string_lossy();
    let common = [
        ("HOME", home.as_ref()),
        ("USERPROFILE", home.as_ref()),
        ("LANG", "C.UTF-8"),
        ("TERM", "xterm-256color"),
    ];
    let all = common.iter().chain(more);
    all.map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}
