//! The protocol between a keeper and an engine, a viewer or a hook: frames of
//! `length: u32, kind: u8, body`, big-endian. Version 1 is frozen: kinds keep their numbers and fields for
//! ever, unknown kinds are skipped, and JSON bodies may gain fields. A test replays recorded frames.

use crate::report::{Entry, Hello};
use crate::spec::StepSpec;
use crate::spool::Postmark;
use jiff::Timestamp;
use std::io::{self, Read};

/// The newest version that this program speaks.
pub const VERSION: u16 = 1;

/// The longest frame; a longer one is malformed. A full snapshot is a tenth of it.
pub const MAX_FRAME: usize = 64 << 20;

/// The longest greeting, in bytes.
pub const MAX_HELLO: usize = 1 << 10;

/// The longest frame of a hook: its post.
pub const MAX_POST: usize = (16 << 20) + 1;

/// The longest frame of a viewer: a paste, which goes into the program's input or nowhere.
const MAX_INPUT: usize = 8 << 20;

/// The purpose of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// An engine: control, reports.
    Control,
    /// A viewer: output, input.
    Viewer,
    /// One hook post.
    Hook,
}

impl Role {
    /// Returns the length of the longest frame that a client of this role may send.
    pub fn most(self) -> usize {
        match self {
            Self::Control => MAX_FRAME,
            Self::Viewer => MAX_INPUT,
            Self::Hook => MAX_POST,
        }
    }

    /// Reports whether a client of this role may send `request`: a hook posts, a viewer looks and types.
    pub fn may(self, request: &Request) -> bool {
        match self {
            Self::Control => true,
            Self::Viewer => matches!(
                request,
                Request::Attach { .. }
                    | Request::Input(_)
                    | Request::Resize { .. }
                    | Request::Drawn { .. }
                    | Request::ScreenFirst
            ),
            Self::Hook => matches!(request, Request::Mark(_) | Request::Hook(_)),
        }
    }
}

/// A request from a client to the keeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// 1: `version: u16, role: u8`. The first frame on every connection.
    Hello { version: u16, role: Role },
    /// 2: `sized: u8, cols: u16, rows: u16, from: u64`, then `lines: u32` or nothing. `from` is
    /// the last byte that the viewer saw, or `u64::MAX`; no snapshot is needed if the keeper still has
    /// all output since then. A viewer that keeps its own scrollback sends `lines`: that many lines come
    /// with the first snapshot, and none with later ones. Without `lines`, each snapshot has all of them.
    Attach {
        size: Option<(u16, u16)>,
        from: u64,
        lines: Option<u32>,
    },
    /// 3: typed bytes.
    Input(Vec<u8>),
    /// 4: `cols: u16, rows: u16`.
    Resize { cols: u16, rows: u16 },
    /// 5: `seq: u64`: a viewer has drawn everything before this.
    Drawn { seq: u64 },
    /// 6: `id: u32, grace: u64` milliseconds.
    Kill { id: u32, grace: u64 },
    /// 7: a hook's body.
    Hook(Vec<u8>),
    /// 8: `id: u32, lines: u32`.
    Text { id: u32, lines: u32 },
    /// 9: `id: u32, first: u32`, then JSON steps or nothing.
    Run {
        id: u32,
        first: u32,
        steps: Option<Vec<StepSpec>>,
    },
    /// 10: `id: u32, seq: u64`: the engine stored the journal entries up to this one.
    Stored { id: u32, seq: u64 },
    /// 11: `id: u32`.
    Close { id: u32 },
    /// 12: `id: u32`, then typed bytes. Answered once the keeper took them.
    Type { id: u32, bytes: Vec<u8> },
    /// 13: `at: i64` microseconds, `pid: u32`: the mark of the hook body that follows. A keeper that
    /// does not know this kind still takes the body.
    Mark(Postmark),
    /// 14: nothing. Sent before [`Request::Attach`]: the viewer wants the screen alone before a long first snapshot. A
    /// keeper that does not know this kind sends the snapshot alone.
    ScreenFirst,
}

/// A frame from the keeper to a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// 1: JSON.
    Hello(Box<Hello>),
    /// 2: a frame of `model::terminal`.
    Terminal(Vec<u8>),
    /// 3: JSON.
    Entry(Entry),
    /// 4: `seq: u64, at: i64` microseconds.
    Output { seq: u64, at: Timestamp },
    /// 5: UTF-8.
    Title(String),
    /// 6: `id: u32, ok: u8`, then JSON or the reason as UTF-8.
    Reply {
        id: u32,
        result: Result<Vec<u8>, String>,
    },
    /// 7: the hook post is in the journal.
    Posted,
}

/// The kind byte of terminal frames, which are also written without an [`Answer`].
pub const TERMINAL: u8 = 2;

fn frame(kind: u8, parts: &[&[u8]]) -> Vec<u8> {
    let len = 1 + parts.iter().map(|part| part.len()).sum::<usize>();
    let mut out = Vec::with_capacity(4 + len);
    out.extend_from_slice(&(len as u32).to_be_bytes());
    out.push(kind);
    for part in parts {
        out.extend_from_slice(part);
    }
    out
}

fn json<T: serde::Serialize>(value: &T) -> Vec<u8> {
    // Only our own plain structs come here, and they always serialise.
    serde_json::to_vec(value).unwrap_or_default()
}

impl Request {
    /// Encodes the request as a frame.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Hello { version, role } => {
                let role = match role {
                    Role::Control => 0,
                    Role::Viewer => 1,
                    Role::Hook => 2,
                };
                frame(1, &[&version.to_be_bytes(), &[role]])
            }
            Self::Attach { size, from, lines } => {
                let (cols, rows) = size.unwrap_or_default();
                let sized = u8::from(size.is_some());
                let lines = lines.map(u32::to_be_bytes);
                frame(
                    2,
                    &[
                        &[sized],
                        &cols.to_be_bytes(),
                        &rows.to_be_bytes(),
                        &from.to_be_bytes(),
                        lines.as_ref().map_or(&[], <[u8; 4]>::as_slice),
                    ],
                )
            }
            Self::Input(bytes) => frame(3, &[bytes]),
            Self::Resize { cols, rows } => frame(4, &[&cols.to_be_bytes(), &rows.to_be_bytes()]),
            Self::Drawn { seq } => frame(5, &[&seq.to_be_bytes()]),
            Self::Kill { id, grace } => frame(6, &[&id.to_be_bytes(), &grace.to_be_bytes()]),
            Self::Hook(body) => frame(7, &[body]),
            Self::Text { id, lines } => frame(8, &[&id.to_be_bytes(), &lines.to_be_bytes()]),
            Self::Run { id, first, steps } => {
                let steps = steps.as_ref().map(json).unwrap_or_default();
                frame(9, &[&id.to_be_bytes(), &first.to_be_bytes(), &steps])
            }
            Self::Stored { id, seq } => frame(10, &[&id.to_be_bytes(), &seq.to_be_bytes()]),
            Self::Close { id } => frame(11, &[&id.to_be_bytes()]),
            Self::Type { id, bytes } => frame(12, &[&id.to_be_bytes(), bytes]),
            Self::Mark(mark) => {
                let at = mark.at.as_microsecond();
                frame(13, &[&at.to_be_bytes(), &mark.pid.to_be_bytes()])
            }
            Self::ScreenFirst => frame(14, &[]),
        }
    }

    /// Decodes a request; `Ok(None)` for an unknown kind.
    pub fn decode(kind: u8, body: Vec<u8>) -> Result<Option<Self>, Malformed> {
        let mut rest = body.as_slice();
        let request = match kind {
            1 => Self::Hello {
                version: u16::from_be_bytes(take(&mut rest)?),
                role: match take::<1>(&mut rest)? {
                    [0] => Role::Control,
                    [1] => Role::Viewer,
                    [2] => Role::Hook,
                    _ => return Err(Malformed),
                },
            },
            2 => {
                let [sized] = take::<1>(&mut rest)?;
                let size = (
                    u16::from_be_bytes(take(&mut rest)?),
                    u16::from_be_bytes(take(&mut rest)?),
                );
                Self::Attach {
                    size: (sized != 0).then_some(size),
                    from: u64::from_be_bytes(take(&mut rest)?),
                    lines: take(&mut rest).ok().map(u32::from_be_bytes),
                }
            }
            3 => Self::Input(body),
            4 => Self::Resize {
                cols: u16::from_be_bytes(take(&mut rest)?),
                rows: u16::from_be_bytes(take(&mut rest)?),
            },
            5 => Self::Drawn {
                seq: u64::from_be_bytes(take(&mut rest)?),
            },
            6 => Self::Kill {
                id: u32::from_be_bytes(take(&mut rest)?),
                grace: u64::from_be_bytes(take(&mut rest)?),
            },
            7 => Self::Hook(body),
            8 => Self::Text {
                id: u32::from_be_bytes(take(&mut rest)?),
                lines: u32::from_be_bytes(take(&mut rest)?),
            },
            9 => {
                let (id, first) = (
                    u32::from_be_bytes(take(&mut rest)?),
                    u32::from_be_bytes(take(&mut rest)?),
                );
                let steps = if rest.is_empty() {
                    None
                } else {
                    Some(serde_json::from_slice(rest).map_err(|_| Malformed)?)
                };
                Self::Run { id, first, steps }
            }
            10 => Self::Stored {
                id: u32::from_be_bytes(take(&mut rest)?),
                seq: u64::from_be_bytes(take(&mut rest)?),
            },
            11 => Self::Close {
                id: u32::from_be_bytes(take(&mut rest)?),
            },
            12 => Self::Type {
                id: u32::from_be_bytes(take(&mut rest)?),
                bytes: rest.to_vec(),
            },
            13 => Self::Mark(Postmark {
                at: Timestamp::from_microsecond(i64::from_be_bytes(take(&mut rest)?))
                    .map_err(|_| Malformed)?,
                pid: u32::from_be_bytes(take(&mut rest)?),
            }),
            14 => Self::ScreenFirst,
            _ => return Ok(None),
        };
        Ok(Some(request))
    }
}

impl Answer {
    /// Encodes the answer as a frame.
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Hello(hello) => frame(1, &[&json(hello)]),
            Self::Terminal(bytes) => frame(TERMINAL, &[bytes]),
            Self::Entry(entry) => frame(3, &[&json(entry)]),
            Self::Output { seq, at } => frame(4, &[&seq.to_be_bytes(), &at.as_microsecond().to_be_bytes()]),
            Self::Title(title) => frame(5, &[title.as_bytes()]),
            Self::Reply { id, result } => match result {
                Ok(body) => frame(6, &[&id.to_be_bytes(), &[1], body]),
                Err(reason) => frame(6, &[&id.to_be_bytes(), &[0], reason.as_bytes()]),
            },
            Self::Posted => frame(7, &[]),
        }
    }

    /// Decodes an answer; `Ok(None)` for an unknown kind.
    pub fn decode(kind: u8, body: Vec<u8>) -> Result<Option<Self>, Malformed> {
        let mut rest = body.as_slice();
        let answer = match kind {
            1 => Self::Hello(serde_json::from_slice(rest).map_err(|_| Malformed)?),
            TERMINAL => Self::Terminal(body),
            3 => match serde_json::from_slice(rest) {
                Ok(entry) => Self::Entry(entry),
                // A kind of fact from a later keeper; nothing here acts on it.
                Err(_) => return Ok(None),
            },
            4 => Self::Output {
                seq: u64::from_be_bytes(take(&mut rest)?),
                at: Timestamp::from_microsecond(i64::from_be_bytes(take(&mut rest)?))
                    .map_err(|_| Malformed)?,
            },
            5 => Self::Title(String::from_utf8_lossy(rest).into_owned()),
            6 => {
                let id = u32::from_be_bytes(take(&mut rest)?);
                let [ok] = take::<1>(&mut rest)?;
                let result = if ok != 0 {
                    Ok(rest.to_vec())
                } else {
                    Err(String::from_utf8_lossy(rest).into_owned())
                };
                Self::Reply { id, result }
            }
            7 => Self::Posted,
            _ => return Ok(None),
        };
        Ok(Some(answer))
    }
}

/// A frame that violates the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Malformed> {
    let (head, tail) = rest.split_first_chunk::<N>().ok_or(Malformed)?;
    *rest = tail;
    Ok(*head)
}

/// The maximum number of bytes that are allocated for a frame before its body arrives.
const AT_ONCE: usize = 64 << 10;

/// Returns the length that the first four bytes of a frame announce.
pub fn announced(head: [u8; 4], most: usize) -> Result<usize, Malformed> {
    let len = u32::from_be_bytes(head) as usize;
    if len == 0 || len > most {
        Err(Malformed)
    } else {
        Ok(len)
    }
}

/// Reads one frame; `None` at the end of the stream.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<(u8, Vec<u8>)>> {
    read_frame_of(from, MAX_FRAME)
}

/// Reads one frame of at most `most` bytes. Bytes that are announced but never sent take no memory.
pub fn read_frame_of(from: &mut impl Read, most: usize) -> io::Result<Option<(u8, Vec<u8>)>> {
    let mut head = [0u8; 4];
    match from.read_exact(&mut head) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let len = announced(head, most).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let mut kind = [0u8; 1];
    from.read_exact(&mut kind)?;
    let mut body = Vec::with_capacity((len - 1).min(AT_ONCE));
    from.take(len as u64 - 1).read_to_end(&mut body)?;
    if body.len() < len - 1 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((kind[0], body)))
}

#[cfg(test)]
#[path = "proto_tests.rs"]
mod tests;
