//! When a forge may be asked because of webhooks: at once, as long as there are few. Whoever sends many, genuine or not, makes
//! the forge be asked no more often than the schedule does.

use jiff::{SignedDuration, Timestamp};

/// The window in which such looks are counted.
const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// The time between two looks, by the number of looks in the window.
const GAPS: [(usize, SignedDuration); 3] = [
    (1, SignedDuration::ZERO),
    (12, SignedDuration::from_secs(2)),
    (24, SignedDuration::from_secs(10)),
];

/// The time between two looks beyond that: that of the schedule.
const SLOW: SignedDuration = SignedDuration::from_secs(30);

/// Returns when the forge may be asked, after the looks at these times. Forgets those that do not count any more.
pub fn hinted_from(looks: &mut Vec<Timestamp>, now: Timestamp) -> Timestamp {
    looks.retain(|at| *at <= now && now.duration_since(*at) < WINDOW);
    let gap = GAPS
        .iter()
        .find(|(most, _)| looks.len() < *most)
        .map_or(SLOW, |(_, gap)| *gap);
    let last = looks.iter().max();
    last.and_then(|last| last.checked_add(gap).ok()).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::hinted_from;
    use jiff::Timestamp;

    #[test]
    fn few_hints_are_followed_at_once_and_many_no_faster_than_the_schedule() {
        let at = |second: i64| Timestamp::from_second(second).unwrap();
        let from = |looks: std::ops::Range<i64>, now: i64| {
            let mut looks: Vec<Timestamp> = looks.map(at).collect();
            hinted_from(&mut looks, at(now)).as_second()
        };
        for (looks, now, expected) in [
            (0..0, 1000, 1000),
            (1000..1001, 1000, 1002),
            (990..1001, 1000, 1002),
            (989..1001, 1000, 1010),
            (970..1001, 1000, 1030),
            // Ten minutes later, nothing of it counts.
            (970..1001, 1600, 1600),
            // The clock was set back.
            (970..1001, 900, 900),
        ] {
            assert_eq!(from(looks.clone(), now), expected, "{looks:?} {now}");
        }
        // An hour of endless hints.
        let (mut looks, mut now, mut count) = (Vec::new(), at(0), 0);
        while now < at(3600) {
            looks.push(now);
            count += 1;
            now = hinted_from(&mut looks, now).max(now);
        }
        assert!(count <= 160, "{count}");
    }
}
