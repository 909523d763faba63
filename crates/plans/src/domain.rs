//! Finds the domain of a task by the words in it. Each domain has keywords; a person can add domains and words.

use aho_corasick::AhoCorasick;
use std::sync::OnceLock;

/// The domain of a text without any keyword.
pub const GENERAL: &str = "general";

/// The domains that everybody has, with their keywords. The name of a domain is a keyword too.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "frontend",
        &[
            "ui",
            "ux",
            "component",
            "react",
            "vue",
            "css",
            "tailwind",
            "form",
            "page",
        ],
    ),
    (
        "backend",
        &["api", "endpoint", "server", "jwt", "oauth", "middleware"],
    ),
    ("testing", &["test", "spec", "coverage", "jest", "pytest", "e2e"]),
    (
        "database",
        &["sql", "migration", "schema", "orm", "postgres", "mongodb"],
    ),
    (
        "devops",
        &["docker", "kubernetes", "ci/cd", "deploy", "terraform"],
    ),
    (
        "security",
        &["audit", "penetration", "vulnerability", "owasp", "encryption"],
    ),
    (
        "ml",
        &["model", "training", "dataset", "neural network", "pytorch"],
    ),
    ("mobile", &["ios", "android", "react native", "flutter"]),
    ("documentation", &["docs", "readme", "api docs", "guide"]),
];

/// The folders and files in which web frameworks have the classes of their tables: a model there is none of machine learning.
const ENTITIES: &[&str] = &["src/models", "app/models"];

/// Domains with their keywords.
#[derive(Debug, Clone)]
pub struct Domains {
    words: Vec<(String, Vec<String>)>,
    /// All words in one automaton: a plan of thousands of tasks looks for each of them in each task.
    keywords: OnceLock<Keywords>,
}

impl Default for Domains {
    fn default() -> Self {
        let all = KNOWN.iter().map(|(name, words)| {
            let words = words.iter().map(|word| (*word).to_owned());
            ((*name).to_owned(), words.collect())
        });
        Self {
            words: all.collect(),
            keywords: OnceLock::new(),
        }
    }
}

impl Domains {
    /// Adds keywords to a domain, which may be new.
    #[must_use]
    pub fn with(mut self, name: &str, words: impl IntoIterator<Item = String>) -> Self {
        let name = name.trim().to_lowercase();
        let words = words.into_iter().map(|word| word.trim().to_lowercase());
        let at = self.words.iter().position(|(own, _)| *own == name);
        let at = at.unwrap_or_else(|| {
            self.words.push((name, Vec::new()));
            self.words.len() - 1
        });
        if let Some((_, own)) = self.words.get_mut(at) {
            for word in words.filter(|word| !word.is_empty()) {
                // A word that is named twice counts once.
                if !own.contains(&word) {
                    own.push(word);
                }
            }
        }
        self.keywords = OnceLock::new();
        self
    }

    /// Returns the names of all domains.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.words.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns whether there is a domain of this name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.words.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Returns the domain of a text: the one with the most words in it; among equals, the one whose word comes
    /// first. Words count as a whole, in the singular or the plural.
    #[must_use]
    pub fn of(&self, text: &str) -> &str {
        let mut text = text.to_lowercase();
        if ENTITIES.iter().any(|folder| text.contains(folder)) && !text.contains("train") {
            text = text.replace("model", "orm");
        }
        let found = self
            .keywords
            .get_or_init(|| Keywords::of(&self.words))
            .find(&text);
        let mut best: Option<(usize, usize, &str)> = None;
        for ((name, _), (weight, first)) in self.words.iter().zip(found) {
            let is_better =
                best.is_none_or(|(most, earliest, _)| weight > most || (weight == most && first < earliest));
            if weight > 0 && is_better {
                best = Some((weight, first, name));
            }
        }
        best.map_or(GENERAL, |(_, _, name)| name)
    }
}

/// The keywords of all domains, and the names of these, in the singular and the plural.
#[derive(Debug, Clone)]
struct Keywords {
    /// Finds them; nothing if there are too many for one automaton.
    automaton: Option<AhoCorasick>,
    /// For each pattern: the place of its domain, and the number of its keyword.
    whose: Vec<(usize, usize)>,
    /// For each keyword, how much it counts: the square of the number of its words.
    weights: Vec<usize>,
    domains: usize,
}

impl Keywords {
    fn of(domains: &[(String, Vec<String>)]) -> Self {
        let (mut patterns, mut whose, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (name, words)) in domains.iter().enumerate() {
            for word in words.iter().chain([name]).filter(|word| !word.is_empty()) {
                patterns.extend([word.clone(), plural(word)]);
                whose.extend([(place, weights.len()); 2]);
                weights.push(word.split(' ').count().pow(2));
            }
        }
        Self {
            automaton: AhoCorasick::new(patterns).ok(),
            whose,
            weights,
            domains: domains.len(),
        }
    }

    /// Returns for each domain how much its keywords in a text weigh, and where the first one begins. A keyword counts once.
    fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let mut found = vec![(0, usize::MAX); self.domains];
        let mut seen = vec![false; self.weights.len()];
        let all = self
            .automaton
            .iter()
            .flat_map(|one| one.find_overlapping_iter(text));
        for at in all.filter(|at| is_whole_word(text, at.start(), at.end())) {
            let Some((place, keyword)) = self.whose.get(at.pattern().as_usize()).copied() else {
                continue;
            };
            let Some((weight, first)) = found.get_mut(place) else {
                continue;
            };
            *first = at.start().min(*first);
            if let (Some(seen), Some(own)) = (seen.get_mut(keyword), self.weights.get(keyword)) {
                *weight += if std::mem::replace(seen, true) { 0 } else { *own };
            }
        }
        found
    }
}

fn plural(word: &str) -> String {
    match word.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{word}s"),
    }
}

fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|part| part.chars().next_back());
    let after = text.get(end..).and_then(|part| part.chars().next());
    !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::{Domains, GENERAL};

    #[test]
    fn domains_are_found_by_whole_words() {
        let table = [
            ("Build login UI", "frontend"),
            ("Create JWT API", "backend"),
            ("Write tests", "testing"),
            ("Security audit", "security"),
            ("Build user registration UI", "frontend"),
            ("Create registration API", "backend"),
            ("Add E2E tests", "testing"),
            ("Run OWASP scan", "security"),
            ("Check dependencies for vulnerabilities", "security"),
            ("Audit authentication flow", "security"),
            ("Refactor frontend components", "frontend"),
            ("Update API contracts", "backend"),
            ("Fix broken tests", "testing"),
            ("Set up database", "database"),
            ("Write API docs", "documentation"),
            ("Ship the React Native app", "mobile"),
            ("Set up CI/CD", "devops"),
            ("Train a neural network", "ml"),
            ("Improve the model", "ml"),
            ("Train the model in src/models/net.py", "ml"),
            ("Create User model in backend/src/models/user.py", "database"),
            ("Fix a quick bug in the fruit basket", GENERAL),
            ("Latest contest", GENERAL),
            ("", GENERAL),
        ];
        let domains = Domains::default();
        for (text, domain) in table {
            assert_eq!(domains.of(text), domain, "{text}");
        }
    }

    #[test]
    fn a_person_adds_domains_and_words() {
        let own = ["smart contract", "Web3"].map(str::to_owned);
        let domains = Domains::default()
            .with("blockchain", own)
            .with("backend", ["grpc".to_owned()]);
        assert_eq!(domains.of("Deploy the web3 smart contracts"), "blockchain");
        assert_eq!(domains.of("Speak gRPC"), "backend");
        assert!(domains.knows("Blockchain") && !domains.knows("defi"));
    }
}
