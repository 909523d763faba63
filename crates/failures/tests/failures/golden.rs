//! What real tools wrote. `go.jsonl` follows the documentation of `go tool test2json`.

use downbeat_failures::{Failure, Printed, Report, Tool, read};

const ROOT: &str = "/home/ada/shop";

fn golden(name: &str) -> String {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

pub fn printed(output: &str) -> Vec<Failure> {
    let printed = Printed {
        check: "npm test",
        ended: "exit code 1",
        root: ROOT,
        output,
        reports: &[],
    };
    read(&printed).failures
}

fn reported(name: &str) -> Vec<Failure> {
    let report = Report {
        name: name.into(),
        content: Ok(golden(name).into_bytes()),
    };
    let printed = Printed {
        check: "npm test",
        ended: "exit code 1",
        root: ROOT,
        output: "",
        reports: std::slice::from_ref(&report),
    };
    let reading = read(&printed);
    assert_eq!(reading.notes, [""; 0], "{name}");
    reading.failures
}

/// The tool, the place and the beginning of the message of each failure.
fn rows(failures: &[Failure]) -> Vec<String> {
    let row = |failure: &Failure| {
        let file = failure.file.as_deref().unwrap_or("-");
        let line = failure.line.map_or("-".to_owned(), |line| line.to_string());
        format!("{file}:{line} | {} | {}", failure.id, failure.message)
    };
    failures.iter().map(row).collect()
}

const PYTEST: [&str; 3] = [
    "test_shop.py:5 | pytest:test_shop.py::test_total_of_two | assert 4 == 3",
    "test_shop.py:14 | pytest:test_shop.py::TestRounding::test_half | ValueError: no <rounding> & no \"mercy\"",
    "test_broken.py:1 | pytest:test_broken.py | ModuleNotFoundError: No module named 'nothing_here'",
];

const ESLINT: [&str; 9] = [
    "src/jest.test.js:1 | eslint:no-undef:src/jest.test.js:'require' is not defined. | 'require' is not defined.",
    "src/jest.test.js:2 | eslint:no-undef:src/jest.test.js:'describe' is not defined. | 'describe' is not defined.",
    "src/jest.test.js:3 | eslint:no-undef:src/jest.test.js:'test' is not defined. | 'test' is not defined.",
    "src/jest.test.js:3 | eslint:no-undef:src/jest.test.js:'expect' is not defined. | 'expect' is not defined.",
    "src/jest.test.js:4 | eslint:no-undef:src/jest.test.js:'test' is not defined. (2) | 'test' is not defined.",
    "src/jest.test.js:4 | eslint:no-undef:src/jest.test.js:'expect' is not defined. (2) | 'expect' is not defined.",
    "src/jest.test.js:6 | eslint:no-undef:src/jest.test.js:'test' is not defined. (3) | 'test' is not defined.",
    "src/total.js:1 | eslint:no-undef:src/total.js:'exports' is not defined. | 'exports' is not defined.",
    "src/total.js:2 | eslint:no-unused-vars:src/total.js:'unused' is assigned a value but never used. | 'unused' is assigned a value but never used.",
];

const RUFF: [&str; 2] = [
    "shop.py:1 | ruff:F401:shop.py:`os` imported but unused | `os` imported but unused",
    "test_broken.py:1 | ruff:F401:test_broken.py:`nothing_here` imported but unused | `nothing_here` imported but unused",
];

const TSC: [&str; 2] = [
    "src/bad.ts:1 | tsc:TS2322:src/bad.ts:Type 'string' is not assignable to type 'number'. | Type 'string' is not assignable to type 'number'.",
    "src/bad.ts:3 | tsc:TS2362:src/bad.ts:The left-hand side of an arithmetic operation must be of type 'any', 'number', 'bigint' or an enum type. | The left-hand side of an arithmetic operation must be of type 'any', 'number', 'bigint' or an enum type.",
];

#[test]
fn output_for_people() {
    let table: [(&str, &[&str]); 11] = [
        ("pytest.txt", &PYTEST),
        (
            "unittest.txt",
            &["test_unit.py:6 | unittest:test_sum (test_unit.Totals.test_sum) | AssertionError: 2 != 3"],
        ),
        ("ruff-full.txt", &RUFF),
        ("ruff-concise.txt", &RUFF),
        ("tsc.txt", &TSC),
        ("tsc-pretty.txt", &TSC),
        (
            "cargo-test.txt",
            &[
                "src/lib.rs:18 | cargo-test:shop tests::of_nothing | assertion `left == right` failed: nothing costs nothing",
                "src/lib.rs:13 | cargo-test:shop tests::sums_up | assertion `left == right` failed",
            ],
        ),
        (
            "clippy.txt",
            &[
                "src/lib.rs:3 | cargo::src/lib.rs:the loop variable `at` is only used to index `prices` | the loop variable `at` is only used to index `prices`",
            ],
        ),
        (
            "jest.txt",
            &[
                "src/jest.test.js:3 | jest:src/jest.test.js > total > adds two prices | expect(received).toBe(expected) // Object.is equality",
                "src/jest.test.js:6 | jest:src/jest.test.js > throws | no way",
            ],
        ),
        (
            "vitest.txt",
            &[
                "src/vi.spec.mjs:2 | vitest:src/vi.spec.mjs > total > adds two prices | AssertionError: expected 4 to be 3 // Object.is equality",
            ],
        ),
        (
            "node.txt",
            &[
                "node.test.mjs:3 | node:node.test.mjs > adds two prices | AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 4 !== 3",
                "node.test.mjs:4 | node:node.test.mjs > is empty | Error: it is not",
            ],
        ),
    ];
    for (name, expected) in table {
        assert_eq!(rows(&printed(&golden(name))), expected, "{name}");
    }
}

#[test]
fn eslint_says_the_same_in_both_forms() {
    assert_eq!(rows(&reported("eslint.json")), ESLINT);
    let text = rows(&printed(&golden("eslint.txt")));
    let without_dot: Vec<String> = ESLINT.iter().map(|row| row.replace("ed. ", "ed ")).collect();
    let without_dot: Vec<String> = without_dot
        .iter()
        .map(|row| row.trim_end_matches('.').to_owned())
        .collect();
    assert_eq!(text, without_dot);
}

#[test]
fn reports() {
    let table: [(&str, &[&str]); 9] = [
        ("ruff.json", &RUFF),
        (
            "ruff.sarif",
            &[
                "shop.py:1 | sarif:F401:shop.py:`os` imported but unused | `os` imported but unused",
                "test_broken.py:1 | sarif:F401:test_broken.py:`nothing_here` imported but unused | `nothing_here` imported but unused",
            ],
        ),
        (
            "clippy.jsonl",
            &[
                "src/lib.rs:3 | cargo:clippy::needless_range_loop:src/lib.rs:the loop variable `at` is only used to index `prices` | the loop variable `at` is only used to index `prices`",
            ],
        ),
        (
            "jest.json",
            &[
                "src/jest.test.js:3 | jest:src/jest.test.js > total > adds two prices | Error: expect(received).toBe(expected) // Object.is equality",
                "src/jest.test.js:6 | jest:src/jest.test.js > throws | Error: no way",
            ],
        ),
        (
            "vitest.json",
            &[
                "src/vi.spec.mjs:2 | vitest:src/vi.spec.mjs > total > adds two prices | AssertionError: expected 4 to be 3 // Object.is equality",
            ],
        ),
        (
            "go.jsonl",
            &[
                "cart/cart_test.go:14 | go:example.com/shop/cart TestTotal/of_two | got 4, want 3",
                "till/till.go:7 | go:example.com/shop/till | 2: undefined: price",
            ],
        ),
        (
            "nextest.xml",
            &[
                "src/lib.rs:18 | junit:shop > tests::of_nothing | thread 'tests::of_nothing' (17195) panicked at src/lib.rs:18:9",
                "src/lib.rs:13 | junit:shop > tests::sums_up | thread 'tests::sums_up' (17196) panicked at src/lib.rs:13:9",
            ],
        ),
        (
            "pytest.xml",
            &[
                "test_broken.py:1 | junit:pytest > test_broken | collection failure",
                "test_shop.py:5 | junit:pytest > test_shop > test_total_of_two | assert 4 == 3",
                "test_shop.py:14 | junit:pytest > test_shop.TestRounding > test_half | ValueError: no <rounding> & no \"mercy\"",
            ],
        ),
        (
            "vitest.xml",
            &[
                "src/vi.spec.mjs:2 | junit:src/vi.spec.mjs > total > adds two prices | expected 4 to be 3 // Object.is equality",
            ],
        ),
    ];
    for (name, expected) in table {
        assert_eq!(rows(&reported(name)), expected, "{name}");
        // The same as the output of the check, between lines of its runner.
        if !["nextest.xml", "pytest.xml", "vitest.xml"].contains(&name) {
            let output = format!("> shop@1.0.0 test\n\n{}\nnpm error 1\n", golden(name));
            assert_eq!(rows(&printed(&output)), expected, "{name} as output");
        }
    }
    let node = reported("node.xml");
    assert_eq!(node.len(), 2);
    assert!(node.iter().all(|failure| failure.tool == Tool::Junit), "{node:?}");
}

#[test]
fn an_agent_gets_the_text_of_its_failure() {
    let failures = printed(&golden("pytest.txt"));
    assert!(
        failures[0].excerpt.contains(">       assert total([1, 2]) == 3"),
        "{}",
        failures[0].excerpt
    );
    assert!(!failures[0].excerpt.contains("rounding"), "of no other one");
    let failures = printed(&golden("tsc.txt"));
    assert!(!failures[0].excerpt.contains("TS2362"), "{}", failures[0].excerpt);
    let failures = printed(&golden("cargo-test.txt"));
    assert!(failures[1].excerpt.contains("left: 4"), "{}", failures[1].excerpt);
}
