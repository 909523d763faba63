//! Compact tables with aligned columns, also with wide characters.

use unicode_width::UnicodeWidthStr;

/// A cell: its text, and the text as painted.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    painted: String,
}

impl Cell {
    /// Builds a cell painted by `paint`.
    pub(crate) fn painted(text: &str, paint: impl Fn(&str) -> String) -> Self {
        Self {
            text: text.to_owned(),
            painted: paint(text),
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        let text = text.into();
        Self {
            painted: text.clone(),
            text,
        }
    }
}

/// Formats the rows under their titles, each line without trailing blanks.
pub(crate) fn lines(titles: &[&str], rows: &[Vec<Cell>]) -> String {
    let head: Vec<Cell> = titles.iter().map(|title| Cell::from(*title)).collect();
    let all = || std::iter::once(&head).chain(rows);
    let widths: Vec<usize> = (0..titles.len())
        .map(|column| {
            all()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.text.width())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in all() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&cell.painted);
            line.push_str(&" ".repeat(width.saturating_sub(cell.text.width()) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_with_wide_and_painted_cells() {
        let red = Cell::painted("no", |t| format!("<{t}>"));
        let rows = [
            vec!["日本".into(), red, "x".into()],
            vec!["a".into(), "yes".into(), "".into()],
        ];
        let got = lines(&["NAME", "OK", "Z"], &rows);
        assert_eq!(got, "NAME  OK   Z\n日本  <no>   x\na     yes\n");
    }
}
