//! Defines the editor in which files are opened, as people write it, and the command line that opens one. Starts nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The editor of `editor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum EditorConfig {
    /// `zed`: one that Downbeat knows.
    Known(Editor),
    /// `[my-editor, "{path}:{line}"]`: a command with places for `{folder}`, `{path}` and `{line}`.
    Command(#[schemars(length(min = 1))] Vec<String>),
}

/// An editor with a window of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Editor {
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// Windsurf.
    Windsurf,
    /// `VSCodium`.
    VsCodium,
    /// Zed.
    Zed,
    /// Sublime Text.
    Sublime,
    /// IntelliJ IDEA.
    Idea,
    /// `PyCharm`.
    PyCharm,
    /// `WebStorm`.
    WebStorm,
    /// `RustRover`.
    RustRover,
    /// `GoLand`.
    GoLand,
    /// `CLion`.
    CLion,
    /// `PhpStorm`.
    PhpStorm,
    /// `RubyMine`.
    RubyMine,
}

/// How the command line of an editor names a line of a file.
enum Takes {
    /// `FOLDER --goto FILE:LINE`, as Visual Studio Code and those made from it.
    Goto,
    /// `FOLDER FILE:LINE`.
    Suffix,
    /// `--line LINE FILE`, as the editors of `JetBrains`, which find the folder by themselves.
    LineOption,
}

impl Editor {
    /// All of them. Without a choice, the first that is installed is used.
    pub const ALL: [Self; 14] = [
        Self::VsCode,
        Self::Cursor,
        Self::Windsurf,
        Self::VsCodium,
        Self::Zed,
        Self::Sublime,
        Self::Idea,
        Self::PyCharm,
        Self::WebStorm,
        Self::RustRover,
        Self::GoLand,
        Self::CLion,
        Self::PhpStorm,
        Self::RubyMine,
    ];

    /// Returns the one whose program has this name.
    #[must_use]
    pub fn of_program(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|editor| editor.programs().contains(&name))
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the names of its program, the usual one first.
    #[must_use]
    pub fn programs(self) -> &'static [&'static str] {
        self.row().1
    }

    fn row(self) -> (&'static str, &'static [&'static str], Takes) {
        match self {
            Self::VsCode => ("Visual Studio Code", &["code", "code-insiders"], Takes::Goto),
            Self::Cursor => ("Cursor", &["cursor"], Takes::Goto),
            Self::Windsurf => ("Windsurf", &["windsurf"], Takes::Goto),
            Self::VsCodium => ("VSCodium", &["codium"], Takes::Goto),
            // Some distributions have another `zed`.
            Self::Zed => ("Zed", &["zeditor", "zed"], Takes::Suffix),
            Self::Sublime => ("Sublime Text", &["subl"], Takes::Suffix),
            Self::Idea => ("IntelliJ IDEA", &["idea", "idea64"], Takes::LineOption),
            Self::PyCharm => ("PyCharm", &["pycharm", "pycharm64"], Takes::LineOption),
            Self::WebStorm => ("WebStorm", &["webstorm", "webstorm64"], Takes::LineOption),
            Self::RustRover => ("RustRover", &["rustrover", "rustrover64"], Takes::LineOption),
            Self::GoLand => ("GoLand", &["goland", "goland64"], Takes::LineOption),
            Self::CLion => ("CLion", &["clion", "clion64"], Takes::LineOption),
            Self::PhpStorm => ("PhpStorm", &["phpstorm", "phpstorm64"], Takes::LineOption),
            Self::RubyMine => ("RubyMine", &["rubymine", "rubymine64"], Takes::LineOption),
        }
    }

    /// Returns the arguments that open a folder, or a file in it.
    fn arguments(self, folder: &str, file: Option<(&str, u32)>) -> Vec<String> {
        let Some((path, line)) = file else {
            return vec![folder.to_owned()];
        };
        let place = format!("{path}:{line}");
        match self.row().2 {
            Takes::Goto => vec![folder.to_owned(), "--goto".to_owned(), place],
            Takes::Suffix => vec![folder.to_owned(), place],
            Takes::LineOption => vec!["--line".to_owned(), line.to_string(), path.to_owned()],
        }
    }
}

impl EditorConfig {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Known(editor) => editor.name(),
            Self::Command(argv) => argv.first().map_or("", String::as_str),
        }
    }

    /// Returns the names of its program.
    #[must_use]
    pub fn programs(&self) -> Vec<&str> {
        match self {
            Self::Known(editor) => editor.programs().to_vec(),
            Self::Command(argv) => argv.first().map(String::as_str).into_iter().collect(),
        }
    }

    /// Returns the arguments that open `folder`, or a line of a file in it. In a command, arguments with `{path}` or
    /// `{line}` are left out where no file is opened.
    #[must_use]
    pub fn arguments(&self, folder: &Path, file: Option<(&Path, u32)>) -> Vec<String> {
        let folder = folder.to_string_lossy();
        let file = file.map(|(path, line)| (path.to_string_lossy(), line));
        let file = file.as_ref().map(|(path, line)| (&**path, *line));
        match self {
            Self::Known(editor) => editor.arguments(&folder, file),
            Self::Command(argv) => argv
                .iter()
                .skip(1)
                .filter_map(|argument| filled(argument, &folder, file))
                .collect(),
        }
    }

    /// Returns what is wrong with it, if anything.
    pub(crate) fn wrong(&self) -> Option<&'static str> {
        let Self::Command(argv) = self else { return None };
        let (program, rest) = argv.split_first()?;
        if program.trim().is_empty() {
            return Some("the command names no program");
        }
        let is_place = |argument: &String| argument.contains("{path}") || argument.contains("{folder}");
        (!rest.iter().any(is_place))
            .then_some("the command has no place for the file: write \"{path}:{line}\"")
    }
}

/// Fills the places of an argument. What is put in is not looked at again.
fn filled(argument: &str, folder: &str, file: Option<(&str, u32)>) -> Option<String> {
    let line = file.map(|(_, line)| line.to_string());
    let places = [
        ("{folder}", Some(folder)),
        ("{path}", file.map(|(path, _)| path)),
        ("{line}", line.as_deref()),
    ];
    let mut out = String::new();
    let mut rest = argument;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        match places.iter().find(|(name, _)| from.starts_with(name)) {
            Some((name, value)) => {
                out.push_str((*value)?);
                rest = &from[name.len()..];
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Editor, EditorConfig};
    use std::path::Path;

    fn opened(editor: &EditorConfig, file: Option<(&str, u32)>) -> String {
        let file = file.map(|(path, line)| (Path::new(path), line));
        editor.arguments(Path::new("/work"), file).join(" ")
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        for (editor, at_line, alone) in [
            (Editor::VsCode, "/work --goto /work/a.rs:12", "/work"),
            (Editor::Zed, "/work /work/a.rs:12", "/work"),
            (Editor::Idea, "--line 12 /work/a.rs", "/work"),
        ] {
            let editor = EditorConfig::Known(editor);
            assert_eq!(opened(&editor, Some(("/work/a.rs", 12))), at_line);
            assert_eq!(opened(&editor, None), alone);
        }
    }

    #[test]
    fn a_command_has_its_places_filled_once() {
        let command = |words: &[&str]| EditorConfig::Command(words.iter().map(|&word| word.into()).collect());
        let mine = command(&["mine", "-n", "{folder}", "+{line}", "{path}", "{other}"]);
        assert_eq!(
            opened(&mine, Some(("/work/{line}.rs", 3))),
            "-n /work +3 /work/{line}.rs {other}"
        );
        assert_eq!(opened(&mine, None), "-n /work {other}");
        assert_eq!(mine.wrong(), None);
        assert!(command(&["mine"]).wrong().unwrap().contains("{path}"));
        assert!(command(&[" ", "{path}"]).wrong().unwrap().contains("no program"));
    }

    #[test]
    fn every_editor_is_read_by_its_word() {
        for editor in Editor::ALL {
            let word = serde_json::to_value(editor).unwrap();
            let read: EditorConfig = serde_json::from_value(word).unwrap();
            assert_eq!(read, EditorConfig::Known(editor));
            for program in editor.programs() {
                assert_eq!(Editor::of_program(program), Some(editor));
            }
        }
    }
}
