//! Finds values that the configuration names and that are kept elsewhere: in the environment, or in a file of the person alone.

use crate::host::blocking::blocking;
use crate::host::secret_file;
use downbeat_notifiers::Sources;
use downbeat_notifiers::secret::{Named, Secret};

/// Returns the value, which is read anew each time. `env` is the person's environment.
///
/// # Errors
/// Says what is missing, without any value.
pub async fn find(value: &Named, env: &[(String, String)]) -> Result<Secret, String> {
    let (value, env) = (value.clone(), env.to_vec());
    let found = blocking(move || {
        let variable = |name: &str| {
            let found = env.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.clone())
        };
        let home = variable("HOME").or_else(|| variable("USERPROFILE"));
        let sources = Sources {
            variable: &variable,
            file: &|path| secret_file::read(path, home.as_deref()),
        };
        value.find(&sources)
    });
    found.await.unwrap_or_else(|error| Err(error.message))
}
