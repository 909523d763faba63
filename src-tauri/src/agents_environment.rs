//! The environment in which agents start.

use downbeat_engine::environment;

/// Returns our own environment, merged with the one that the login shell would set.
pub fn environment() -> environment::Env {
    let own = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    environment::for_window(own.collect(), environment::cached())
}
