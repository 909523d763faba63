//! A repository in three languages with eight failing tests and lints, each in a file of its own, and what mends them.

use std::path::Path;

/// The checks, with the tools that people use.
const CHECKS: &str = "checks:
  - { name: tests, run: cargo test --offline --quiet }
  - { name: clippy, run: cargo clippy --offline --quiet -- -D warnings }
  - { name: types, run: tsc -p web }
  - { name: vitest, run: vitest run --globals --dir web }
  - { name: eslint, run: eslint web }
  - { name: pytest, run: pytest -q tools }
  - { name: ruff, run: ruff check tools }
";

/// The files of the repository.
const FILES: [(&str, &str); 17] = [
    ("downbeat.yaml", CHECKS),
    // The repository lets Claude Code run commands without asking.
    (
        ".claude/settings.json",
        "{\"permissions\":{\"allow\":[\"Bash\"]}}",
    ),
    (
        ".gitignore",
        "/target\n/Cargo.lock\nnode_modules\n__pycache__\n.pytest_cache\n.ruff_cache\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    ),
    (
        "src/lib.rs",
        "//! Prices.\npub mod discount;\npub mod round;\npub mod tax;\n",
    ),
    (
        "src/round.rs",
        "//! Rounds prices.\n\n/// Returns whole cents.\npub fn cents(price: f64) -> i64 {\n    price as i64\n}\n\n\
         #[test]\nfn half_cents_are_rounded_up() {\n    assert_eq!(cents(1.5), 2);\n}\n",
    ),
    (
        "src/tax.rs",
        "//! Taxes.\n\n/// Returns a price with tax.\npub fn gross(net: i64) -> i64 {\n    net + net * 9 / 100\n}\n\n\
         #[test]\nfn tax_is_nineteen_percent() {\n    assert_eq!(gross(100), 119);\n}\n",
    ),
    (
        "src/discount.rs",
        "//! Discounts.\n\n/// Returns half of a price.\npub fn half(price: i64) -> i64 {\n    return price / 2;\n}\n",
    ),
    (
        "web/tsconfig.json",
        "{ \"compilerOptions\": { \"strict\": true, \"noEmit\": true, \"lib\": [\"es2022\"], \"skipLibCheck\": true,\n  \
         \"module\": \"esnext\", \"target\": \"es2022\", \"types\": [] }, \"include\": [\"cart.ts\", \"totals.ts\"] }\n",
    ),
    (
        "web/cart.ts",
        "export function count(items: readonly string[]): number {\n  return items.join(\", \");\n}\n",
    ),
    (
        "web/totals.ts",
        "export function total(prices: readonly number[]): number {\n  \
         return prices.reduce((sum, price) => sum - price, 0);\n}\n",
    ),
    (
        "web/totals.test.ts",
        "import { total } from \"./totals\";\n\ntest(\"all prices count\", () => {\n  expect(total([1, 2])).toBe(3);\n});\n",
    ),
    (
        "web/banner.js",
        "export function banner(name) {\n  const unused = name;\n  return \"Hello\";\n}\n",
    ),
    (
        "eslint.config.js",
        "export default [{ rules: { \"no-unused-vars\": [\"error\", { args: \"none\" }] } }];\n",
    ),
    (
        "tools/stock.py",
        "def left(stock, sold):\n    return stock + sold\n",
    ),
    (
        "tools/test_stock.py",
        "from stock import left\n\n\ndef test_what_was_sold_is_gone():\n    assert left(5, 2) == 3\n",
    ),
    (
        "tools/report.py",
        "import os\n\n\ndef title():\n    return \"Report\"\n",
    ),
];

/// The files that failures name, and the commands that mend them.
pub const MENDS: [(&str, &str); 8] = [
    (
        "src/round.rs",
        "sed -i 's/price as i64/price.round() as i64/' src/round.rs",
    ),
    ("src/tax.rs", "sed -i 's/net [*] 9/net * 19/' src/tax.rs"),
    (
        "src/discount.rs",
        "sed -i 's|return price / 2;|price / 2|' src/discount.rs",
    ),
    (
        "web/cart.ts",
        "sed -i 's/items.join(.*)/items.length/' web/cart.ts",
    ),
    (
        "web/totals.test.ts",
        "sed -i 's/sum - price/sum + price/' web/totals.ts",
    ),
    ("web/banner.js", "sed -i '/unused/d' web/banner.js"),
    (
        "tools/test_stock.py",
        "sed -i 's/stock + sold/stock - sold/' tools/stock.py",
    ),
    ("tools/report.py", "sed -i 1,3d tools/report.py"),
];

/// Writes the files into a folder.
pub fn write(folder: &Path) {
    for (name, text) in FILES {
        let at = folder.join(name);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }
}

/// Returns the command with which an agent mends what its task names, and commits that.
pub fn mend(task: &str) -> String {
    let named = MENDS
        .iter()
        .filter(|(file, _)| task.contains(&format!(" at {file}")));
    let commands: Vec<&str> = named.map(|(_, command)| *command).collect();
    format!("{} && git commit -qam 'Mend it'", commands.join(" && "))
}
