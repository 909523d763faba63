//! Projects, sessions, observation, notices and power, over one data directory.
