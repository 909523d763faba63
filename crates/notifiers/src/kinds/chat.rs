//! Requests to chat services and phones: Slack, Discord, Composio, ntfy. Texts of agents are sent as plain text, or with
//! everything escaped that would mention, link or format.

use crate::config::App;
use crate::message::{Message, cut, cut_bytes};
use crate::request::Request;
use crate::secret::Secret;
use crate::target::Target;
use downbeat_model::reactions::NoticePriority;
use serde_json::{Map, Value, json};
use url::Url;

/// The longest header of Slack's blocks, and the longest text of a section.
const SLACK: (usize, usize) = (150, 3000);

/// The longest title of an embed of Discord, and its longest description.
const DISCORD: (usize, usize) = (256, 4096);

/// The longest message of Discord without an embed.
const DISCORD_CONTENT: usize = 2000;

/// The longest title and message of ntfy, in bytes; a longer message becomes an attachment.
const NTFY: (usize, usize) = (250, 4096);

/// The longest subject and text that Composio gets for a mail.
const MAIL: (usize, usize) = (200, 20_000);

/// An incoming webhook. Blocks show plain text; `text` is what notifications show, and is the only text with a markup.
pub(super) fn slack(target: &Target, message: &Message) -> Request {
    let plain = |text: String| json!({ "type": "plain_text", "text": text, "emoji": false });
    let mut blocks = vec![json!({ "type": "header", "text": plain(cut(&message.title, SLACK.0)) })];
    if !message.text.is_empty() {
        blocks.push(json!({ "type": "section", "text": plain(cut(&message.text, SLACK.1)) }));
    }
    blocks.push(json!({ "type": "context", "elements": [plain(cut(&message.origin(), SLACK.0))] }));
    let mut body = json!({ "text": escaped_for_slack(&cut(&message.title, SLACK.1)), "blocks": blocks });
    put(&mut body, "channel", target.config.channel.as_deref());
    put(&mut body, "username", target.config.username.as_deref());
    put(&mut body, "icon_url", target.config.avatar_url.as_deref());
    Request::new(&target.url.0, &body)
}

/// In Slack's markup, these three characters begin mentions, links and entities.
fn escaped_for_slack(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// A webhook with `wait`, so that the answer says whether the message was stored. Nobody is mentioned.
pub(super) fn discord(target: &Target, message: &Message) -> Request {
    let mut url = target.url.0.clone();
    url.query_pairs_mut().append_pair("wait", "true");
    if let Some(thread) = &target.config.thread_id {
        url.query_pairs_mut().append_pair("thread_id", thread);
    }
    let mut embed = json!({
        "title": cut(&escaped_for_discord(&message.title), DISCORD.0),
        "color": colour(message.priority),
        "footer": { "text": cut(&message.origin(), DISCORD.0) },
        "timestamp": message.at.to_string(),
    });
    if !message.text.is_empty() {
        embed["description"] = json!(cut(&escaped_for_discord(&message.text), DISCORD.1));
    }
    let mut body = json!({ "embeds": [embed], "allowed_mentions": { "parse": [] } });
    put(&mut body, "username", target.config.username.as_deref());
    put(&mut body, "avatar_url", target.config.avatar_url.as_deref());
    Request::new(&url, &body)
}

/// Writes a backslash before everything that Discord's Markdown reads as formatting, or as a link.
fn escaped_for_discord(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\*_~`|>#[]()<@:-".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

const fn colour(priority: NoticePriority) -> u32 {
    match priority {
        NoticePriority::Urgent => 0x00DC_2626,
        NoticePriority::Action => 0x00D9_7706,
        NoticePriority::Warning => 0x00CA_8A04,
        NoticePriority::Info => 0x0064_748B,
    }
}

/// A tool of Composio that sends a message or a mail.
pub(super) fn composio(target: &Target, message: &Message) -> Request {
    let config = &target.config;
    let channel = config.channel_id.as_deref().or(config.channel_name.as_deref());
    let text = format!("{}\n{}\n{}", message.title, message.text, message.origin());
    let (tool, arguments) = match config.default_app.unwrap_or_default() {
        App::Slack => (
            "SLACK_SEND_MESSAGE",
            json!({ "channel": channel, "text": escaped_for_slack(&cut(&text, SLACK.1)) }),
        ),
        App::Discord => (
            "DISCORD_SEND_MESSAGE",
            // The tool cannot be told to mention nobody, so nothing looks like a mention.
            json!({
                "channel_id": channel,
                "content": cut(&escaped_for_discord(&text).replace('@', "@\u{200b}"), DISCORD_CONTENT),
            }),
        ),
        App::Gmail => (
            "GMAIL_SEND_EMAIL",
            json!({
                "recipient_email": config.email_to,
                "subject": cut(&message.title, MAIL.0),
                "body": cut(&text, MAIL.1),
                "is_html": false,
            }),
        ),
    };
    let mut url = target.url.0.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty()
            .extend(["api", "v3", "tools", "execute", tool]);
    }
    let mut body = json!({ "arguments": arguments, "version": "latest" });
    put(
        &mut body,
        "connected_account_id",
        config.connected_account_id.as_deref(),
    );
    if config.connected_account_id.is_none() || config.user_id.is_some() {
        put(
            &mut body,
            "user_id",
            Some(config.user_id.as_deref().unwrap_or("default")),
        );
    }
    let key = target.secret.as_ref().map(Secret::text).unwrap_or_default();
    Request::new(&url, &body).header("x-api-key", key)
}

/// A topic of ntfy, published as JSON at the root of its server, which takes any character in titles.
pub(super) fn ntfy(target: &Target, message: &Message) -> Request {
    let url = &target.url.0;
    let topic = url
        .path_segments()
        .and_then(|mut parts| parts.rfind(|part| !part.is_empty()));
    let text = match message.text.is_empty() {
        true => message.origin(),
        false => format!(
            "{}\n{}",
            cut_bytes(&message.text, NTFY.1 - 200),
            cut_bytes(&message.origin(), 190)
        ),
    };
    let body = json!({
        "topic": topic.unwrap_or_default(),
        "title": cut_bytes(&message.title, NTFY.0),
        "message": text,
        "priority": match message.priority {
            NoticePriority::Urgent => 5,
            NoticePriority::Action => 4,
            NoticePriority::Warning => 3,
            NoticePriority::Info => 2,
        },
    });
    let request = Request::new(&root(url), &body);
    let request = match &target.secret {
        Some(token) => request.header("authorization", format!("Bearer {}", token.text())),
        None => request,
    };
    own_headers(request, target)
}

/// The address without its last part, which is the topic.
fn root(url: &Url) -> Url {
    let mut root = url.clone();
    root.set_query(None);
    if let Ok(mut path) = root.path_segments_mut() {
        path.pop_if_empty().pop();
    }
    root
}

/// Adds the headers that the person chose.
pub(super) fn own_headers(request: Request, target: &Target) -> Request {
    let headers = target.headers.iter();
    headers.fold(request, |request, (name, value)| {
        request.header(name, value.text())
    })
}

/// Adds a key with a text, if there is one.
pub(super) fn put(body: &mut Value, key: &str, text: Option<&str>) {
    if let (Some(text), Some(map)) = (text, body.as_object_mut()) {
        let map: &mut Map<String, Value> = map;
        map.insert(key.to_owned(), Value::String(text.to_owned()));
    }
}
