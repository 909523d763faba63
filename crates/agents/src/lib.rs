//! How each coding agent is found, launched, resumed and observed.
