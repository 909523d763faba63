//! The answers of the emulator to the program's queries. Only the keeper answers, so that any number
//! of viewers gives one answer. Clipboard reads are never answered.

use alacritty_terminal::event::{Event, EventListener, WindowSize};
use alacritty_terminal::vte::ansi::{NamedColor, Rgb};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of bytes of waiting answers; a program that asks without reading loses the rest.
const REPLY_BYTES: usize = 64 << 10;

#[derive(Debug, Default)]
struct Inner {
    bytes: Vec<u8>,
    cols: u16,
    rows: u16,
}

/// The answers collected while output is parsed. The mutex is needed only because the emulator's listener
/// is shared; there is one thread.
#[derive(Debug, Clone, Default)]
pub struct Replies(Arc<Mutex<Inner>>);

impl Replies {
    /// Sets the size that size queries report.
    pub fn set_size(&self, cols: u16, rows: u16) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (inner.cols, inner.rows) = (cols, rows);
    }

    /// Takes the answers so far, in order.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).bytes)
    }
}

impl EventListener for Replies {
    fn send_event(&self, event: Event) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match event {
            Event::PtyWrite(text) => text,
            Event::ColorRequest(index, format) => format(color(index)),
            Event::TextAreaSizeRequest(format) => format(WindowSize {
                num_lines: inner.rows,
                num_cols: inner.cols,
                cell_width: 8,
                cell_height: 16,
            }),
            _ => return,
        };
        if inner.bytes.len() + text.len() <= REPLY_BYTES {
            inner.bytes.extend_from_slice(text.as_bytes());
        }
    }
}

/// Returns the colour reported to programs: that of a dark terminal, the same for all viewers.
fn color(index: usize) -> Rgb {
    const BASE: [u32; 16] = [
        0x1d_1f21, 0xcc_6666, 0xb5_bd68, 0xf0_c674, 0x81_a2be, 0xb2_94bb, 0x8a_beb7, 0xc5_c8c6, 0x66_6666,
        0xd5_4e53, 0xb9_ca4a, 0xe7_c547, 0x7a_a6da, 0xc3_97d8, 0x70_c0b1, 0xea_eaea,
    ];
    let rgb = |v: u32| Rgb {
        r: (v >> 16) as u8,
        g: (v >> 8) as u8,
        b: v as u8,
    };
    let step = |n: usize| if n == 0 { 0 } else { 55 + 40 * n as u8 };
    match index {
        0..=15 => rgb(BASE[index]),
        16..=231 => {
            let n = index - 16;
            Rgb {
                r: step(n / 36),
                g: step(n / 6 % 6),
                b: step(n % 6),
            }
        }
        232..=255 => {
            let v = 8 + 10 * (index - 232) as u8;
            Rgb { r: v, g: v, b: v }
        }
        _ if index == NamedColor::Background as usize => rgb(0x16_1719),
        _ => rgb(0xd8_d8d6),
    }
}
