//! Holds the order of this crate: a file imports only from modules that the list in `lib.rs` names
//! before its own, and files of one module do not import each other in a circle. Tests are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Which files each file imports, by their module paths, and the modules in the order of the list.
#[derive(Default)]
struct Crate {
    order: Vec<String>,
    imports: BTreeMap<String, BTreeSet<String>>,
}

/// The code of a file without comments and tests, and the modules that only tests have.
fn code(text: &str) -> (String, Vec<String>) {
    let (mut kept, mut tests, mut is_test) = (String::new(), Vec::new(), false);
    for line in text.lines().map(str::trim) {
        match line {
            line if line.starts_with("//") => {}
            line if line.starts_with("#[cfg(") && line.contains("test") => is_test = true,
            line if line.starts_with("#[") && is_test => {}
            line if is_test && line.starts_with("mod ") && line.ends_with('{') => break,
            line if is_test && line.starts_with("mod ") => {
                tests.push(line[4..line.len() - 1].to_owned());
                is_test = false;
            }
            line => {
                is_test = false;
                kept.push_str(line);
                kept.push('\n');
            }
        }
    }
    (kept, tests)
}

/// The paths that `code` names after `crate` or `super`, and those of its own modules, each in full.
fn paths(code: &str, module: &[String], parent: &[String]) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for (word, base) in [("crate::", &[][..]), ("super::", parent)] {
        for (at, _) in code.match_indices(word) {
            let rest = &code[at + word.len()..];
            let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
            let path = |tail: &str| -> Vec<String> {
                let names = rest[..end].split("::").chain(tail.split("::"));
                let names = names.filter(|name| !name.is_empty()).map(str::to_owned);
                base.iter().cloned().chain(names).collect()
            };
            match rest[end..]
                .strip_prefix('{')
                .and_then(|group| group.split_once('}'))
            {
                Some((group, _)) => all.extend(group.split(',').map(|name| path(name.trim()))),
                None => all.push(path("")),
            }
        }
    }
    for line in code.lines() {
        let name = line
            .split_once("mod ")
            .and_then(|(_, name)| name.strip_suffix(';'));
        if let Some(name) = name {
            all.push(module.iter().cloned().chain([name.to_owned()]).collect());
        }
    }
    all
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            _ if path.is_dir() => files(&path, into),
            Some("rs") => into.push(path),
            _ => {}
        }
    }
}

fn read(root: &Path) -> Crate {
    let mut found = Vec::new();
    files(root, &mut found);
    let (mut texts, mut tests) = (BTreeMap::new(), BTreeSet::new());
    for path in found {
        let inside = path.strip_prefix(root).unwrap().with_extension("");
        let mut module: Vec<String> = inside
            .iter()
            .map(|name| name.to_str().unwrap().to_owned())
            .collect();
        let is_folder = module.last().is_some_and(|name| name == "mod" || name == "lib");
        if is_folder {
            module.pop();
        }
        let (code, only_tests) = code(&std::fs::read_to_string(&path).unwrap());
        let folder = if is_folder {
            &module[..]
        } else {
            &module[..module.len() - 1]
        };
        tests.extend(
            only_tests
                .iter()
                .map(|name| [folder, std::slice::from_ref(name)].concat()),
        );
        texts.insert(module, code);
    }
    texts.retain(|module, _| !module.is_empty() && !tests.contains(module));
    let list = std::fs::read_to_string(root.join("lib.rs")).unwrap();
    let named = list.lines().filter_map(|line| line.strip_prefix("//! * `"));
    let mut all = Crate {
        order: named
            .filter_map(|line| Some(line.split_once('`')?.0.to_owned()))
            .collect(),
        ..Crate::default()
    };
    for (module, code) in &texts {
        let parent = &module[..module.len().saturating_sub(1)];
        let named = paths(code, module, parent);
        let file = |path: &Vec<String>| {
            let lengths = (1..=path.len()).rev();
            let mut files = lengths.map(|length| &path[..length]);
            files
                .find(|file| texts.contains_key(*file))
                .map(|file| file.join("/"))
        };
        let own = module.join("/");
        let imported = named
            .iter()
            .filter_map(file)
            .filter(|file| *file != own)
            .collect();
        all.imports.insert(own, imported);
    }
    all
}

/// What is wrong with the order, in words.
fn wrong(all: &Crate) -> Vec<String> {
    let mut wrong = Vec::new();
    let top = |file: &str| -> Option<usize> {
        let name = file.split('/').next()?;
        all.order.iter().position(|one| one == name)
    };
    for (file, imported) in &all.imports {
        if top(file).is_none() {
            wrong.push(format!("{file} stands nowhere in the list of lib.rs"));
        }
        for other in imported {
            if top(other) > top(file) {
                wrong.push(format!("{file} imports {other}, which stands after it"));
            }
            let (mut seen, mut next) = (BTreeSet::new(), vec![other]);
            while let Some(one) = next.pop() {
                if seen.insert(one) {
                    next.extend(all.imports.get(one).into_iter().flatten());
                }
            }
            if seen.contains(file) {
                wrong.push(format!("{file} imports {other}, which comes back to it"));
            }
        }
    }
    wrong
}

#[test]
fn a_file_imports_only_what_stands_before_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all = read(&root);
    assert!(all.order.len() > 10 && all.imports.len() > 30, "{:?}", all.order);
    assert_eq!(wrong(&all), Vec::<String>::new());
}

#[test]
fn an_arrow_up_and_a_circle_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "lib.rs",
        "//! * `low`: x\n//! * `high`: y\n#[cfg(test)]\nmod held;\n",
    );
    write("lost.rs", "");
    write("held.rs", "use crate::high::a;\n");
    write("low.rs", "// crate::high\nuse crate::high::{\n    a::A, b};\n");
    write("high/mod.rs", "mod a;\nmod b;\n");
    write(
        "high/a.rs",
        "use super::b::B;\n#[cfg(test)]\nmod tests { use crate::low; }\n",
    );
    write("high/b.rs", "fn f() { super::a::g() }\n");
    let found = wrong(&read(dir.path()));
    assert_eq!(
        found,
        [
            "high/a imports high/b, which comes back to it",
            "high/b imports high/a, which comes back to it",
            "lost stands nowhere in the list of lib.rs",
            "low imports high/a, which stands after it",
            "low imports high/b, which stands after it",
        ]
    );
}

/// `docs/ARCHITECTURE.md` lists the files that a new adapter touches.
#[test]
fn only_these_files_name_a_kind_of_adapter() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut all = Vec::new();
    files(crates, &mut all);
    all.retain(|path| {
        code(&std::fs::read_to_string(path).unwrap())
            .0
            .contains("AdapterKind")
    });
    let mut named: Vec<_> = all
        .iter()
        .map(|path| {
            path.strip_prefix(crates)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/")
        })
        .filter(|name| !name.ends_with("agents/src/order.rs"))
        .collect();
    named.sort();
    assert_eq!(
        named,
        [
            "agents/src/adapters/mod.rs",
            "agents/src/agent/trust.rs",
            "agents/src/lib.rs",
            "agents/src/manifest/form.rs",
            "agents/src/manifest/mod.rs",
        ]
    );
}
