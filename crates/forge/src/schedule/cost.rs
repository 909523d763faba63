//! What a query costs, by GitHub's formula: for each connection, the number of nodes that it is fetched for; the sum
//! divided by 100 and rounded, at least one
//! (<https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api>). The tests compare this
//! with what a forge that computes it from the query's text says.

use crate::types::pull::Detail;

/// The connections of `observe.graphql` for one pull request.
fn connections(detail: Detail) -> u64 {
    match detail {
        // contexts
        Detail::Checks => 1,
        // contexts, labels, latestOpinionatedReviews, comments, reviews, reviewThreads
        Detail::Whole => 6,
        // and talkThreads, the comments of its 20 threads, talkReviews, talkComments
        Detail::Talk => 6 + 23,
    }
}

/// The cost of a sum of requests.
fn points(requests: u64) -> u64 {
    ((requests + 50) / 100).max(1)
}

/// What observing so many pull requests costs, in points. At most 100 are asked for in one query.
#[must_use]
pub fn observe_cost(pulls: usize, detail: Detail) -> u64 {
    let each = connections(detail);
    let full = (pulls / 100) as u64;
    let rest = (pulls % 100) as u64;
    full * points(100 * each) + if rest > 0 { points(rest * each) } else { 0 }
}

/// How many conversations are read in one query, so that it costs one point.
pub(super) const CONVERSATIONS: usize = 6;

/// What reading so many conversations of at most 20 threads costs, in points: of each, threads, the comments of 20
/// threads, reviews, comments.
#[must_use]
pub fn conversations_cost(pulls: usize) -> u64 {
    let full = (pulls / CONVERSATIONS) as u64;
    let rest = (pulls % CONVERSATIONS) as u64;
    full * points(CONVERSATIONS as u64 * 23) + if rest > 0 { points(rest * 23) } else { 0 }
}

/// How many pull requests can be observed with their conversations for one point.
pub(super) const TALKS: usize = 5;

/// How many pull requests can be observed for the same cost as `pulls`, at most 100.
pub(super) fn room(pulls: usize, detail: Detail) -> usize {
    let cost = observe_cost(pulls, detail);
    (pulls..=100)
        .take_while(|more| observe_cost(*more, detail) == cost)
        .last()
        .unwrap_or(pulls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_pull_requests_cost_one_point_and_six_in_full() {
        for (pulls, checks, whole) in [
            (0, 0, 0),
            (1, 1, 1),
            (24, 1, 1),
            (25, 1, 2),
            (100, 1, 6),
            (101, 2, 7),
        ] {
            assert_eq!(
                (
                    observe_cost(pulls, Detail::Checks),
                    observe_cost(pulls, Detail::Whole)
                ),
                (checks, whole),
                "{pulls}"
            );
        }
        assert_eq!(
            (
                conversations_cost(1),
                conversations_cost(6),
                conversations_cost(7)
            ),
            (1, 1, 2)
        );
        assert_eq!(
            (
                room(1, Detail::Checks),
                room(1, Detail::Whole),
                room(1, Detail::Talk)
            ),
            (100, 24, TALKS)
        );
    }
}
