//! `downbeat reactions`: what is done by itself about sessions and their pull requests: the rules, why each acts or does
//! not, what it would do, what was done, and what a person wants of it. How answers are printed is in `show`.

pub(in crate::command) mod show;

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::plain;
use clap::Subcommand;
use downbeat_model::reactions::Event;
use downbeat_wire::reaction::{ControlReaction, PauseReactions, ReactionControl, SimulateReactions};
use downbeat_wire::request::{ProjectRef, SessionRef};
use downbeat_wire::{ApiError, Client as _, Code};

#[derive(Debug, Subcommand)]
pub(in crate::command) enum Arguments {
    /// List the rules of a project
    List {
        /// The project
        project: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what each rule does about a session and its pull requests, and why
    Explain {
        /// The session
        session: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say what the rules of a project would do about an event, step by step; nothing is done
    Simulate {
        /// The project
        project: String,
        /// The event, such as ci-failed; by default each that has a rule
        #[arg(long, value_parser = event)]
        event: Option<Event>,
        /// The session that it happens to, for the texts; by default an example
        #[arg(long)]
        session: Option<String>,
        /// The label or the budget that it is about
        #[arg(long)]
        detail: Option<String>,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Let a rule act now: without waiting, and although it does not act by itself or its attempts are used up
    Run(Control),
    /// Do nothing about what is new for a rule
    Skip(Control),
    /// Switch a rule off for a session and its pull requests
    Off(Control),
    /// Switch a rule on again; what is new since then is done
    On(Control),
    /// List what was done about a session and its pull requests
    History {
        /// The session
        session: String,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Do nothing by itself about a session and its pull requests for now
    Pause {
        /// The session
        session: String,
    },
    /// Go on: what is new since the pause is done
    Resume {
        /// The session
        session: String,
    },
}

/// A rule of a session.
#[derive(Debug, clap::Args)]
pub(in crate::command) struct Control {
    /// The session
    session: String,
    /// The rule, such as ci-failed
    rule: String,
    /// The number of the pull request, if only one is meant
    #[arg(long)]
    number: Option<u64>,
}

/// Reads the word of an event.
fn event(word: &str) -> Result<Event, String> {
    let known = || {
        Event::ALL
            .iter()
            .filter_map(|event| serde_json::to_value(event).ok())
    };
    serde_json::from_value(word.into()).map_err(|_| {
        let words: Vec<String> = known()
            .filter_map(|word| Some(word.as_str()?.to_owned()))
            .collect();
        format!("no event; known are {}", words.join(", "))
    })
}

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    match arguments {
        Arguments::List { project, json } => {
            let rules = client.list_reactions(ProjectRef { id: project }).await?;
            match json {
                true => print_json(&rules),
                false => print(&show::list(&rules)),
            }
        }
        Arguments::Explain { session, json } => {
            let all = client.explain_reactions(SessionRef { id: session }).await?;
            match json {
                true => print_json(&all),
                false => print(&show::explained(&all)),
            }
        }
        Arguments::History { session, json } => {
            let done = client.reaction_history(SessionRef { id: session }).await?;
            match json {
                true => print_json(&done),
                false => print(&show::history(&done)),
            }
        }
        Arguments::Simulate {
            project,
            event,
            session,
            detail,
            json,
        } => {
            let request = SimulateReactions {
                id: project,
                event,
                session,
                detail,
            };
            let all = client.simulate_reactions(request).await?;
            match json {
                true => print_json(&all),
                false => print(&show::simulated(&all)),
            }
        }
        Arguments::Run(rule) => control(&client, rule, ReactionControl::Run).await,
        Arguments::Skip(rule) => control(&client, rule, ReactionControl::Skip).await,
        Arguments::Off(rule) => control(&client, rule, ReactionControl::Off).await,
        Arguments::On(rule) => control(&client, rule, ReactionControl::On).await,
        Arguments::Pause { session } => pause(&client, session, true).await,
        Arguments::Resume { session } => pause(&client, session, false).await,
    }
}

async fn control(client: &Client, control: Control, what: ReactionControl) -> Outcome {
    let Control {
        session,
        rule,
        number,
    } = control;
    let subject = match number {
        Some(number) => Some(pull(client, &session, number).await?),
        None => None,
    };
    let request = ControlReaction {
        id: session,
        rule,
        what,
        subject,
    };
    print(&show::explained(&client.control_reaction(request).await?))
}

/// Returns the subject of a session's pull request with this number.
async fn pull(client: &Client, session: &str, number: u64) -> Result<String, Failure> {
    let id = session.to_owned();
    let pulls = client.list_pulls(SessionRef { id }).await?;
    let one = pulls.iter().find(|pull| pull.card.number == number);
    one.map(|pull| pull.card.id.word()).ok_or_else(|| {
        let numbers: Vec<String> = pulls
            .iter()
            .map(|pull| format!("#{}", pull.card.number))
            .collect();
        let hint = match numbers.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", numbers.join(", ")),
        };
        let error = ApiError::new(Code::NotFound, format!("{session} has no pull request #{number}"));
        error.hint(hint).into()
    })
}

async fn pause(client: &Client, id: String, paused: bool) -> Outcome {
    let session = client.pause_reactions(PauseReactions { id, paused }).await?;
    let name = plain(&session.name);
    print(&match paused {
        true => format!("nothing is done by itself about {name} and its pull requests\n"),
        false => format!("the reactions to {name} and its pull requests go on\n"),
    })
}
