//! The built user interface: embedded in a release, read from disk in a debug build. A path that is not a
//! file returns the page, which does its own routing. The page contains the theme that the person chose, so
//! that nothing is drawn in another one first.

use axum::body::Body;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, Method, Response, StatusCode};
use axum::response::IntoResponse;
use downbeat_wire::settings::Theme;
use rust_embed::{Metadata, RustEmbed};
use std::borrow::Cow;
use std::future::Future;

#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Dist;

const INDEX: &str = "index.html";

/// The prefix of files whose name contains a hash of their content, by the bundler's convention.
const HASHED: &str = "assets/";

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Downbeat</title>\
<body style=\"font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem\">\
<h1>The interface is not built</h1><p>The engine runs and its API answers. Build the interface with \
<code>npm ci &amp;&amp; npm run build</code> in the repository, then reload this page.</p></body></html>";

/// Answers a request for a path outside the API. `theme` is awaited only if the page itself is the answer.
pub(crate) async fn answer(
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    theme: impl Future<Output = Option<Theme>>,
) -> Response<Body> {
    if method != Method::GET && method != Method::HEAD {
        return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response();
    }
    let wanted = path.trim_start_matches('/');
    let wanted = if wanted.is_empty() { INDEX } else { wanted };
    if wanted != INDEX
        && let Some(file) = Dist::get(wanted)
    {
        return send(wanted, file.data, &hash(&file.metadata), headers);
    }
    // Answering with the page for a missing script would only confuse the browser.
    if wanted.starts_with(HASHED) {
        return StatusCode::NOT_FOUND.into_response();
    }
    match Dist::get(INDEX) {
        Some(file) => {
            let theme = theme.await.map_or("", name);
            let page = themed(&String::from_utf8_lossy(&file.data), theme);
            let tag = format!("{}{theme}", hash(&file.metadata));
            send(INDEX, page.into_bytes().into(), &tag, headers)
        }
        None => (
            [
                (CONTENT_TYPE, "text/html; charset=utf-8"),
                (CACHE_CONTROL, "no-store"),
            ],
            NOT_BUILT,
        )
            .into_response(),
    }
}

/// Returns the name by which the page knows a theme (`ui/src/theme/theme.svelte.ts`).
fn name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "system",
        Theme::Light => "light",
        Theme::Dark => "dark",
    }
}

/// Returns the page with its theme on the root element.
fn themed(page: &str, theme: &str) -> String {
    match theme {
        "" => page.to_owned(),
        _ => page.replacen("<html ", &format!("<html data-theme=\"{theme}\" "), 1),
    }
}

fn hash(about: &Metadata) -> String {
    let hash = about.sha256_hash();
    hash.iter().take(16).map(|b| format!("{b:02x}")).collect()
}

fn send(name: &str, data: Cow<'static, [u8]>, tag: &str, headers: &HeaderMap) -> Response<Body> {
    let tag = format!("\"{tag}\"");
    let caching = match name.starts_with(HASHED) {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let known = headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let about = [(ETAG, tag), (CACHE_CONTROL, caching.to_owned())];
    if known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let kind = match (kind.type_().as_str(), kind.essence_str()) {
        ("text", _) | (_, "application/javascript") => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    };
    (about, [(CONTENT_TYPE, kind)], data.into_owned()).into_response()
}

#[cfg(test)]
mod tests {
    use super::themed;

    #[test]
    fn the_page_contains_its_theme_before_any_script_runs() {
        let page = include_str!("../../../ui/index.html");
        for theme in ["system", "light", "dark"] {
            let root = format!("<html data-theme=\"{theme}\" lang=\"en\">");
            assert_eq!(themed(page, theme).matches(&root).count(), 1);
        }
        assert_eq!(themed(page, ""), page);
    }
}
