//! Cuts a stream at every byte.

use super::SCROLLBACK;
use super::compare::{assert_same, exceptional, same_now, whole};
use crate::screen::Screen;

/// The interval of cuts that are fed all of the rest, even if the other cuts are fed less.
const TO_THE_END: usize = 499;

/// Output with changes of size in it.
pub struct Stream {
    cols: u16,
    rows: u16,
    bytes: Vec<u8>,
    /// The changes of size: the byte before which each happens, and the new size.
    sizes: Vec<(usize, u16, u16)>,
}

/// A place in a stream: the number of bytes and of changes of size before it.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Place {
    bytes: usize,
    sizes: usize,
}

/// A screen that is fed a stream step by step.
struct Fed<'a> {
    stream: &'a Stream,
    screen: Screen,
    at: Place,
}

impl Fed<'_> {
    fn advance(&mut self, to: Place) {
        while self.at < to {
            let next = self.stream.sizes.get(self.at.sizes);
            let (until, cols, rows) = next.copied().unwrap_or((usize::MAX, 0, 0));
            if self.at.bytes == until {
                self.screen.resize(cols, rows);
                self.at.sizes += 1;
            } else {
                let until = until.min(to.bytes);
                drop(self.screen.feed(&self.stream.bytes[self.at.bytes..until]));
                self.at.bytes = until;
            }
        }
    }
}

/// Returns another terminal that was fed the snapshot of this one.
pub fn rebuilt(screen: &mut Screen) -> Screen {
    let (cols, rows) = screen.size();
    let mut copy = Screen::new(cols, rows, SCROLLBACK);
    drop(copy.feed(&screen.snapshot(usize::MAX)));
    copy
}

impl Stream {
    /// Creates a stream without changes of size.
    pub fn plain(cols: u16, rows: u16, bytes: Vec<u8>) -> Self {
        Self::new(cols, rows, bytes, Vec::new())
    }

    /// Creates a stream of output with changes of size, in order, each with the byte before which it happens.
    pub fn new(cols: u16, rows: u16, bytes: Vec<u8>, sizes: Vec<(usize, u16, u16)>) -> Self {
        Self {
            cols,
            rows,
            bytes,
            sizes,
        }
    }

    fn start(&self) -> Fed<'_> {
        Fed {
            stream: self,
            screen: Screen::new(self.cols, self.rows, SCROLLBACK),
            at: Place { bytes: 0, sizes: 0 },
        }
    }

    /// Returns the place of every byte, and both sides of every change of size.
    fn places(&self) -> impl Iterator<Item = Place> {
        let mut sizes = 0;
        (0..=self.bytes.len()).flat_map(move |bytes| {
            let first = sizes;
            sizes += self.sizes.iter().filter(|(at, ..)| *at == bytes).count();
            (first..=sizes).map(move |sizes| Place { bytes, sizes })
        })
    }

    /// Returns the place that is `further` bytes later, or the end.
    fn beyond(&self, place: Place, further: usize) -> Place {
        let bytes = place.bytes.saturating_add(further).min(self.bytes.len());
        let sizes = self.sizes.iter().filter(|(at, ..)| *at <= bytes).count();
        Place { bytes, sizes }
    }

    /// Cuts at every place, and checks that a terminal fed the snapshot equals the one fed everything,
    /// immediately and after at least `tail` more bytes.
    pub fn check(&self, name: &str, tail: usize) {
        let mut all = self.start();
        all.advance(self.beyond(all.at, usize::MAX));
        let end = whole(&mut all.screen);
        let mut ahead = self.start();
        let mut fed = self.start();
        for (count, place) in self.places().enumerate() {
            fed.advance(place);
            if ahead.at < self.beyond(place, tail) {
                ahead.advance(self.beyond(place, tail.saturating_mul(2)));
            }
            let mut copy = Fed {
                stream: self,
                screen: rebuilt(&mut fed.screen),
                at: place,
            };
            if !same_now(&mut fed.screen, &mut copy.screen) {
                let what = self.describe(name, place);
                assert_same(&whole(&mut fed.screen), &whole(&mut copy.screen), &what);
            }
            if exceptional(&mut fed.screen) {
                continue;
            }
            copy.advance(ahead.at);
            if !same_now(&mut ahead.screen, &mut copy.screen) {
                let what = format!("{}, and {tail} bytes more", self.describe(name, place));
                assert_same(&whole(&mut ahead.screen), &whole(&mut copy.screen), &what);
            }
            if count.is_multiple_of(TO_THE_END) && ahead.at < all.at {
                copy.advance(all.at);
                let what = format!("{}, and the rest", self.describe(name, place));
                assert_same(&end, &whole(&mut copy.screen), &what);
            }
        }
        assert_same(&end, &whole(&mut fed.screen), &format!("{name} byte by byte"));
    }

    fn describe(&self, name: &str, place: Place) -> String {
        let Place { bytes, sizes } = place;
        let before = self.bytes[bytes.saturating_sub(60)..bytes].escape_ascii();
        let after = &self.bytes[bytes..];
        let after = after[..after.len().min(20)].escape_ascii();
        format!("{name} cut at {bytes} with {sizes} changes of size, after {before} before {after}")
    }
}
