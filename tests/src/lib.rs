//! The ground that whole-program tests stand on.
