//! Budgets: compares what was spent with what a budget allows. Pure. Not the costs, which are passed in;
//! [`Spent`] says how unknown prices count.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The amounts that a budget allows; an absent amount has no bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// The amount in dollars, by list price.
    #[schemars(range(min = 0.01, max = 1_000_000))]
    pub usd: Option<f64>,
    /// The number of tokens, of all kinds together.
    #[schemars(range(min = 1))]
    #[ts(type = "number | null")]
    pub tokens: Option<u64>,
}

/// The amounts that were spent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// The amount in dollars, for models with a known price; if other models were used, at least this much
    /// was spent.
    pub usd: f64,
    /// The number of tokens.
    pub tokens: u64,
}

/// The standing of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// Enough of the budget is left.
    Within,
    /// The budget is used up to the share at which the person is warned.
    Near,
    /// The budget is used up.
    Over,
}

impl Budget {
    /// Returns whether the budget allows any amount.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.usd.is_none() && self.tokens.is_none()
    }

    /// Returns the stricter of two budgets, part by part.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let least = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let tokens = self.tokens.into_iter().chain(other.tokens).min();
        Self {
            usd: least(self.usd, other.usd),
            tokens,
        }
    }

    /// Returns the share of the budget that is used, where 1 is all of it; the greater share if the budget
    /// has two parts.
    #[must_use]
    pub fn share(&self, spent: Spent) -> f64 {
        let usd = self.usd.map_or(0.0, |usd| spent.usd / usd);
        let tokens = self
            .tokens
            .map_or(0.0, |tokens| spent.tokens as f64 / tokens as f64);
        usd.max(tokens)
    }

    /// Returns the standing of the budget. `warn` is the share, in per cent, at which the person is warned.
    #[must_use]
    pub fn standing(&self, spent: Spent, warn: u32) -> Standing {
        match self.share(spent) {
            share if share >= 1.0 => Standing::Over,
            share if share * 100.0 >= f64::from(warn) => Standing::Near,
            _ => Standing::Within,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(usd: Option<f64>, tokens: Option<u64>) -> Budget {
        Budget { usd, tokens }
    }

    fn spent(usd: f64, tokens: u64) -> Spent {
        Spent { usd, tokens }
    }

    #[test]
    fn the_part_with_the_greatest_share_decides() {
        let both = budget(Some(5.0), Some(1000));
        for (used, want) in [
            (spent(0.0, 0), Standing::Within),
            (spent(3.9, 799), Standing::Within),
            (spent(4.0, 0), Standing::Near),
            (spent(0.0, 800), Standing::Near),
            (spent(5.0, 0), Standing::Over),
            (spent(0.1, 1000), Standing::Over),
        ] {
            assert_eq!(both.standing(used, 80), want, "{used:?}");
        }
        assert_eq!(
            budget(None, None).standing(spent(1e9, 1 << 60), 80),
            Standing::Within
        );
    }

    #[test]
    fn a_budget_is_open_where_neither_dollars_nor_tokens_are_bounded() {
        for (one, is_open) in [
            (budget(None, None), true),
            (budget(Some(5.0), None), false),
            (budget(None, Some(10)), false),
            (budget(Some(5.0), Some(10)), false),
        ] {
            assert_eq!(one.is_open(), is_open, "{one:?}");
        }
    }

    #[test]
    fn the_stricter_of_two_budgets_counts_part_by_part() {
        let both = budget(Some(5.0), None).and(budget(Some(9.0), Some(10)));
        assert_eq!(both, budget(Some(5.0), Some(10)));
        assert!(budget(None, None).and(Budget::default()).is_open());
    }
}
