//! Where the values of a JSON text stand in it. The text is valid JSON by then: what it means is read by serde_json.

use std::ops::Range;

/// A value and its place.
#[derive(Debug, Clone)]
pub enum Node {
    /// An object, with its fields in order.
    Object(Vec<(String, Node)>),
    /// An array.
    Array(Vec<Node>),
    /// Anything else.
    Plain(Range<usize>),
}

impl Node {
    /// Returns a field of an object.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else {
            return None;
        };
        fields
            .iter()
            .rev()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value)
    }

    /// Returns the items of an array.
    pub fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }
}

/// Returns the places of all values of a valid JSON text. Its depth is that which serde_json allows.
pub fn places(text: &str) -> Option<Node> {
    // A file of Windows may begin with a byte order mark.
    let at = text.len() - text.trim_start_matches('\u{feff}').len();
    Reader { text, at }.value()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    /// Returns the next byte that is no space, without reading it.
    fn next(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads a byte if it is the next.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.next() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Option<Node> {
        match self.next()? {
            b'{' => {
                self.at += 1;
                let mut fields = Vec::new();
                while !self.takes(b'}') {
                    self.next()?;
                    let name = self.plain()?;
                    let name = serde_json::from_str(self.text.get(name)?).ok()?;
                    self.takes(b':').then_some(())?;
                    fields.push((name, self.value()?));
                    self.takes(b',');
                }
                Some(Node::Object(fields))
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while !self.takes(b']') {
                    items.push(self.value()?);
                    self.takes(b',');
                }
                Some(Node::Array(items))
            }
            _ => self.plain().map(Node::Plain),
        }
    }

    /// Reads a string, a number or a word.
    fn plain(&mut self) -> Option<Range<usize>> {
        let from = self.at;
        let bytes = self.text.as_bytes();
        if bytes.get(from) == Some(&b'"') {
            self.at += 1;
            while *bytes.get(self.at)? != b'"' {
                self.at += 1 + usize::from(bytes.get(self.at) == Some(&b'\\'));
            }
            self.at += 1;
        } else {
            let rest = self.text.get(from..)?;
            let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ']' | '}' | ':');
            self.at += rest.find(ends).unwrap_or(rest.len());
        }
        (self.at > from).then_some(from..self.at)
    }
}
