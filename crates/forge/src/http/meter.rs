//! What the limits let us ask: read from the headers of every answer, and kept until they are renewed, so that a refused
//! request is not repeated before its time. Not the schedule, which decides what is worth asking.
//!
//! Headers: <https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>,
//! <https://docs.gitlab.com/security/rate_limits/>. Times in them are of the forge's clock; they are converted with the
//! `date` header of the same answer, so a wrong clock here does not matter.

use crate::types::limit::{Limit, Limits};
use hyper::header::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest wait that is believed: limits are renewed every hour at the latest. A longer one means that the clock here was set back.
const LONGEST: SignedDuration = SignedDuration::from_hours(2);

/// Which limit a request counts against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// REST.
    Requests,
    /// GraphQL.
    Points,
}

/// The headers that tell a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Headers {
    /// `x-ratelimit-…`, with a header that names the limit.
    GitHub,
    /// `ratelimit-…`, of requests only.
    GitLab,
    /// `x-ratelimit-requests-…`, whose times have another unit: they are read where a request is refused.
    Linear,
}

impl Headers {
    /// The names for the limit, what is left of it, and when it is renewed.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::GitHub => ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
            Self::GitLab => ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
            Self::Linear => [
                "x-ratelimit-requests-limit",
                "x-ratelimit-requests-remaining",
                "x-ratelimit-requests-reset",
            ],
        }
    }

    fn resource(self, headers: &HeaderMap) -> Option<Resource> {
        match self {
            Self::GitHub => match text(headers, "x-ratelimit-resource")? {
                "graphql" => Some(Resource::Points),
                "core" => Some(Resource::Requests),
                _ => None,
            },
            Self::GitLab => Some(Resource::Requests),
            Self::Linear => None,
        }
    }
}

/// Why nothing may be asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The limit is used up.
    Renewal(Duration),
    /// Requests came too fast.
    Slower(Duration),
}

/// Keeps the limits. Its lock is held only while values are copied.
#[derive(Debug)]
pub(crate) struct Meter {
    headers: Headers,
    limits: Mutex<Limits>,
}

impl Meter {
    /// Knows no limit yet.
    pub(crate) fn new(headers: Headers) -> Self {
        Self {
            headers,
            limits: Mutex::default(),
        }
    }

    fn held(&self) -> MutexGuard<'_, Limits> {
        self.limits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known.
    pub(crate) fn limits(&self) -> Limits {
        *self.held()
    }

    /// Whether to wait before a request.
    pub(crate) fn wait(&self, resource: Resource, now: Timestamp) -> Option<Wait> {
        let limits = self.held();
        let until = |time: Timestamp| {
            let wait = time.duration_since(now);
            (wait > SignedDuration::ZERO && wait <= LONGEST).then(|| wait.unsigned_abs())
        };
        if let Some(wait) = limits.not_before.and_then(until) {
            return Some(Wait::Slower(wait));
        }
        let limit = match resource {
            Resource::Requests => limits.requests,
            Resource::Points => limits.points,
        };
        limit
            .filter(|limit| limit.remaining == 0)
            .and_then(|limit| until(limit.resets_at))
            .map(Wait::Renewal)
    }

    /// Notes the headers of an answer.
    pub(crate) fn note(&self, headers: &HeaderMap, now: Timestamp) {
        let skew = date(headers).map(|theirs| theirs.duration_since(now));
        let mut limits = self.held();
        limits.skew = skew.or(limits.skew);
        let number = |name: &str| text(headers, name).and_then(|text| text.parse::<u64>().ok());
        let [limit, remaining, reset] = self.headers.names().map(number);
        let (Some(limit), Some(remaining), Some(reset)) = (limit, remaining, reset) else {
            return;
        };
        let Ok(reset) = i64::try_from(reset)
            .map_err(|_| ())
            .and_then(|at| Timestamp::from_second(at).map_err(|_| ()))
        else {
            return;
        };
        let known = Limit {
            limit,
            remaining,
            resets_at: ours(reset, skew.unwrap_or_default()),
        };
        match self.headers.resource(headers) {
            Some(Resource::Points) => limits.points = Some(known),
            Some(Resource::Requests) => limits.requests = Some(known),
            None => {}
        }
    }

    /// Notes that a request was counted.
    pub(crate) fn spend(&self, resource: Resource, amount: u64) {
        let mut limits = self.held();
        match resource {
            Resource::Requests => limits.requests_used += amount,
            Resource::Points => limits.points_used += amount,
        }
    }

    /// Notes that nothing is to be asked for a while.
    pub(crate) fn hold(&self, wait: Duration, now: Timestamp) {
        let until = now.checked_add(wait).unwrap_or(now);
        let mut limits = self.held();
        limits.not_before = Some(limits.not_before.map_or(until, |known| known.max(until)));
    }

    /// Notes that a limit is used up, and returns the time until it is renewed.
    pub(crate) fn exhaust(&self, resource: Resource, now: Timestamp) -> Duration {
        let mut limits = self.held();
        let slot = match resource {
            Resource::Requests => &mut limits.requests,
            Resource::Points => &mut limits.points,
        };
        let minute = now.checked_add(SignedDuration::from_mins(1)).unwrap_or(now);
        let known = slot.get_or_insert(Limit {
            limit: 0,
            remaining: 0,
            resets_at: minute,
        });
        known.remaining = 0;
        if known.resets_at <= now {
            known.resets_at = minute;
        }
        known.resets_at.duration_since(now).min(LONGEST).unsigned_abs()
    }
}

/// How long `retry-after` asks to wait.
pub(crate) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = text(headers, "retry-after")?;
    let wait = match text.parse::<i64>() {
        Ok(seconds) => SignedDuration::from_secs(seconds.max(0)),
        Err(_) => http_date(text)?.duration_since(date(headers).unwrap_or(now)),
    };
    (wait >= SignedDuration::ZERO).then(|| wait.min(LONGEST).unsigned_abs())
}

/// A header as text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn date(headers: &HeaderMap) -> Option<Timestamp> {
    http_date(text(headers, "date")?)
}

fn http_date(text: &str) -> Option<Timestamp> {
    jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()
}

fn ours(theirs: Timestamp, skew: SignedDuration) -> Timestamp {
    theirs.checked_sub(skew).unwrap_or(theirs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (
                HeaderName::try_from(*name).expect("a name"),
                HeaderValue::from_str(value).expect("a value"),
            )
        };
        pairs.iter().map(pair).collect()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    #[test]
    fn a_clock_that_is_hours_wrong_does_not_move_the_renewal() {
        for now in [
            "2026-01-01T12:00:00Z",
            "2026-01-01T09:00:00Z",
            "2031-01-01T00:00:00Z",
        ]
        .map(at)
        {
            let meter = Meter::new(Headers::GitHub);
            let theirs = at("2026-01-01T12:00:00Z");
            let reset = (theirs.as_second() + 600).to_string();
            meter.note(
                &headers(&[
                    ("date", "Thu, 01 Jan 2026 12:00:00 GMT"),
                    ("x-ratelimit-limit", "5000"),
                    ("x-ratelimit-remaining", "0"),
                    ("x-ratelimit-reset", &reset),
                    ("x-ratelimit-resource", "graphql"),
                ]),
                now,
            );
            assert_eq!(
                meter.wait(Resource::Points, now),
                Some(Wait::Renewal(Duration::from_secs(600)))
            );
            assert_eq!(
                meter.wait(Resource::Requests, now),
                None,
                "the other limit is not touched"
            );
            assert_eq!(meter.limits().skew, Some(theirs.duration_since(now)));
        }
    }

    #[test]
    fn gitlab_has_one_limit_under_names_of_its_own() {
        let (meter, now) = (Meter::new(Headers::GitLab), at("2026-01-01T12:00:00Z"));
        let reset = (now.as_second() + 60).to_string();
        let said = [
            ("date", "Thu, 01 Jan 2026 12:00:00 GMT"),
            ("ratelimit-limit", "2000"),
            ("ratelimit-remaining", "0"),
            ("ratelimit-reset", &reset),
        ];
        meter.note(&headers(&said), now);
        assert_eq!(
            meter.wait(Resource::Requests, now),
            Some(Wait::Renewal(Duration::from_secs(60)))
        );
    }

    #[test]
    fn a_hold_ends_by_itself_and_when_the_clock_was_set_back() {
        let (meter, now) = (Meter::new(Headers::GitHub), at("2026-01-01T12:00:00Z"));
        meter.hold(Duration::from_secs(60), now);
        meter.hold(Duration::from_secs(5), now);
        assert_eq!(
            meter.wait(Resource::Requests, now),
            Some(Wait::Slower(Duration::from_secs(60)))
        );
        assert_eq!(meter.wait(Resource::Requests, at("2026-01-01T12:01:00Z")), None);
        assert_eq!(meter.wait(Resource::Requests, at("2025-06-01T12:00:00Z")), None);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = at("2020-01-01T00:00:00Z");
        let date = ("date", "Thu, 01 Jan 2026 12:00:00 GMT");
        for (value, seconds) in [
            ("7", Some(7)),
            ("Thu, 01 Jan 2026 12:00:09 GMT", Some(9)),
            ("soon", None),
            ("-3", Some(0)),
        ] {
            let wait = retry_after(&headers(&[date, ("retry-after", value)]), now);
            assert_eq!(wait, seconds.map(Duration::from_secs), "{value}");
        }
    }
}
