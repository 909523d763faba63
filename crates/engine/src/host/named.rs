//! Finds values that the configuration names and that are kept elsewhere: in the environment, in a file of the person alone, or
//! in the system's keychain.

use crate::host::blocking::blocking;
use crate::host::secret_file;
use downbeat_notifiers::Sources;
use downbeat_notifiers::secret::{Absent, Named, Secret};
use downbeat_wire::ApiError;

/// Returns the value, which is read anew each time. `env` is the person's environment.
///
/// # Errors
/// Says what is missing, without any value.
pub async fn find(value: &Named, env: &[(String, String)]) -> Result<Secret, Absent> {
    let value = value.clone();
    let found = with_sources(env, move |sources| value.find(sources)).await;
    found.unwrap_or_else(|error| Err(error.message.into()))
}

/// Runs blocking work that reads such values.
///
/// # Errors
/// Fails if the work panics.
pub async fn with_sources<R: Send + 'static>(
    env: &[(String, String)],
    work: impl FnOnce(&Sources<'_>) -> R + Send + 'static,
) -> Result<R, ApiError> {
    let env = env.to_vec();
    blocking(move || {
        let variable = |name: &str| {
            let found = env.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.clone())
        };
        let home = variable("HOME").or_else(|| variable("USERPROFILE"));
        work(&Sources {
            variable: &variable,
            file: &|path| secret_file::read(path, home.as_deref()),
            keychain: &|name| {
                downbeat_keychain::read(name).map_err(|error| Absent {
                    why: error.to_string(),
                    may_pass: error.may_pass(),
                })
            },
        })
    })
    .await
}
