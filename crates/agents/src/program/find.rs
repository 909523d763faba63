//! Finds what has to be run for a named program. On Windows, npm and similar tools put a batch file in front
//! of the program, and `cmd` reads all arguments of a batch file as code. So the batch file is read, and the
//! program that it would start is started instead. Nothing is run here.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The number of bytes of a batch file that are read: npm's own are below two kilobytes.
const SHIM: u64 = 16 << 10;
/// The maximum depth of variables in a batch file that refer to other variables.
const DEPTH: u8 = 3;

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file that was found on the search path: the program itself, or the batch file that starts it.
    pub found: PathBuf,
    /// The program to start.
    pub path: PathBuf,
    /// Arguments that come before all others: the script, if the program is only its interpreter.
    pub arguments: Vec<String>,
}

impl Program {
    /// Returns a program that is started as it was found.
    #[must_use]
    pub fn plain(path: PathBuf) -> Self {
        Self {
            found: path.clone(),
            path,
            arguments: Vec::new(),
        }
    }
}

/// The reason why nothing can be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoProgram {
    /// There is no such program.
    #[error("{0:?} is not on PATH")]
    Missing(String),
    /// There is only a batch file, and the program that it starts cannot be determined.
    #[error(
        "{} is a batch file: what it starts is not clear, and Windows would read arguments of a batch file as code",
        .0.display()
    )]
    Batch(PathBuf),
}

/// Looks for `program` (a name, or an absolute path) in the directories of `path_env`. A name is never looked
/// up in the current directory.
pub fn find_program(program: &str, path_env: &OsStr) -> Result<Program, NoProgram> {
    let missing = || NoProgram::Missing(program.to_owned());
    if program.contains(['/', '\\']) && !Path::new(program).is_absolute() {
        return Err(missing());
    }
    let path = absolute_only(path_env);
    let look = |name: &str| which::which_in(name, Some(&path), "/").ok();
    let found = look(program).ok_or_else(missing)?;
    if !cfg!(windows) || !is_batch(&found) {
        return Ok(Program::plain(found));
    }
    behind(&found, || look("node.exe")).ok_or(NoProgram::Batch(found))
}

/// Returns the directories of a `PATH` that do not depend on the current directory. An empty or relative
/// entry means the current directory, and anybody may be able to write there.
pub(crate) fn absolute_only(path_env: &OsStr) -> OsString {
    let absolute = std::env::split_paths(path_env).filter(|folder| folder.is_absolute());
    std::env::join_paths(absolute).unwrap_or_default()
}

fn is_batch(path: &Path) -> bool {
    let extension = path.extension();
    extension.is_some_and(|e| e.eq_ignore_ascii_case("cmd") || e.eq_ignore_ascii_case("bat"))
}

/// Returns the program behind a batch file of a known kind: the last line that passes its arguments on names
/// an `.exe` next to it, or `node` and a script next to it.
fn behind(batch: &Path, node: impl FnOnce() -> Option<PathBuf>) -> Option<Program> {
    let mut text = Vec::new();
    let file = std::fs::File::open(batch).ok()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(file, SHIM), &mut text).ok()?;
    let directory = batch.parent()?;
    let words = command(std::str::from_utf8(&text).ok()?, directory)?;
    let (first, rest) = words.split_first()?;
    let runs_node = Path::new(first.text()?)
        .file_stem()
        .is_some_and(|stem| stem.eq_ignore_ascii_case("node"));
    let path = if runs_node {
        let own = directory.join("node.exe");
        // Without a script, `node` would read the agent's arguments as its own.
        let script = rest.iter().any(|word| matches!(word, Word::Beside(_)));
        script.then(|| own.is_file().then_some(own).or_else(node))??
    } else {
        first.program()?
    };
    let arguments = rest.iter().map(Word::argument).collect::<Option<_>>()?;
    Some(Program {
        found: batch.to_owned(),
        path,
        arguments,
    })
}

/// A word of a batch file's command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// A path that starts at the batch file's own directory.
    Beside(PathBuf),
    /// Any other word.
    Plain(String),
}

impl Word {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Beside(path) => path.to_str(),
            Self::Plain(text) => Some(text),
        }
    }

    /// Returns the word as a program that Windows starts without an interpreter.
    fn program(&self) -> Option<PathBuf> {
        let Self::Beside(path) = self else { return None };
        let is_exe = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("exe"));
        (is_exe && path.is_file()).then(|| path.clone())
    }

    fn argument(&self) -> Option<String> {
        match self {
            Self::Beside(path) if !path.is_file() => None,
            other => other.text().map(str::to_owned),
        }
    }
}

/// Returns the words before `%*` in the last line that contains it; `None` if they are not plain.
fn command(text: &str, directory: &Path) -> Option<Vec<Word>> {
    let line = text.lines().rev().find(|line| line.contains("%*"))?;
    let words = split(line)?;
    let last = words
        .iter()
        .rposition(|word| matches!(word.as_str(), "&" | "&&" | "||"));
    let mut words = &words[last.map_or(0, |at| at + 1)..];
    if let [before @ .., end] = words
        && end == ")"
    {
        words = before;
    }
    let (end, words) = words.split_last()?;
    if end != "%*" || words.is_empty() {
        return None;
    }
    words
        .iter()
        .map(|word| expand(word, text, directory, DEPTH))
        .collect()
}

/// Splits a line into words without their quotes; `None` if a quote does not end or is inside a word.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.trim().trim_start_matches('@').trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        let whole = after.is_empty() || after.starts_with(char::is_whitespace);
        if !whole || (!rest.starts_with('"') && word.contains('"')) {
            return None;
        }
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Some(words)
}

/// Expands a word; `None` if `cmd` would read it in another way.
fn expand(word: &str, text: &str, directory: &Path, depth: u8) -> Option<Word> {
    for own in ["%~dp0", "%dp0%"] {
        let (Some(head), Some(inside)) = (word.get(..own.len()), word.get(own.len()..)) else {
            continue;
        };
        if head.eq_ignore_ascii_case(own) {
            return in_directory(directory, inside);
        }
    }
    let name = word.strip_prefix('%').and_then(|rest| rest.strip_suffix('%'));
    if let Some(name) = name.filter(|name| depth > 0 && !name.is_empty()) {
        return expand(setting(text, name)?, text, directory, depth - 1);
    }
    let plain = !word.contains(['%', '!', '^', '&', '|', '<', '>', '"', '(', ')']);
    plain.then(|| Word::Plain(word.to_owned()))
}

/// Resolves a path of a batch file against its directory.
fn in_directory(directory: &Path, inside: &str) -> Option<Word> {
    if inside.contains(['%', '!', '^', '"', ':']) {
        return None;
    }
    let mut path = directory.to_owned();
    for part in inside.split(['\\', '/']) {
        match part {
            "" | "." => {}
            ".." => path.pop().then_some(())?,
            name => path.push(name),
        }
    }
    Some(Word::Beside(path))
}

/// Returns the first value that a batch file assigns to a variable: `SET "name=value"`.
fn setting<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let line = line.trim().trim_start_matches('@');
        let (set, rest) = line.split_once(' ')?;
        let (key, value) = rest
            .trim()
            .strip_prefix('"')?
            .strip_suffix('"')?
            .split_once('=')?;
        (set.eq_ignore_ascii_case("set") && key.eq_ignore_ascii_case(name)).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A batch file for a script, as npm 7 and later write it.
    const NPM: &str = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n\
        IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n\
        endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \"%dp0%\\node_modules\\agent\\cli.js\" %*\r\n";
    /// A batch file for a program, as npm writes it.
    const NATIVE: &str =
        "@ECHO off\r\nSETLOCAL\r\nCALL :find_dp0\r\n\"%dp0%\\node_modules\\agent\\bin\\agent.exe\"   %*\r\n";
    /// A batch file as pnpm, and npm before 7, write it.
    const PNPM: &str = "@SETLOCAL\r\n@IF EXIST \"%~dp0\\node.exe\" (\r\n  \"%~dp0\\node.exe\"  \"%~dp0\\..\\store\\agent\\cli.js\" %*\r\n) ELSE (\r\n\
        \x20 @SET PATHEXT=%PATHEXT:;.JS;=;%\r\n  node  \"%~dp0\\..\\store\\agent\\cli.js\" %*\r\n)\r\n";
    /// The batch file of npm itself.
    const OWN: &str = "@ECHO OFF\r\nSET \"NODE_EXE=%~dp0\\node.exe\"\r\nIF NOT EXIST \"%NODE_EXE%\" (\r\n  SET \"NODE_EXE=node\"\r\n)\r\n\
        SET \"NPM_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npm-cli.js\"\r\nSET \"NPM_CLI_JS=%NPM_PREFIX_NPM_CLI_JS%\"\r\n\"%NODE_EXE%\" \"%NPM_CLI_JS%\" %*\r\n";

    struct Place(tempfile::TempDir);

    impl Place {
        fn new(files: &[&str]) -> Self {
            let place = Self(tempfile::tempdir().unwrap());
            for file in files {
                let path = place.path(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, "").unwrap();
            }
            place
        }

        fn path(&self, file: &str) -> PathBuf {
            file.split('/')
                .fold(self.0.path().to_owned(), |path, part| path.join(part))
        }

        fn behind(&self, text: &str) -> Option<(PathBuf, Vec<String>)> {
            let batch = self.path("npm/agent.cmd");
            std::fs::create_dir_all(batch.parent().unwrap()).unwrap();
            std::fs::write(&batch, text).unwrap();
            let program = behind(&batch, || Some("elsewhere/node.exe".into()))?;
            assert_eq!(program.found, batch);
            Some((program.path, program.arguments))
        }

        fn text(&self, file: &str) -> String {
            self.path(file).to_str().unwrap().to_owned()
        }
    }

    #[test]
    fn a_script_is_run_by_node() {
        let script = "npm/node_modules/agent/cli.js";
        let place = Place::new(&[script]);
        let wanted = ("elsewhere/node.exe".into(), vec![place.text(script)]);
        assert_eq!(place.behind(NPM), Some(wanted));
        let place = Place::new(&[script, "npm/node.exe"]);
        let wanted = (place.path("npm/node.exe"), vec![place.text(script)]);
        assert_eq!(place.behind(NPM), Some(wanted));
        let place = Place::new(&["store/agent/cli.js"]);
        let wanted = (
            "elsewhere/node.exe".into(),
            vec![place.text("store/agent/cli.js")],
        );
        assert_eq!(place.behind(PNPM), Some(wanted));
        let cli = "npm/node_modules/npm/bin/npm-cli.js";
        let place = Place::new(&[cli, "npm/node.exe"]);
        let wanted = (place.path("npm/node.exe"), vec![place.text(cli)]);
        assert_eq!(place.behind(OWN), Some(wanted));
        let options = "@node --no-warnings \"%~dp0\\cli.js\" %*";
        let place = Place::new(&["npm/cli.js"]);
        let wanted = vec!["--no-warnings".to_owned(), place.text("npm/cli.js")];
        assert_eq!(place.behind(options), Some(("elsewhere/node.exe".into(), wanted)));
    }

    #[test]
    fn a_program_next_to_a_batch_file_is_run_directly() {
        let exe = "npm/node_modules/agent/bin/agent.exe";
        let place = Place::new(&[exe]);
        assert_eq!(place.behind(NATIVE), Some((place.path(exe), Vec::new())));
    }

    #[test]
    fn an_unclear_batch_file_is_refused() {
        let place = Place::new(&["npm/x.js", "npm/x.exe", "npm/x.bat"]);
        for text in [
            "",
            "@echo off\r\nx.exe",
            // The program would read the arguments as its own, or as another program's.
            "node %*",
            "python \"%~dp0\\x.js\" %*",
            "\"%~dp0\\x.bat\" %*",
            "\"%~dp0\\gone.exe\" %*",
            "node \"%~dp0\\gone.js\" %*",
            "\"%~dp0\\x.exe\" %* > log",
            "\"%~dp0\\x.exe\" %* & del x",
            "\"%~dp0\\x.exe\" %SECRET% %*",
            "\"%~dp0\\x.exe\" a^b %*",
            "\"%~dp0\\%NAME%.exe\" %*",
            "\"%~dp0\\x.exe %*",
            "SET \"A=%B%\"\r\nSET \"B=%A%\"\r\n\"%A%\" %*",
        ] {
            assert_eq!(place.behind(text), None, "{text}");
        }
    }

    #[test]
    fn only_names_and_absolute_paths_are_looked_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().as_os_str();
        for name in ["./ag", "a/b", "..\\ag", "no-such-program-anywhere", ""] {
            assert_eq!(
                find_program(name, path),
                Err(NoProgram::Missing(name.into())),
                "{name}"
            );
        }
        let refused = NoProgram::Batch("C:/x/claude.cmd".into()).to_string();
        assert!(
            refused.starts_with("C:/x/claude.cmd is a batch file"),
            "{refused}"
        );
    }
}
