//! Finds the programs of agents and of set-up commands.

use crate::host::programs;
use crate::state::context::Engine;
use downbeat_agents::{Manifest, NoProgram, Program, find_program};
use downbeat_wire::{ApiError, Code};
use std::ffi::OsStr;

/// The hint for an agent that is only a batch file.
pub(crate) const WITHOUT_BATCH: &str =
    "Install the agent as a program (.exe), or name its program and script under `agents:` in downbeat.yaml";

impl Engine {
    /// Finds an agent's program; queries the login shell again if it is missing.
    pub(crate) async fn look_for_program(&self, agent: &Manifest) -> Result<Program, ApiError> {
        match self.find_program(agent) {
            Err(error) if error.code == Code::AgentMissing => {
                self.search.again().await;
                self.find_program(agent)
            }
            known => known,
        }
    }

    /// Finds an agent's program on the known search path.
    pub(crate) fn find_program(&self, agent: &Manifest) -> Result<Program, ApiError> {
        let path = self.search.get();
        find_program(agent.program(), OsStr::new(&path)).map_err(|error| {
            let hint = match error {
                NoProgram::Missing(_) => agent.install_hint(),
                NoProgram::Batch(_) => WITHOUT_BATCH.to_owned(),
            };
            let message = match error {
                NoProgram::Missing(_) => format!("{} is not installed: {error}", agent.name),
                NoProgram::Batch(_) => format!("{} cannot be started: {error}", agent.name),
            };
            ApiError::new(Code::AgentMissing, message).hint(hint)
        })
    }

    /// Returns the command line that the keeper starts for a set-up command. On Windows a name may stand for
    /// a batch file; elsewhere the keeper resolves names by itself.
    pub(crate) fn runnable(&self, argv: &[String]) -> Result<Vec<String>, ApiError> {
        let Some((named, rest)) = argv.split_first().filter(|_| cfg!(windows)) else {
            return Ok(argv.to_vec());
        };
        without_batch(named, rest, find_program(named, OsStr::new(&self.search.get())))
    }
}

/// Returns a command line without a batch file, or with one whose arguments mean nothing to `cmd`.
fn without_batch(
    named: &str,
    rest: &[String],
    found: Result<Program, NoProgram>,
) -> Result<Vec<String>, ApiError> {
    let mut argv = match found {
        Ok(program) => {
            let path = program.path.to_string_lossy().into_owned();
            std::iter::once(path).chain(program.arguments).collect()
        }
        Err(NoProgram::Batch(path)) if rest.iter().all(|argument| programs::is_plain(argument)) => {
            vec![path.to_string_lossy().into_owned()]
        }
        // The keeper reports on the screen that the program is missing.
        Err(NoProgram::Missing(_)) => vec![named.to_owned()],
        Err(batch) => {
            let error = ApiError::new(Code::Failed, format!("the set-up command {named}: {batch}"));
            return Err(error.hint("write it as `sh: \"…\"`, for cmd to read"));
        }
    };
    argv.extend(rest.iter().cloned());
    Ok(argv)
}

#[cfg(test)]
mod tests {
    use super::without_batch;
    use downbeat_agents::{NoProgram, Program};

    #[test]
    fn a_batch_file_gets_plain_arguments_only() {
        let batch = || Err(NoProgram::Batch("C:/ruby/bundle.bat".into()));
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let plain = words(&["install", "--jobs=4"]);
        assert_eq!(
            without_batch("bundle", &plain, batch()).unwrap(),
            ["C:/ruby/bundle.bat", "install", "--jobs=4"]
        );
        for odd in ["a&b", "%PATH%", "a b", "x\"y", "a^b", "a|b", ""] {
            let error = without_batch("bundle", &words(&[odd]), batch()).unwrap_err();
            assert!(error.message.contains("C:/ruby/bundle.bat"), "{odd}");
        }
        let npm = Program {
            arguments: words(&["C:/npm-cli.js"]),
            ..Program::plain("C:/node.exe".into())
        };
        let argv = without_batch("npm", &words(&["ci", "a&b"]), Ok(npm)).unwrap();
        assert_eq!(argv, ["C:/node.exe", "C:/npm-cli.js", "ci", "a&b"]);
        let missing = without_batch("x", &plain, Err(NoProgram::Missing("x".into()))).unwrap();
        assert_eq!(missing, ["x", "install", "--jobs=4"]);
    }
}
