//! Periods of time as people write them in rules: `30m`.

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The longest period.
const LONGEST: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A period of at least a second and at most 30 days: `90s`, `30m`, `1h 30m`, `2h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Period(SignedDuration);

impl Period {
    /// Parses a period. The error says what is accepted.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parsed = text.trim().parse::<SignedDuration>().ok();
        // Days, which may be longer or shorter than 24 hours on a calendar, are 24 hours here.
        let days = text
            .trim()
            .strip_suffix('d')
            .and_then(|days| days.parse::<i64>().ok());
        let days = days
            .and_then(|days| days.checked_mul(24))
            .and_then(SignedDuration::try_from_hours);
        let period = parsed
            .or(days)
            .filter(|period| *period >= SignedDuration::from_secs(1));
        match period.filter(|period| *period <= LONGEST) {
            Some(period) => Ok(Self(period)),
            None => Err(format!(
                "'{text}' is no time from 1s to 30d; write it like 90s, 30m or 2h"
            )),
        }
    }

    /// Returns the period as a duration.
    #[must_use]
    pub fn duration(self) -> SignedDuration {
        self.0
    }
}

impl TryFrom<String> for Period {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<Period> for String {
    fn from(period: Period) -> Self {
        period.to_string()
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl JsonSchema for Period {
    fn schema_name() -> Cow<'static, str> {
        "Period".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::Period;

    #[test]
    fn periods_are_what_people_write() {
        for (text, seconds) in [
            ("1s", 1),
            ("90s", 90),
            ("30m", 1800),
            ("1h 30m", 5400),
            ("2h", 7200),
            ("2d", 172_800),
        ] {
            let period = Period::parse(text).unwrap();
            assert_eq!(period.duration().as_secs(), seconds, "{text}");
            assert_eq!(Period::parse(&period.to_string()), Ok(period));
        }
        for text in ["", "30", "0s", "-5m", "31d", "999999999999d", "soon", "1ms"] {
            assert!(Period::parse(text).unwrap_err().contains("30m"), "{text}");
        }
    }
}
