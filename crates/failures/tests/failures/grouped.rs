//! Failures become work for one agent each.

use crate::golden::printed;
use downbeat_failures::{Failure, Group, Limits, group};
use proptest::prelude::*;

fn failures(rows: &[(u8, u8)]) -> Vec<Failure> {
    let lines: Vec<String> = rows
        .iter()
        .map(|(file, rule)| format!("src/{file}.ts(1,1): error TS{rule}: no\n"))
        .collect();
    if lines.is_empty() {
        Vec::new()
    } else {
        printed(&lines.concat())
    }
}

fn limits(groups: usize) -> Limits {
    Limits { groups, failures: 20 }
}

fn shown(groups: &[Group]) -> Vec<(&str, &[usize])> {
    groups
        .iter()
        .map(|group| (group.title.as_str(), group.members.as_slice()))
        .collect()
}

#[test]
fn failures_of_one_file_stay_together() {
    let all = failures(&[(1, 1), (2, 1), (1, 2), (3, 1)]);
    let groups = group(&all, limits(8));
    let expected: [(&str, &[usize]); 3] = [("src/1.ts", &[0, 2]), ("src/2.ts", &[1]), ("src/3.ts", &[3])];
    assert_eq!(shown(&groups), expected);
}

#[test]
fn small_groups_are_joined_up_to_the_limit() {
    let all = failures(&[(1, 1), (2, 1), (1, 2), (3, 1)]);
    let groups = group(&all, limits(2));
    let expected: [(&str, &[usize]); 2] = [("src/1.ts", &[0, 2]), ("src/3.ts and more", &[1, 3])];
    assert_eq!(shown(&groups), expected);
    assert_eq!(groups[1].files.len(), 2);
}

proptest! {
    #[test]
    fn each_failure_is_in_exactly_one_group(rows in prop::collection::vec((0u8..9, 0u8..9), 0..40), most in 1usize..9) {
        let all = failures(&rows);
        let groups = group(&all, limits(most));
        prop_assert!(groups.len() <= most);
        let mut members: Vec<usize> = groups.iter().flat_map(|group| group.members.clone()).collect();
        members.sort_unstable();
        prop_assert_eq!(members, (0..all.len()).collect::<Vec<_>>());
        for (at, one) in groups.iter().enumerate() {
            for other in groups.iter().skip(at + 1) {
                prop_assert!(one.files.is_disjoint(&other.files));
            }
        }
    }
}
