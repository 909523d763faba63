//! The process that owns one session's PTY and screen, and the client of its socket.
