//! Refuses requests by their host and origin: programs may use the server's address, and its own pages the
//! name that this start of the engine gave them. That stops DNS rebinding, other sites, and pages that
//! another program left in a browser while it had the port; on WebSockets too. Webhooks of forges may come under
//! any name, because tunnels have names of their own, but not from a page; they are signed. Also sets the headers
//! of all answers. Tokens are checked in [`crate::token`].

use crate::face::Face;
use crate::refusal::Refusal;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use downbeat_wire::webhook::WebhookFrom;
use downbeat_wire::{ApiError, Code};

/// The name by which programs reach the API. Not `localhost`, which may lead to another program first, on
/// `[::1]`.
const ADDRESS: &str = "127.0.0.1";

/// The page that a person sees who opens the interface at another address.
const OUT_OF_DATE: &str = "This link is out of date.\n\nDownbeat creates a new address each time it starts. \
                           In a terminal, run\n\n    downbeat start --link\n\nand open what it prints.\n";

pub(crate) async fn check(State(face): State<Face>, request: Request, next: Next) -> Response {
    let (is_api, is_webhook) = (is_api(request.uri().path()), is_webhook(request.uri().path()));
    let is_page = host(request.headers()).is_some_and(|host| is(&face, host, &face.page));
    let refused = match is_webhook {
        true => of_a_page(request.headers()),
        false => refused(&face, request.headers(), is_api),
    };
    let mut response = match refused {
        Some(error) if is_api || is_webhook => Refusal::from(error).into_response(),
        Some(_) => (StatusCode::FORBIDDEN, OUT_OF_DATE).into_response(),
        None => next.run(request).await,
    };
    set_headers(
        response.headers_mut(),
        is_page.then_some(&face),
        is_api || is_webhook,
    );
    response
}

/// Returns whether a path belongs to the API rather than the interface.
pub(crate) fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Returns whether a path is one of those for webhooks.
fn is_webhook(path: &str) -> bool {
    [WebhookFrom::GitHub, WebhookFrom::GitLab]
        .iter()
        .any(|from| path == from.path())
}

/// Returns why a webhook is refused that a page in a browser sends.
fn of_a_page(headers: &HeaderMap) -> Option<ApiError> {
    let refused = || ApiError::new(Code::Forbidden, "a page does not send webhooks");
    headers.contains_key(ORIGIN).then(refused)
}

/// Returns the host that a request names, if it names exactly one.
fn host(headers: &HeaderMap) -> Option<&str> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next()?.to_str().ok();
    host.filter(|_| hosts.next().is_none())
}

/// Returns whether an authority is this server under that name.
fn is(face: &Face, authority: &str, name: &str) -> bool {
    let split = authority.rsplit_once(':');
    split.is_some_and(|(own, port)| port == face.port.to_string() && own.eq_ignore_ascii_case(name))
}

fn refused(face: &Face, headers: &HeaderMap, is_api: bool) -> Option<ApiError> {
    let port = face.port;
    let host = host(headers).unwrap_or_default();
    let is_own = is(face, host, &face.page) || is_api && is(face, host, ADDRESS);
    if !is_own {
        let error = ApiError::new(
            Code::Forbidden,
            "this address does not, or no longer, belong to Downbeat",
        );
        return Some(error.hint(format!(
            "programs use http://{ADDRESS}:{port}; for the interface run downbeat start --link"
        )));
    }
    let foreign = headers.get_all(ORIGIN).iter().any(|origin| {
        let authority = origin.to_str().ok().and_then(|text| text.strip_prefix("http://"));
        !authority.is_some_and(|authority| is(face, authority, &face.page))
    });
    foreign.then(|| ApiError::new(Code::Forbidden, "pages from other sites may not call this server"))
}

/// Sets the headers. `page` is given only for requests that know the page's name, since only its own page may
/// learn it.
fn set_headers(headers: &mut HeaderMap, page: Option<&Face>, is_data: bool) {
    let socket = page.map(|face| format!(" ws://{}:{}", face.page, face.port));
    let socket = socket.unwrap_or_default();
    // Styles may be inline because the terminal emulator sets sizes and colours that way.
    let policy = format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src 'self' data:; \
         connect-src 'self'{socket}; \
         object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::try_from(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    let fixed: [(HeaderName, &'static str); 3] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_data {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
