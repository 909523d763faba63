//! The results for people: a line as soon as a result is known, and a table of all at the end. Knows numbers
//! and words, not how they were measured.

use std::time::Instant;

/// The samples of one measurement.
#[derive(Debug, Default, Clone)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Creates an empty set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a sample.
    pub fn add(&mut self, sample: f64) {
        self.0.push(sample);
    }

    /// Adds all samples of another set.
    pub fn join(&mut self, other: &Samples) {
        self.0.extend(&other.0);
    }

    /// Returns the median.
    pub fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// Returns the sample below which this many percent of all are.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = (sorted.len() * percent / 100).min(last);
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

/// Returns the milliseconds since that time.
pub fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// The unit of a number.
#[derive(Debug, Clone, Copy)]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Kilobytes.
    Kb,
    /// Bytes.
    Bytes,
    /// Hundredths of one core.
    Core,
    /// A number of things.
    Count,
}

impl Unit {
    fn show(self, value: f64) -> String {
        match self {
            Self::Ms if value >= 1000.0 => format!("{:.2} s", value / 1e3),
            Self::Ms if value >= 10.0 => format!("{value:.0} ms"),
            Self::Ms => format!("{value:.2} ms"),
            Self::Kb => format!("{:.1} MB", value / 1024.0),
            Self::Bytes => format!("{value:.0} bytes"),
            Self::Core => format!("{value:.2} % of a core"),
            Self::Count => format!("{value:.0}"),
        }
    }
}

/// The goal of a measurement.
#[derive(Debug, Clone, Copy)]
pub enum Goal {
    /// At least this many times as fast as the first counterpart.
    Faster(f64),
    /// At most this many times the value of the first counterpart.
    Times(f64),
    /// At most this much more than the first counterpart.
    Over(f64),
    /// At most this value.
    Most(f64),
    /// No goal; the numbers are for comparison.
    Open,
}

/// A line of the table.
#[derive(Debug, Clone)]
pub struct Line {
    what: String,
    ours: String,
    beside: String,
    ratio: String,
    goal: String,
    reached: Option<bool>,
}

impl Line {
    /// Builds the line of a measurement with its counterparts; the goal refers to the first of them.
    pub fn new(what: &str, unit: Unit, ours: f64, beside: &[(&str, f64)], goal: Goal) -> Self {
        let first = beside.first().map_or(f64::NAN, |(_, value)| *value);
        let (words, reached) = match goal {
            Goal::Faster(times) => (format!("≥ {times} × as fast"), Some(first / ours >= times)),
            Goal::Times(times) => (format!("≤ {times} ×"), Some(ours / first <= times)),
            Goal::Over(more) => (format!("≤ + {}", unit.show(more)), Some(ours - first <= more)),
            Goal::Most(most) => (format!("≤ {}", unit.show(most)), Some(ours <= most)),
            Goal::Open => (String::new(), None),
        };
        let ratio = |(name, value): &(&str, f64)| match goal {
            _ if *value == 0.0 => "–".to_owned(),
            Goal::Faster(_) => format!("{:.2} × as fast as {name}", value / ours),
            Goal::Over(_) => format!("{name} + {}", unit.show(ours - value)),
            _ => format!("{:.2} × {name}", ours / value),
        };
        let named = |(name, value): &(&str, f64)| format!("{name} {}", unit.show(*value));
        Self {
            what: what.to_owned(),
            ours: unit.show(ours),
            beside: beside.iter().map(named).collect::<Vec<_>>().join("; "),
            ratio: beside.iter().map(ratio).collect::<Vec<_>>().join("; "),
            goal: words,
            reached,
        }
    }

    fn mark(&self) -> &'static str {
        match self.reached {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
        }
    }
}

/// All lines of a run.
#[derive(Debug, Default)]
pub struct Report(Vec<Line>);

impl Report {
    /// Adds a line and prints it.
    pub fn add(&mut self, line: Line) {
        let details = [&line.beside, &line.ratio, &line.goal];
        let details: Vec<&str> = details
            .into_iter()
            .map(String::as_str)
            .filter(|detail| !detail.is_empty())
            .collect();
        eprintln!("  {}: {} ({})", line.what, line.ours, details.join(" | "));
        self.0.push(line);
    }

    /// Prints the name of the next measurement.
    pub fn begin(&self, name: &str) {
        eprintln!("{name} …");
    }

    /// Prints the table.
    pub fn print(&self) {
        println!("| what | Downbeat | beside it | ratio | to reach | reached |");
        println!("|---|---|---|---|---|---|");
        for line in &self.0 {
            println!(
                "| {} | {} | {} | {} | {} | {} |",
                line.what,
                line.ours,
                line.beside,
                line.ratio,
                line.goal,
                line.mark()
            );
        }
    }
}
