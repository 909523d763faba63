//! The author and committer of new commits, as git finds them: the environment, then the configuration of the
//! repository and of the person. Nothing is guessed from the names of user and host, as git would do.

use crate::{Error, Repository};
use git2::{Config, Signature};
use jiff::Zoned;

/// Who a new commit names.
pub(crate) struct Identity {
    pub(crate) author: Vec<u8>,
    pub(crate) committer: Vec<u8>,
}

impl Identity {
    /// Returns the person's identity at the given time.
    ///
    /// # Errors
    /// [`Error::NoIdentity`] if no name or no e-mail address is configured.
    pub(crate) fn of(repository: &Repository, time: &Zoned) -> Result<Self, Error> {
        let config = repository.git2().config().and_then(|mut all| all.snapshot());
        let config = config.map_err(Error::read(repository.root()))?;
        let line = |role: &str| {
            let name = setting(&config, role, "name")?;
            let email = setting(&config, role, "email")?;
            line(&name, &email, time)
        };
        match (line("author"), line("committer")) {
            (Some(author), Some(committer)) => Ok(Self { author, committer }),
            _ => Err(Error::NoIdentity {
                path: repository.root().to_owned(),
            }),
        }
    }
}

/// Returns a setting of the author or committer, or of the person in general.
fn setting(config: &Config, role: &str, what: &str) -> Option<String> {
    let variable = format!("GIT_{}_{}", role.to_uppercase(), what.to_uppercase());
    let given = std::env::var(variable).ok();
    let configured = |section: &str| config.get_string(&format!("{section}.{what}")).ok();
    let found = given.or_else(|| configured(role)).or_else(|| configured("user"));
    found.filter(|text| !text.trim().is_empty())
}

/// Formats `name <email> seconds offset`. libgit2 refuses or removes the characters that would break the line.
fn line(name: &str, email: &str, time: &Zoned) -> Option<Vec<u8>> {
    let valid = Signature::now(name, email).ok()?;
    let mut line = valid.name_bytes().to_vec();
    line.extend_from_slice(b" <");
    line.extend_from_slice(valid.email_bytes());
    line.extend_from_slice(b"> ");
    line.extend_from_slice(when(time).as_bytes());
    Some(line)
}

/// Formats a time as git stores it: the seconds since 1970, then the offset from UTC as `+hhmm`.
pub(crate) fn when(time: &Zoned) -> String {
    let minutes = time.offset().seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    // Git knows no time before 1970.
    let seconds = time.timestamp().as_second().max(0);
    format!("{seconds} {sign}{hours:02}{rest:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_offset_and_no_character_that_would_break_it() {
        let time: Zoned = "2024-05-01T10:00:00-03:30[-03:30]".parse().unwrap();
        let line = line(" A, <B>\n", "a@b", &time);
        // libgit2 refuses angle brackets inside of a name.
        assert!(line.is_none_or(|line| !line.contains(&b'\n')));
        let plain = super::line(" Ada L ", "a@b ", &time).unwrap();
        assert_eq!(String::from_utf8(plain).unwrap(), "Ada L <a@b> 1714570200 -0330");
    }
}
