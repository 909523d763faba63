//! Finds the domain of a task by the words in it. Each domain has keywords; a person can add domains and words.

/// The domain of a text without any keyword.
pub const GENERAL: &str = "general";

/// The domains that everybody has, with their keywords. The name of a domain is a keyword too.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "frontend",
        &["ui", "ux", "component", "react", "vue", "css", "tailwind", "form"],
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

/// The folders in which web frameworks have the classes of their tables: a model there is none of machine learning.
const ENTITIES: &[&str] = &["src/models/", "app/models/"];

/// Domains with their keywords.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domains(Vec<(String, Vec<String>)>);

impl Default for Domains {
    fn default() -> Self {
        let all = KNOWN.iter().map(|(name, words)| {
            let words = words.iter().map(|word| (*word).to_owned());
            ((*name).to_owned(), words.collect())
        });
        Self(all.collect())
    }
}

impl Domains {
    /// Adds keywords to a domain, which may be new.
    #[must_use]
    pub fn with(mut self, name: &str, words: impl IntoIterator<Item = String>) -> Self {
        let name = name.trim().to_lowercase();
        let words = words.into_iter().map(|word| word.trim().to_lowercase());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, own)) => own.extend(words),
            None => self.0.push((name, words)),
        }
        self
    }

    /// Returns the names of all domains.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Returns whether there is a domain of this name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own.eq_ignore_ascii_case(name))
    }

    /// Returns the domain of a text: the one with the most words in it; among equals, the one whose word comes
    /// first. Words count as a whole, in the singular or the plural.
    #[must_use]
    pub fn of(&self, text: &str) -> &str {
        let mut text = text.to_lowercase();
        if ENTITIES.iter().any(|folder| text.contains(folder)) && !text.contains("train") {
            text = text.replace("model", "orm");
        }
        let mut best: Option<(usize, usize, &str)> = None;
        for (name, words) in &self.0 {
            let all = words.iter().map(String::as_str).chain([name.as_str()]);
            let found = all.filter_map(|word| Some((word.split(' ').count(), position(&text, word)?)));
            let (mut weight, mut first) = (0, usize::MAX);
            for (own, place) in found {
                weight += own * own;
                first = first.min(place);
            }
            let is_better =
                best.is_none_or(|(most, earliest, _)| weight > most || (weight == most && first < earliest));
            if weight > 0 && is_better {
                best = Some((weight, first, name));
            }
        }
        best.map_or(GENERAL, |(_, _, name)| name)
    }
}

/// Returns where a word begins in a text, if the text has it as a whole word.
fn position(text: &str, word: &str) -> Option<usize> {
    let plural = match word.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{word}s"),
    };
    let found = [word, &plural].into_iter().filter_map(|form| {
        let mut places = text.match_indices(form);
        places.find(|(at, _)| {
            let before = text.get(..*at).and_then(|part| part.chars().next_back());
            let after = text.get(at + form.len()..).and_then(|part| part.chars().next());
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    });
    found.map(|(at, _)| at).min()
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
