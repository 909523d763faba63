//! Determines what models cost: from the person's own price list, reloaded when its file changed, and then
//! from the list that comes with Downbeat. Prices are never guessed: a model that is in neither list has no
//! price.

use downbeat_store::chronicle::Tokens;
use downbeat_yaml::{Broken, Rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

/// The number of tokens that a price is for.
const MILLION: f64 = 1_000_000.0;

static OURS: LazyLock<Vec<Price>> = LazyLock::new(|| {
    let list = parse(Path::new("prices.yaml"), include_str!("prices.yaml"));
    // A test checks that the built-in list is valid.
    list.map(|list| list.models).unwrap_or_default()
});

/// A price list, as a file holds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct PriceList {
    /// The time of the last comparison with the makers' own prices.
    pub checked: Option<String>,
    /// The prices; the first one whose name matches counts.
    pub models: Vec<Price>,
}

/// The price of a model, in dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    /// The model's id; `*` stands for any characters.
    #[schemars(length(min = 1))]
    pub model: String,
    /// The price of input tokens.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub input: f64,
    /// The price of input tokens from the cache; by default as `input`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub cached: Option<f64>,
    /// The price of tokens that are written to the cache; by default as `input`.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub written: Option<f64>,
    /// The price of output tokens.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub output: f64,
    /// Whether this is not the model's own price, but that of the newest model of its family.
    #[serde(default)]
    pub family: bool,
}

/// The cost of tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The cost in dollars.
    pub usd: f64,
    /// Whether the price is that of the model's family.
    pub by_family: bool,
}

impl Rules for PriceList {
    fn broken(&self) -> Vec<Broken> {
        Vec::new()
    }
}

impl Price {
    pub(crate) fn cost(&self, tokens: &Tokens) -> f64 {
        let dollars = |tokens: u64, price: f64| tokens as f64 * price / MILLION;
        dollars(tokens.input, self.input)
            + dollars(tokens.cached, self.cached.unwrap_or(self.input))
            + dollars(tokens.written, self.written.unwrap_or(self.input))
            + dollars(tokens.output, self.output)
    }
}

/// The prices in effect.
#[derive(Debug, Clone, Default)]
pub struct Prices(Arc<Vec<Price>>);

impl Prices {
    /// Returns the cost of these tokens of `model`; `None` if no price is known.
    #[must_use]
    pub fn cost(&self, model: &str, tokens: &Tokens) -> Option<Cost> {
        let all = self.0.iter().chain(OURS.iter());
        let mut fitting = all.filter(|price| fits(&price.model, model));
        fitting.next().map(|price| Cost {
            usd: price.cost(tokens),
            by_family: price.family,
        })
    }
}

/// Whether the pattern `name` matches a model.
fn fits(name: &str, model: &str) -> bool {
    match name.split_once('*') {
        None => name == model,
        Some((before, after)) => model.strip_prefix(before).is_some_and(|mut rest| {
            loop {
                if fits(after, rest) {
                    return true;
                }
                let mut letters = rest.chars();
                if letters.next().is_none() {
                    return false;
                }
                rest = letters.as_str();
            }
        }),
    }
}

fn parse(path: &Path, text: &str) -> Result<PriceList, downbeat_yaml::Error> {
    downbeat_yaml::parse(path, text).map(Option::unwrap_or_default)
}

/// The time and size by which a change of the file is noticed.
type Stamp = Option<(SystemTime, u64)>;

/// The person's own list, and what was read of it.
#[derive(Debug)]
pub struct Own {
    file: PathBuf,
    /// A plain lock, held while the file is read, never across an await.
    read: Mutex<(Stamp, Prices, Option<String>)>,
}

impl Own {
    /// Creates the list over `file`, which may not exist.
    #[must_use]
    pub fn new(file: PathBuf) -> Self {
        Self {
            file,
            read: Mutex::default(),
        }
    }

    /// Returns the prices in effect, and what is wrong with the file, if anything: the earlier prices stay in
    /// effect then.
    pub fn get(&self) -> (Prices, Option<String>) {
        let about = std::fs::metadata(&self.file).ok();
        let stamp = about.and_then(|about| Some((about.modified().ok()?, about.len())));
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamp {
            read.0 = stamp;
            let list =
                downbeat_yaml::read(&self.file).and_then(|text| parse(&self.file, &text.unwrap_or_default()));
            match list {
                Ok(list) => (read.1, read.2) = (Prices(Arc::new(list.models)), None),
                Err(error) => {
                    tracing::warn!("the price list is ignored: {error}");
                    read.2 = Some(error.to_string());
                }
            }
        }
        (read.1.clone(), read.2.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::{OURS, Own, Prices, fits, parse};
    use downbeat_store::chronicle::Tokens;
    use std::path::Path;

    fn tokens() -> Tokens {
        Tokens {
            input: 1_000_000,
            cached: 2_000_000,
            written: 1_000_000,
            output: 100_000,
        }
    }

    #[test]
    fn the_built_in_list_is_valid_and_never_guesses() {
        let ours = parse(Path::new("prices.yaml"), include_str!("prices.yaml")).unwrap();
        assert_eq!(ours.models, *OURS);
        let cost = |model: &str| Prices::default().cost(model, &tokens());
        assert!(cost("claude-sonnet-4-5-20250929").is_some_and(|cost| (cost.usd - 8.85).abs() < 1e-9));
        for unknown in ["claude-5", "gpt-5.9", "gpt-50", "my/gpt-5", "scripted", ""] {
            assert_eq!(cost(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn default_models_have_prices_and_newer_ones_that_of_their_family() {
        let by_family = |model: &str| {
            let cost = Prices::default().cost(model, &tokens());
            cost.map(|cost| cost.by_family)
        };
        for model in [
            "claude-opus-4-8",
            "claude-opus-5",
            "claude-opus-5-5",
            "claude-opus-5-5[1m]",
            "claude-sonnet-5-5",
            "claude-haiku-5-5",
            "claude-haiku-4-5-20251001",
            "claude-fable-5-1",
            "gpt-6.1-sol",
            "gpt-6-luna",
        ] {
            assert_eq!(by_family(model), Some(false), "{model}");
        }
        for model in ["claude-opus-6", "claude-fable-5-2", "gpt-7-sol", "gpt-6.1-luna"] {
            assert_eq!(by_family(model), Some(true), "{model}");
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("a*c", "abc") && fits("a*c", "ac") && fits("*", "") && fits("*b*", "xbx"));
        assert!(!fits("a*c", "abd") && !fits("a", "ab") && !fits("*é", "é!"));
    }

    #[test]
    fn the_persons_prices_come_first_and_an_invalid_file_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("prices.yaml");
        let own = Own::new(file.clone());
        assert_eq!(own.get().0.cost("house", &tokens()), None);
        std::fs::write(&file, "models:\n  - {model: house, input: 1, output: 10}\n").unwrap();
        let cost = |prices: &Prices| prices.cost("house", &tokens()).map(|cost| cost.usd);
        assert_eq!(cost(&own.get().0), Some(5.0));
        std::fs::write(&file, "models:\n  - {model: house, input: 1, outputs: 100}\n").unwrap();
        let (prices, problem) = own.get();
        assert_eq!(cost(&prices), Some(5.0));
        let problem = problem.unwrap();
        assert!(
            problem.contains("prices.yaml:2") && problem.contains("`output`"),
            "{problem}"
        );
    }
}
