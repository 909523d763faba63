//! Numbers with their nouns, as people read them.

/// Returns a number with its noun: `1 commit`, `2 commits`.
#[must_use]
pub fn count(number: impl Into<u64>, one: &str, many: &str) -> String {
    match number.into() {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_zero_is_plural() {
        let processes = |number: u32| count(number, "process", "processes");
        assert_eq!(
            [processes(0), processes(1), processes(12)],
            ["0 processes", "1 process", "12 processes"]
        );
    }
}
