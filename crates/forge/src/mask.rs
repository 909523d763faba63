//! Secrets in logs and annotations are replaced by `***`. Not a proof that none remains: a secret without a known form, of
//! which no one told us, looks like any other word. GitHub masks the secrets of its own store before us.

use regex::Regex;
use std::sync::LazyLock;

/// What stands in place of a secret.
const HIDDEN: &str = "***";

/// Secrets shorter than this are not masked by value: they would match ordinary words.
const SHORTEST: usize = 8;

/// The published forms of tokens and keys, each matched as a whole.
const FORMS: &[&str] = &[
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",                                 // GitHub
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",                               // GitHub, fine-grained
    r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_.-]{16,}",           // GitLab
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",                                // AWS
    r"\bAIza[A-Za-z0-9_-]{30,}",                                     // Google
    r"\bya29\.[A-Za-z0-9_-]{20,}",                                   // Google OAuth
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",                             // Slack
    r"\bsk-[A-Za-z0-9_-]{20,}",                                      // OpenAI, Anthropic
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",                       // Stripe
    r"\bnpm_[A-Za-z0-9]{30,}",                                       // npm
    r"\bpypi-[A-Za-z0-9_-]{30,}",                                    // PyPI
    r"\bhf_[A-Za-z0-9]{30,}",                                        // Hugging Face
    r"\blin_api_[A-Za-z0-9]{30,}",                                   // Linear
    r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", // a JSON web token
];

/// Forms of which only the second group is the secret.
const ASSIGNED: &[&str] = &[
    r"(?i)(\bauthorization:\s*(?:bearer|basic|token)\s+)([^\s'\x22]+)",
    r"(://[^/\s:@]+:)([^/\s@]+)@",
    r#"(?i)((?:password|passwd|secret|token|api[_-]?key|private[_-]?key|access[_-]?key)["']?\s*[:=]\s*["']?)([^\s"',;]{8,})"#,
];

static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&FORMS.join("|")).ok());
static ASSIGNMENTS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| ASSIGNED.iter().filter_map(|form| Regex::new(form).ok()).collect());

/// Replaces secrets, line by line.
#[derive(Default)]
pub struct Mask {
    known: Vec<String>,
    /// Whether the lines are inside of a private key.
    in_key: bool,
}

impl Mask {
    /// Masks the known forms, and these values: tokens that we hold, and values of the session's environment that are
    /// secrets.
    #[must_use]
    pub fn of(secrets: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = secrets.into_iter().filter(|one| one.len() >= SHORTEST).collect();
        // A secret that begins with another one is replaced as a whole.
        known.sort_by_key(|one| std::cmp::Reverse(one.len()));
        Self { known, in_key: false }
    }

    /// Returns the line without its secrets. Lines are passed in order, because a private key has several.
    #[must_use]
    pub fn line(&mut self, line: &str) -> String {
        if self.in_key || (line.contains("-----BEGIN ") && line.contains("PRIVATE KEY")) {
            self.in_key = !line.contains("-----END ");
            return HIDDEN.to_owned();
        }
        let mut kept = line.to_owned();
        for secret in &self.known {
            if kept.contains(secret.as_str()) {
                kept = kept.replace(secret.as_str(), HIDDEN);
            }
        }
        if let Some(form) = FORM.as_ref() {
            kept = form.replace_all(&kept, HIDDEN).into_owned();
        }
        for (at, form) in ASSIGNMENTS.iter().enumerate() {
            let by = if at == 1 { "${1}***@" } else { "${1}***" };
            kept = form.replace_all(&kept, by).into_owned();
        }
        kept
    }

    /// Returns a text of several lines without its secrets.
    #[must_use]
    pub fn text(&mut self, text: &str) -> String {
        self.in_key = false;
        let lines: Vec<String> = text.split('\n').map(|line| self.line(line)).collect();
        self.in_key = false;
        lines.join("\n")
    }
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_struct("Mask")
            .field("known", &self.known.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(FORM.is_some());
        assert_eq!(ASSIGNMENTS.len(), ASSIGNED.len());
    }

    #[test]
    fn secrets_of_known_forms_and_known_values_are_replaced() {
        let mut mask = Mask::of(["hunter2hunter2".to_owned(), "short".to_owned()]);
        for (given, kept) in [
            (format!("token ghp_{} end", "a1".repeat(18)), "token *** end"),
            (format!("github_pat_{}", "A_".repeat(20)), "***"),
            ("AKIAIOSFODNN7EXAMPLE".to_owned(), "***"),
            (
                "Authorization: Bearer abc.def".to_owned(),
                "Authorization: Bearer ***",
            ),
            ("https://me:pa55word@host/x".to_owned(), "https://me:***@host/x"),
            ("DB_PASSWORD=correcthorse x".to_owned(), "DB_PASSWORD=*** x"),
            ("value hunter2hunter2!".to_owned(), "value ***!"),
            ("a short word stays".to_owned(), "a short word stays"),
            (
                "assertion failed: left == right".to_owned(),
                "assertion failed: left == right",
            ),
        ] {
            assert_eq!(mask.line(&given), kept, "{given}");
        }
    }

    #[test]
    fn a_private_key_is_replaced_line_by_line() {
        let key = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(Mask::default().text(key), "a\n***\n***\n***\nb");
    }

    #[test]
    fn the_values_are_not_shown() {
        assert!(!format!("{:?}", Mask::of(["hunter2hunter2".to_owned()])).contains("hunter"));
    }
}
