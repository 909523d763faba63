//! `downbeat secret`: stores and deletes secrets in the system's keychain. The configuration names one as `keychain:NAME`, and
//! the engine reads it there.

use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print};
use crate::paint::plain;
use clap::Subcommand;
use downbeat_engine::config::{NAMES, is_keychain_name};
use std::io::{IsTerminal, Read};

/// The longest secret, in bytes.
const LONGEST: u64 = 64 * 1024;

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// Store a secret: asks for it, or reads it from standard input
    Set {
        /// Its name, by which the configuration names it: `keychain:NAME`
        name: String,
    },
    /// Delete a secret
    Delete {
        /// Its name
        name: String,
    },
}

pub(in crate::command) fn run(arguments: Arguments, home: &Home) -> Outcome {
    home.refuse_inside("change your secrets")?;
    match arguments {
        Arguments::Set { name } => {
            check(&name)?;
            let secret = ask(&name)?;
            downbeat_keychain::store(&name, secret).map_err(failed)?;
            print(&format!("stored; the configuration names it `keychain:{name}`\n"))
        }
        Arguments::Delete { name } => {
            check(&name)?;
            downbeat_keychain::delete(&name).map_err(failed)?;
            print(&format!("deleted {name}\n"))
        }
    }
}

fn check(name: &str) -> Result<(), Failure> {
    match is_keychain_name(name) {
        true => Ok(()),
        false => Err(Failure::usage(format!("{}: {NAMES}", plain(name)))),
    }
}

fn ask(name: &str) -> Result<String, Failure> {
    let unread = |error: std::io::Error| Failure::new(format!("the secret cannot be read: {error}"));
    let secret = if std::io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{name}: ")).map_err(unread)?
    } else {
        let mut text = String::new();
        let mut input = std::io::stdin().take(LONGEST + 1);
        input.read_to_string(&mut text).map_err(unread)?;
        text
    };
    let secret = secret.trim();
    if secret.is_empty() {
        return Err(Failure::usage("the secret is empty").hint("nothing was stored"));
    }
    if secret.len() as u64 > LONGEST {
        return Err(Failure::usage("the secret is longer than 64 kB").hint("nothing was stored"));
    }
    Ok(secret.to_owned())
}

fn failed(error: downbeat_keychain::Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.may_pass() {
        true => failure
            .hint("a variable of the environment (`${NAME}`) or a file (`file:PATH`) can be named instead"),
        false => failure,
    }
}
