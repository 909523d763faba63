//! The names of the files that are written for the workers of a plan: short, and each only once, also where a folder does not tell
//! upper from lower case.

use std::collections::{HashMap, HashSet};

/// The most characters of a worker's name in the name of a file.
const MOST_CHARS: usize = 60;

/// The most bytes of it: file systems count these, and allow 255 with what stands around it.
const MOST_BYTES: usize = 180;

/// Returns a part of a file name for each worker, in the same order.
#[must_use]
pub fn file_names(workers: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let names = workers.iter().map(|worker| {
        let plain = plain(worker);
        let number = numbers.entry(folded(&plain)).or_insert(0);
        loop {
            *number += 1;
            let name = match *number {
                1 => plain.clone(),
                number => format!("{plain}-{number}"),
            };
            if taken.insert(folded(&name)) {
                break name;
            }
        }
    });
    names.collect()
}

/// Returns a name without signs that a file name may not have, shortened.
fn plain(worker: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut name = String::new();
    for c in worker.chars().take(MOST_CHARS) {
        let c = if is_plain(c) { c } else { '-' };
        if name.len() + c.len_utf8() > MOST_BYTES {
            break;
        }
        name.push(c);
    }
    name
}

/// Returns what file systems that do not tell upper from lower case make of a name.
fn folded(name: &str) -> String {
    name.to_uppercase().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{file_names, folded};
    use std::collections::HashSet;

    #[test]
    fn each_worker_has_a_name_of_its_own() {
        let workers = ["a b", "a-b", "A.B", "a-b-2", "ſun", "sun", "../ui"];
        assert_eq!(
            file_names(&workers),
            ["a-b", "a-b-2", "A-B-3", "a-b-2-2", "ſun", "sun-2", "---ui"]
        );
    }

    #[test]
    fn long_names_are_cut_and_still_differ() {
        for letter in ["x", "é", "\u{20000}"] {
            let long = letter.repeat(300);
            let (one, other) = (format!("{long}1"), format!("{long}2"));
            let names = file_names(&[&one, &other]);
            let differ: HashSet<String> = names.iter().map(|name| folded(name)).collect();
            assert_eq!(differ.len(), 2, "{names:?}");
            assert!(names.iter().all(|name| name.len() < 200), "{names:?}");
        }
    }

    #[test]
    fn thousands_of_equal_names_are_numbered() {
        let names = file_names(&vec!["a"; 20_000]);
        assert_eq!(names.last().map(String::as_str), Some("a-20000"));
    }
}
