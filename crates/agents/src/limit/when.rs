//! Parses a time as agents write it: `3pm (Europe/Berlin)`, `Mon 12:00am`, `Nov 22nd, 2026 9:15 AM`, `in 2
//! hours 5 minutes`, `15:00`, seconds since 1970. Text that is not understood gives no time, since a guessed
//! time could make a session continue too early.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, Zoned};

/// The maximum number of words that are read.
const WORDS: usize = 12;

/// A time of day that passed less than this long ago means today: clocks differ, and screens lag.
const GRACE: SignedDuration = SignedDuration::from_mins(30);

/// The maximum length of a limit; a longer one means that the number stands for something else.
const LONGEST: SignedDuration = SignedDuration::from_hours(400 * 24);

/// Filler words, which are skipped.
const FILLERS: [&str; 11] = [
    "at",
    "on",
    "in",
    "the",
    "about",
    "around",
    "after",
    "and",
    "of",
    "approximately",
    "by",
];

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Zones by abbreviations with a single common meaning; IANA names are looked up.
const ABBREVIATIONS: [(&str, i8); 11] = [
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

/// The parts of a time that the words name, as far as they were read.
#[derive(Default)]
struct Named {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    weekday: Option<Weekday>,
    days_ahead: Option<i8>,
    time: Option<Time>,
    zone: Option<TimeZone>,
    /// Set for a number that is not a day: it is an hour if `AM` or `PM` follows.
    hour: bool,
}

/// Parses the moment with which `text`, in lower case, begins, as said at `at` by somebody in `zone`.
pub(super) fn read(text: &str, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    let found = since_1970(text)
        .or_else(|| exact(text))
        .or_else(|| from_now(text, at))
        .or_else(|| named(text)?.moment(at, zone))?;
    (found.duration_since(at) < LONGEST).then_some(found)
}

/// Parses `1747288800`, or the same in milliseconds.
fn since_1970(text: &str) -> Option<Timestamp> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i64 = text[..end].parse().ok()?;
    match end {
        10 => Timestamp::from_second(number).ok(),
        13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

/// Parses `2026-11-22T09:15:00Z`.
fn exact(text: &str) -> Option<Timestamp> {
    words(text).find(|word| !FILLERS.contains(word))?.parse().ok()
}

/// Parses `2 hours 5 minutes`, `1h30m`, `45s`.
fn from_now(text: &str, at: Timestamp) -> Option<Timestamp> {
    let mut total = SignedDuration::ZERO;
    let mut rest = text;
    let mut found = false;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == '~');
        let word = rest.split_whitespace().next().unwrap_or_default();
        if FILLERS.contains(&word) {
            rest = &rest[word.len()..];
            continue;
        }
        let Some((part, after)) = part(rest) else { break };
        total = total.checked_add(part)?;
        (found, rest) = (true, after);
    }
    found.then(|| at.checked_add(total).ok())?
}

/// Parses a number with its unit, and returns it with the rest of the text.
fn part(text: &str) -> Option<(SignedDuration, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..end].parse().ok()?;
    let unit = text[end..].trim_start_matches(' ');
    let end = unit
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(unit.len());
    let seconds = match &unit[..end] {
        "ms" | "milliseconds" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        "w" | "week" | "weeks" => 604_800.0,
        _ => return None,
    };
    let duration = SignedDuration::try_from_secs_f64(number * seconds).ok()?;
    Some((duration, &unit[end..]))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '-');
    text.split_whitespace()
        .map(move |word| word.trim_matches(edge))
        .filter(|word| !word.is_empty())
        .take(WORDS)
}

/// Reads the words up to the first one that is not part of a time.
fn named(text: &str) -> Option<Named> {
    let mut named = Named::default();
    let mut last: Option<&str> = None;
    for word in words(text) {
        if !named.take(word, last) {
            // `Nov 22. 3 requests left`: the number was not an hour.
            let number = word.starts_with(|c: char| c.is_ascii_digit());
            named.hour &= number || is_zone(word);
            break;
        }
        last = Some(word);
    }
    let is_named =
        named.time.is_some() || named.day.is_some() || named.weekday.is_some() || named.days_ahead.is_some();
    // An unknown zone would make it another moment.
    (is_named && !named.hour && named.zone.as_ref().is_none_or(|zone| !zone.is_unknown())).then_some(named)
}

impl Named {
    /// Reads a word and returns whether it is part of a time.
    fn take(&mut self, word: &str, last: Option<&str>) -> bool {
        if FILLERS.contains(&word) {
            return true;
        }
        let begins = |name: &str| {
            word.len() >= 3 && word.starts_with(name) && word.bytes().all(|b| b.is_ascii_alphabetic())
        };
        if let Some(month) = (1..).zip(MONTHS).find(|(_, name)| begins(name)) {
            return self.month.replace(month.0).is_none();
        }
        if let Some((_, day)) = WEEKDAYS.iter().find(|(name, _)| begins(name)) {
            return self.weekday.replace(*day).is_none();
        }
        match word {
            "today" => return self.days_ahead.replace(0).is_none(),
            "tomorrow" => return self.days_ahead.replace(1).is_none(),
            "noon" => return self.time.replace(Time::constant(12, 0, 0, 0)).is_none(),
            "midnight" => return self.time.replace(Time::midnight()).is_none(),
            "am" | "pm" | "a.m" | "p.m" => return self.half(word.starts_with('p'), last),
            _ => {}
        }
        if let Ok(date) = word.parse::<Date>() {
            (self.year, self.month, self.day) = (Some(date.year()), Some(date.month()), Some(date.day()));
            return true;
        }
        if self.time.is_none()
            && let Some(time) = clock(word)
        {
            self.time = Some(time);
            return true;
        }
        self.number(word) || self.zoned(word)
    }

    /// Applies `AM` or `PM` to the time before it.
    fn half(&mut self, afternoon: bool, last: Option<&str>) -> bool {
        let Some(last) = last else { return false };
        // `9 AM`: the number was read as a day.
        let word = format!("{last}{}", if afternoon { "pm" } else { "am" });
        let Some(time) = clock(&word) else { return false };
        if self.time.is_none() && !self.hour {
            self.day = None;
        }
        self.hour = false;
        self.time = Some(time);
        true
    }

    /// Reads `22`, `22nd`, `2026`.
    fn number(&mut self, word: &str) -> bool {
        let ends = ["st", "nd", "rd", "th"];
        let digits = ends.iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
        match digits.parse::<i16>() {
            Ok(day @ 1..=31) if self.day.is_none() => {
                self.day = i8::try_from(day).ok();
                true
            }
            // `Nov 22 9 AM`
            Ok(1..=12) if self.time.is_none() && !self.hour && digits == word => {
                self.hour = true;
                true
            }
            Ok(year @ 2000..=9999) if self.year.is_none() => {
                self.year = Some(year);
                true
            }
            _ => false,
        }
    }

    /// Reads `europe/berlin`, `utc`, `+02:00`.
    fn zoned(&mut self, word: &str) -> bool {
        if self.zone.is_some() || self.time.is_none() {
            return false;
        }
        let known = ABBREVIATIONS.iter().find(|(name, _)| *name == word);
        self.zone = match known {
            Some((_, hours)) => Some(TimeZone::fixed(Offset::constant(*hours))),
            None if word.contains('/') => Some(TimeZone::get(word).unwrap_or(TimeZone::unknown())),
            None => offset(word).map(TimeZone::fixed),
        };
        self.zone.is_some()
    }

    /// Returns the moment, seen from `at`: the next one if the words are ambiguous.
    fn moment(&self, at: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let zone = self.zone.as_ref().unwrap_or(zone);
        let now = at.to_zoned(zone.clone());
        let time = self.time.unwrap_or_default();
        let on = |date: Date| -> Option<Zoned> { date.to_datetime(time).to_zoned(zone.clone()).ok() };
        let is_over = |moment: &Zoned| moment.timestamp().duration_since(at) < -GRACE;
        let found = if let (Some(month), Some(day)) = (self.month, self.day) {
            let year = self.year.unwrap_or(now.year());
            let moment = on(Date::new(year, month, day).ok()?)?;
            match self.year.is_none() && is_over(&moment) {
                true => on(Date::new(year.checked_add(1)?, month, day).ok()?)?,
                false => moment,
            }
        } else if self.month.is_some() || self.day.is_some() || self.year.is_some() {
            return None;
        } else if let Some(days) = self.days_ahead {
            on(now.date().checked_add(Span::new().days(days)).ok()?)?
        } else if let Some(weekday) = self.weekday {
            let days = weekday.since(now.date().weekday());
            let moment = on(now.date().checked_add(Span::new().days(days)).ok()?)?;
            match is_over(&moment) {
                true => on(moment.date().checked_add(Span::new().days(7)).ok()?)?,
                false => moment,
            }
        } else {
            let moment = on(now.date())?;
            match is_over(&moment) {
                true => on(now.date().tomorrow().ok()?)?,
                false => moment,
            }
        };
        Some(found.timestamp())
    }
}

/// Returns whether a word names a time zone, which may follow an hour.
fn is_zone(word: &str) -> bool {
    ABBREVIATIONS.iter().any(|(name, _)| *name == word) || word.contains('/') || offset(word).is_some()
}

/// Parses `+02:00`, `-0500`, `+2`.
fn offset(word: &str) -> Option<Offset> {
    let sign = match word.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits = word[1..].replace(':', "");
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.as_str(), "0"),
        4 => digits.split_at_checked(2)?,
        _ => return None,
    };
    let (hours, minutes) = (hours.parse::<i32>().ok()?, minutes.parse::<i32>().ok()?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

/// Parses `3pm`, `3:45pm`, `15:00`, `15:00:30`. A bare number is not a time.
fn clock(word: &str) -> Option<Time> {
    let (digits, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Some(0)),
        (_, Some(digits)) => (digits, Some(12)),
        _ => (word, None),
    };
    let mut parts = digits.split(':');
    let hour: i8 = parts.next()?.parse().ok()?;
    let (minute, second) = (parts.next(), parts.next());
    if (half.is_none() && minute.is_none()) || parts.next().is_some() || hour < 0 {
        return None;
    }
    let number = |part: Option<&str>| match part {
        None => Some(0),
        Some(part) if part.len() == 2 => part.parse().ok(),
        Some(_) => None,
    };
    let hour = match half {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(half) => hour % 12 + half,
    };
    Time::new(hour, number(minute)?, number(second)?, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `text` at the local time `now` in Berlin, which is also the default zone.
    fn at(now: &str, text: &str) -> Option<String> {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let now = format!("{now}[Europe/Berlin]").parse::<Zoned>().unwrap();
        let read = read(&text.to_lowercase(), now.timestamp(), &zone)?;
        Some(read.to_zoned(zone).strftime("%F %T").to_string())
    }

    #[test]
    fn a_time_of_day_means_the_next_occurrence() {
        for (now, text, want) in [
            ("2026-11-21T12:00", "3pm", "2026-11-21 15:00:00"),
            ("2026-11-21T12:00", " 3:05 PM.", "2026-11-21 15:05:00"),
            ("2026-11-21T12:00", "9 AM", "2026-11-22 09:00:00"),
            ("2026-11-21T12:00", "at 12am", "2026-11-22 00:00:00"),
            ("2026-11-21T11:00", "12pm, then go on", "2026-11-21 12:00:00"),
            ("2026-11-21T23:50", "00:15", "2026-11-22 00:15:00"),
            ("2026-11-21T23:50", "noon", "2026-11-22 12:00:00"),
            // The time has just passed: the screen lags.
            ("2026-11-21T15:01", "3pm", "2026-11-21 15:00:00"),
            (
                "2026-11-21T12:00",
                "15:00 (America/New_York)",
                "2026-11-21 21:00:00",
            ),
            ("2026-11-21T12:00", "15:00 UTC", "2026-11-21 16:00:00"),
            ("2026-11-21T12:00", "3pm PST", "2026-11-22 00:00:00"),
            ("2026-11-21T12:00", "17:00 +05:30", "2026-11-21 12:30:00"),
            (
                "2026-11-21T01:00",
                "2am (Pacific/Auckland)",
                "2026-11-21 14:00:00",
            ),
        ] {
            assert_eq!(at(now, text).as_deref(), Some(want), "{now} {text}");
        }
    }

    #[test]
    fn days_are_counted_in_their_own_zone_and_across_its_clock_changes() {
        for (now, text, want) in [
            ("2026-11-21T12:00", "Mon 9am", "2026-11-23 09:00:00"),
            ("2026-11-21T12:00", "Saturday at 15:00", "2026-11-21 15:00:00"),
            ("2026-11-21T16:00", "Saturday at 15:00", "2026-11-28 15:00:00"),
            ("2026-11-21T12:00", "tomorrow at 3pm", "2026-11-22 15:00:00"),
            (
                "2026-11-21T12:00",
                "Nov 22nd, 2026 9:15 AM",
                "2026-11-22 09:15:00",
            ),
            ("2026-11-21T12:00", "Nov 22 9 AM", "2026-11-22 09:00:00"),
            (
                "2026-11-21T12:00",
                "Nov 22. 3 requests left",
                "2026-11-22 00:00:00",
            ),
            ("2026-11-21T12:00", "Nov 22nd, 2026 9 AM", "2026-11-22 09:00:00"),
            ("2026-12-30T12:00", "Jan 2, 3pm", "2027-01-02 15:00:00"),
            ("2026-11-21T12:00", "2 Dec 15:00", "2026-12-02 15:00:00"),
            ("2026-11-21T12:00", "2026-11-22 09:15", "2026-11-22 09:15:00"),
            ("2026-11-21T12:00", "2026-11-22T09:15:00Z", "2026-11-22 10:15:00"),
            // In the night of 28 March 2027 the hour from two to three does not exist.
            ("2027-03-27T20:00", "2:30am", "2027-03-28 03:30:00"),
            ("2027-03-27T20:00", "in 8 hours", "2027-03-28 05:00:00"),
            // In the night of 25 October 2026 that hour comes twice: the first one counts.
            ("2026-10-24T20:00", "in 6h30m", "2026-10-25 02:30:00"),
            ("2026-10-24T20:00", "in 8 hours", "2026-10-25 03:00:00"),
        ] {
            assert_eq!(at(now, text).as_deref(), Some(want), "{now} {text}");
        }
    }

    #[test]
    fn spans_add_up() {
        for (text, want) in [
            ("in 2 hours 5 minutes.", "2026-11-21 14:05:00"),
            ("1 day, 3 hours and 2 min", "2026-11-22 15:02:00"),
            ("45s", "2026-11-21 12:00:45"),
            ("about 1.5 hours", "2026-11-21 13:30:00"),
        ] {
            assert_eq!(at("2026-11-21T12:00", text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_understood_gives_no_time() {
        for text in [
            "",
            "soon",
            "3",
            "25:00",
            "13pm",
            "3pm (Mars/Olympus)",
            "Feb 30 3pm",
            "9999999999999",
            "in 9000 days",
            "the 5",
            "Nov 22 9",
            "Nov 22 9 Europe/Berlin",
            "Nov 22 9 11 AM",
        ] {
            assert_eq!(at("2026-11-21T12:00", text), None, "{text}");
        }
    }
}
