//! The first door: only pages and programs that address this server by its own loopback name get
//! in, which refuses DNS rebinding and other sites, on WebSockets too. Also sets the headers that
//! every answer carries. It does not look at tokens (see [`crate::token`]).

use crate::Face;
use crate::refusal::Refusal;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use downbeat_wire::{ApiError, Code};

/// The names under which a loopback server is itself.
const OWN_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

pub(crate) async fn check(State(face): State<Face>, request: Request, next: Next) -> Response {
    let is_api = is_api(request.uri().path());
    let mut response = match refused(request.headers(), face.port) {
        Some(error) => Refusal::from(error).into_response(),
        None => next.run(request).await,
    };
    set_headers(response.headers_mut(), face.port, is_api);
    response
}

/// Whether a path belongs to the API rather than the interface.
pub(crate) fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

fn refused(headers: &HeaderMap, port: u16) -> Option<ApiError> {
    let own = |authority: &str| {
        let split = authority.rsplit_once(':');
        split.is_some_and(|(name, p)| {
            p == port.to_string() && OWN_NAMES.iter().any(|own| name.eq_ignore_ascii_case(own))
        })
    };
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts.next().and_then(|host| host.to_str().ok());
    if hosts.next().is_some() || !host.is_some_and(own) {
        return Some(
            ApiError::new(
                Code::Forbidden,
                "this server answers only to its own loopback name",
            )
            .hint(format!("use http://127.0.0.1:{port}")),
        );
    }
    let foreign = headers.get_all(ORIGIN).iter().any(|origin| {
        let authority = origin.to_str().ok().and_then(|text| text.strip_prefix("http://"));
        !authority.is_some_and(own)
    });
    foreign.then(|| ApiError::new(Code::Forbidden, "pages of other sites may not use this server"))
}

fn set_headers(headers: &mut HeaderMap, port: u16, is_api: bool) {
    // Styles may be inline because the terminal emulator sets sizes and colours that way.
    let policy = format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src 'self' data:; \
         connect-src 'self' ws://localhost:{port} ws://127.0.0.1:{port}; \
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
    if is_api {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

#[cfg(test)]
mod tests {
    use super::refused;
    use axum::http::HeaderMap;

    fn passes(host: &[&str], origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        for host in host {
            headers.append("host", host.parse().unwrap());
        }
        if let Some(origin) = origin {
            headers.insert("origin", origin.parse().unwrap());
        }
        refused(&headers, 4000).is_none()
    }

    #[test]
    fn only_our_own_names_and_port_pass() {
        for good in ["localhost:4000", "LOCALHOST:4000", "127.0.0.1:4000", "[::1]:4000"] {
            assert!(passes(&[good], None), "{good}");
            assert!(passes(&[good], Some("http://localhost:4000")), "{good}");
        }
        for bad in [
            "evil.example:4000",
            "localhost",
            "localhost:4001",
            "127.0.0.1.evil.example:4000",
            "127.0.0.1:4000:4000",
            "",
        ] {
            assert!(!passes(&[bad], None), "{bad}");
        }
        assert!(!passes(&[], None));
        assert!(!passes(&["localhost:4000", "evil.example"], None));
    }

    #[test]
    fn other_origins_are_refused() {
        for bad in [
            "null",
            "http://evil.example",
            "https://localhost:4000",
            "http://localhost:5173",
            "http://localhost",
        ] {
            assert!(!passes(&["localhost:4000"], Some(bad)), "{bad}");
        }
    }
}
