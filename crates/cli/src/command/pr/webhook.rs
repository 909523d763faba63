//! `downbeat pr webhook`: how a forge tells this machine of changes at once, and when it last did.

use crate::client::Client;
use crate::failure::Failure;
use crate::home::Home;
use crate::outcome::{Outcome, print, print_json};
use crate::paint::{Paint, plain};
use crate::show::ago;
use clap::Args;
use downbeat_wire::Client as _;
use downbeat_wire::pull::{ForgeState, ForgeWebhook};
use downbeat_wire::request::Nothing;
use jiff::Timestamp;

#[derive(Debug, Args)]
pub(in crate::command) struct Arguments {
    /// Show this host only
    host: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// The repository in an example for a forge none of whose repositories is known.
const EXAMPLE: &str = "OWNER/NAME";

pub(in crate::command) async fn run(arguments: Arguments, home: Home) -> Outcome {
    let client = Client::ready(&home).await?;
    let mut forges = client.list_forges(Nothing {}).await?;
    if let Some(host) = &arguments.host {
        let known: Vec<String> = forges.iter().map(|forge| plain(&forge.host)).collect();
        forges.retain(|forge| forge.host == *host);
        if forges.is_empty() {
            return Err(unknown(host, &known));
        }
    }
    if arguments.json {
        return print_json(&forges);
    }
    let now = Timestamp::now();
    let paint = Paint::for_stdout();
    match forges.is_empty() {
        true => print(
            "no trusted project with a session has a remote on such a forge, and no `webhookSecret` is configured for it\n",
        ),
        false => print(
            &forges
                .iter()
                .map(|forge| text(paint, forge, now))
                .collect::<String>(),
        ),
    }
}

fn unknown(host: &str, known: &[String]) -> Failure {
    let failure = Failure::usage(format!("no project has a remote at {}", plain(host)));
    match known {
        [] => failure.hint("nor at any other forge; `downbeat pr webhook` says what is needed"),
        known => failure.hint(format!("there are: {}", known.join(", "))),
    }
}

fn text(paint: Paint, forge: &ForgeState, now: Timestamp) -> String {
    let (webhook, host) = (&forge.webhook, plain(&forge.host));
    let mut lines = vec![format!("{host}: {}", state(webhook, now))];
    if let Some(problem) = &webhook.problem {
        lines.push(format!("  {}", paint.warn(&plain(problem))));
    }
    if let (Some(why), Some(at)) = (&webhook.refused, webhook.refused_at) {
        let said = format!("one was refused {} ago: {}", ago(at, now), plain(why));
        lines.push(format!("  {}", paint.warn(&said)));
    }
    let secret = match webhook.forwards {
        true => "GITHUB_WEBHOOK_SECRET",
        false => "GITLAB_WEBHOOK_SECRET",
    };
    if !webhook.is_on {
        lines.push(
            "  To switch them on, choose a long random secret and write into your downbeat.yaml".to_owned(),
        );
        lines.push(format!(
            "    forges: {{ {host}: {{ webhookSecret: '${{{secret}}}' }} }}"
        ));
    }
    lines.push(format!("  Address on this machine: {}", plain(&webhook.address)));
    lines.push(format!(
        "  Events to choose: {}",
        plain(&webhook.events.join(", "))
    ));
    if webhook.forwards {
        let repository = forge.repositories.first().map_or(EXAMPLE, String::as_str);
        lines.push(
            "  To have GitHub's own tool bring them here (`gh extension install cli/gh-webhook`):".to_owned(),
        );
        if webhook.is_on {
            lines.push(format!(
                "  (with the value of `webhookSecret` in the variable {secret})"
            ));
        }
        lines.push(format!(
            "    gh webhook forward --repo={} --events={} --url={} --secret=\"${secret}\"",
            plain(repository),
            webhook.events.join(","),
            webhook.address
        ));
    } else {
        lines.push(
            "  GitLab has to reach this address, or a tunnel has to lead there and nowhere else.".to_owned(),
        );
    }
    lines.join("\n") + "\n"
}

fn state(webhook: &ForgeWebhook, now: Timestamp) -> String {
    match (webhook.is_on, webhook.last_at) {
        (false, _) => "webhooks are off; the forge is asked on a schedule".to_owned(),
        (true, None) => "webhooks are on; none has come yet".to_owned(),
        (true, Some(at)) => {
            let event = plain(webhook.last_event.as_deref().unwrap_or_default());
            format!(
                "webhooks are on; the last one, {event}, came {} ago",
                ago(at, now)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forge(webhook: ForgeWebhook) -> ForgeState {
        ForgeState {
            host: "github.com".into(),
            repositories: vec!["acme/shop".into()],
            pulls: 1,
            error: None,
            error_since: None,
            answered_at: None,
            points_left: None,
            points_of: None,
            troubles: Vec::new(),
            webhook,
        }
    }

    #[test]
    fn it_says_whether_they_come_and_what_to_do() {
        let now = Timestamp::from_second(100).unwrap();
        let off = ForgeWebhook {
            is_on: false,
            problem: None,
            address: "http://127.0.0.1:4000/hooks/github".into(),
            events: vec!["check_run".into(), "status".into()],
            forwards: true,
            last_event: None,
            last_at: None,
            refused: None,
            refused_at: None,
        };
        let said = text(Paint::for_stdout(), &forge(off.clone()), now);
        for part in [
            "webhooks are off",
            "forges: { github.com: { webhookSecret: '${GITHUB_WEBHOOK_SECRET}' } }",
            "gh webhook forward --repo=acme/shop --events=check_run,status --url=http://127.0.0.1:4000/hooks/github \
             --secret=\"$GITHUB_WEBHOOK_SECRET\"",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let on = ForgeWebhook {
            is_on: true,
            problem: Some("A is not set".into()),
            last_event: Some("status".into()),
            last_at: Some(Timestamp::from_second(40).unwrap()),
            refused: Some("its signature does not fit".into()),
            refused_at: Some(now),
            ..off
        };
        let said = text(Paint::for_stdout(), &forge(on), now);
        for part in [
            "the last one, status, came 1m ago",
            "A is not set",
            "was refused",
            "does not fit",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(!said.contains("To switch them on"), "{said}");
    }
}
