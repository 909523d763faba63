//! The terminal stream: the frames that every face carries unchanged between a viewer and a keeper.
//!
//! Server to viewer, binary: one byte kind, then big-endian fields as on [`Frame`]. Sequence
//! numbers count bytes of output since the session's first process, so that a viewer can tell
//! that nothing is missing or doubled. Viewer to server, binary: see [`Input`].
//!
//! Flow control: a viewer acknowledges what it has drawn ([`Input::Ack`]); a viewer that falls more
//! than [`WINDOW`] behind gets no more output but, once it catches up, a fresh snapshot.

/// The largest number of bytes of output that may be on their way to one viewer: one second of a fast build
/// log, and small enough that typing is never stuck behind it.
pub const WINDOW: u64 = 1 << 20;

/// A frame from the keeper to a viewer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Kind 0: `seq: u64, cols: u16, rows: u16`, then VT bytes that rebuild screen, scrollback
    /// and modes on a terminal that was reset to that size.
    Snapshot {
        seq: u64,
        cols: u16,
        rows: u16,
        data: Vec<u8>,
    },
    /// Kind 1: `seq: u64` of the first byte, then output.
    Output { seq: u64, data: Vec<u8> },
    /// Kind 2: `seq: u64, cols: u16, rows: u16`: from here on output is for this size.
    Resize { seq: u64, cols: u16, rows: u16 },
    /// Kind 3: `seq: u64, code: i32`: the process ended; `code` is -1 if a signal ended it.
    Exit { seq: u64, code: i32 },
    /// Kind 4: UTF-8 text: the stream cannot continue, for this reason.
    Closed { reason: String },
    /// Kind 5, with the fields of kind 0: the screen alone, without scrollback. Precedes a long first snapshot,
    /// which follows whatever a viewer does with this one.
    Screen {
        seq: u64,
        cols: u16,
        rows: u16,
        data: Vec<u8>,
    },
}

/// An input from a viewer to the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Kind 0, then bytes as typed.
    Data(Vec<u8>),
    /// Kind 1: `cols: u16, rows: u16`. Counts as focus: this viewer now decides the size.
    Resize { cols: u16, rows: u16 },
    /// Kind 2: `seq: u64`: everything before this was drawn.
    Ack { seq: u64 },
}

impl Frame {
    /// Encodes the frame for the wire.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Snapshot {
                seq,
                cols,
                rows,
                data,
            }
            | Self::Screen {
                seq,
                cols,
                rows,
                data,
            } => {
                out.push(match self {
                    Self::Screen { .. } => 5,
                    _ => 0,
                });
                out.extend(seq.to_be_bytes());
                out.extend(cols.to_be_bytes());
                out.extend(rows.to_be_bytes());
                out.extend(data);
            }
            Self::Output { seq, data } => {
                out.push(1);
                out.extend(seq.to_be_bytes());
                out.extend(data);
            }
            Self::Resize { seq, cols, rows } => {
                out.push(2);
                out.extend(seq.to_be_bytes());
                out.extend(cols.to_be_bytes());
                out.extend(rows.to_be_bytes());
            }
            Self::Exit { seq, code } => {
                out.push(3);
                out.extend(seq.to_be_bytes());
                out.extend(code.to_be_bytes());
            }
            Self::Closed { reason } => {
                out.push(4);
                out.extend(reason.as_bytes());
            }
        }
        out
    }

    /// Decodes a frame; `None` for anything malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        Some(match kind {
            0 => Self::Snapshot {
                seq: u64::from_be_bytes(take(&mut rest)?),
                cols: u16::from_be_bytes(take(&mut rest)?),
                rows: u16::from_be_bytes(take(&mut rest)?),
                data: rest.to_vec(),
            },
            1 => Self::Output {
                seq: u64::from_be_bytes(take(&mut rest)?),
                data: rest.to_vec(),
            },
            2 => Self::Resize {
                seq: u64::from_be_bytes(take(&mut rest)?),
                cols: u16::from_be_bytes(take(&mut rest)?),
                rows: u16::from_be_bytes(take(&mut rest)?),
            },
            3 => Self::Exit {
                seq: u64::from_be_bytes(take(&mut rest)?),
                code: i32::from_be_bytes(take(&mut rest)?),
            },
            4 => Self::Closed {
                reason: String::from_utf8(rest.to_vec()).ok()?,
            },
            5 => Self::Screen {
                seq: u64::from_be_bytes(take(&mut rest)?),
                cols: u16::from_be_bytes(take(&mut rest)?),
                rows: u16::from_be_bytes(take(&mut rest)?),
                data: rest.to_vec(),
            },
            _ => return None,
        })
    }
}

impl Input {
    /// Encodes the input for the wire.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self {
            Self::Data(data) => {
                out.push(0);
                out.extend(data);
            }
            Self::Resize { cols, rows } => {
                out.push(1);
                out.extend(cols.to_be_bytes());
                out.extend(rows.to_be_bytes());
            }
            Self::Ack { seq } => {
                out.push(2);
                out.extend(seq.to_be_bytes());
            }
        }
        out
    }

    /// Decodes an input; `None` for anything malformed.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        Some(match kind {
            0 => Self::Data(rest.to_vec()),
            1 => Self::Resize {
                cols: u16::from_be_bytes(take(&mut rest)?),
                rows: u16::from_be_bytes(take(&mut rest)?),
            },
            2 => Self::Ack {
                seq: u64::from_be_bytes(take(&mut rest)?),
            },
            _ => return None,
        })
    }
}

/// Takes the next `N` bytes off `rest`; `None` if fewer are left.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_inputs_survive_a_round_trip() {
        for frame in [
            Frame::Snapshot {
                seq: 7,
                cols: 80,
                rows: 24,
                data: b"hi".to_vec(),
            },
            Frame::Output {
                seq: u64::MAX,
                data: vec![0, 255],
            },
            Frame::Resize {
                seq: 1,
                cols: 1,
                rows: 2,
            },
            Frame::Exit { seq: 3, code: -1 },
            Frame::Closed {
                reason: "gone".into(),
            },
            Frame::Screen {
                seq: 7,
                cols: 80,
                rows: 24,
                data: b"hi".to_vec(),
            },
        ] {
            assert_eq!(Frame::decode(&frame.encode()), Some(frame));
        }
        for input in [
            Input::Data(vec![3]),
            Input::Resize { cols: 9, rows: 8 },
            Input::Ack { seq: 5 },
        ] {
            assert_eq!(Input::decode(&input.encode()), Some(input));
        }
        for bad in [&b""[..], b"\x00\x01", b"\x09"] {
            assert_eq!(Frame::decode(bad), None);
            assert_eq!(
                Input::decode(&bad.iter().map(|byte| byte | 1).collect::<Vec<_>>()),
                None
            );
        }
    }
}
