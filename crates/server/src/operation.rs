//! Serves every operation of the table as an HTTP route. Matches method and path together, so that a session
//! may be called `stop` although `/api/sessions/stop` exists.

use crate::face::{DRAIN, Face};
use crate::places::{Kind, Place};
use crate::refusal::Refusal;
use crate::{arguments, body, guard, token, ui};
use axum::Json;
use axum::extract::{Query, Request, State};
use axum::http::header::ALLOW;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use downbeat_wire::request::Nothing;
use downbeat_wire::settings::Theme;
use downbeat_wire::{ApiError, Caller, Code, Key, OPERATIONS, Operation, Pace, Repeat, key};
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::sync::Arc;

/// The maximum size of a request's body, in bytes. A message of 256 KB fits however its characters are
/// escaped (at most six bytes for one); anything larger is refused before it is read to the end.
const BODY_LIMIT: usize = 2 << 20;

/// The same for the person, whose plan of 2 MB fits with its line ends and quotes escaped.
const OWNERS_BODY_LIMIT: usize = 5 << 20;

/// A row and the values of the parameters in its path.
type Match = (&'static Operation, Vec<(&'static str, String)>);

/// The reason why no row matches.
#[derive(Debug, PartialEq, Eq)]
enum Unfit {
    /// No row has this path.
    Path,
    /// The path exists, with these methods only.
    Method(Vec<&'static str>),
}

/// Answers all requests except those of the few routes written by hand.
pub(crate) async fn answer_or_ui(State(face): State<Face>, request: Request) -> Response {
    if !guard::is_api(request.uri().path()) {
        let theme = theme(&face);
        return ui::answer(request.method(), request.uri().path(), request.headers(), theme).await;
    }
    match answer(&face, request).await {
        Ok(value) => Json(value).into_response(),
        Err(response) => response,
    }
}

/// Returns the theme that the person chose; `None` if the engine cannot answer.
async fn theme(face: &Face) -> Option<Theme> {
    let settings = face.host.get_settings(&Caller::Owner, Nothing {}).await;
    settings.ok().map(|settings| settings.theme)
}

/// Answers a request for a known path with a method that it does not have.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> Response {
    not_allowed(&method, uri.path(), &[]).into_response()
}

async fn answer(face: &Face, request: Request) -> Result<Value, Response> {
    let (parts, body) = request.into_parts();
    let caller = token::caller(face, &parts.headers)
        .await
        .map_err(IntoResponse::into_response)?;
    let found = find(&parts.method, parts.uri.path());
    let (row, path) = found.map_err(|unfit| unfit.response(&parts.method, parts.uri.path()))?;
    let refuse = |error: ApiError| Refusal::from(error).into_response();
    let key = key_of(&parts.headers).map_err(refuse)?;
    let is_repeatable = key.is_some() || row.repeat == Repeat::Harmless;
    let query: Query<Vec<(String, String)>> = Query::try_from_uri(&parts.uri)
        .map_err(|error| refuse(ApiError::invalid(format!("the query is malformed: {error}"))))?;
    let place = face.places.take(&caller, Kind::Request).map_err(refuse)?;
    let wait = match row.pace {
        Pace::Waits => Some(face.places.take(&caller, Kind::Wait).map_err(refuse)?),
        Pace::AtOnce => None,
    };
    let most = match caller {
        Caller::Owner => OWNERS_BODY_LIMIT,
        Caller::Session(_) => BODY_LIMIT,
    };
    let body = body::read(body, most)
        .await
        .map_err(IntoResponse::into_response)?;
    let arguments = arguments::merge(row, path, query.0, &body).map_err(refuse)?;
    let ending = async {
        face.shutdown.cancelled().await;
        // Half of the time that the whole server has, since the answer has to be sent as well.
        tokio::time::sleep(DRAIN / 2).await;
    };
    tokio::select! {
        answer = run(face, caller, row, (arguments, key), (place, wait)) => answer.map_err(refuse),
        () = ending => Err(match is_repeatable {
            true => Refusal::ending().into_response(),
            false => Refusal::uncertain(row).into_response(),
        }),
    }
}

/// Runs an operation. If its client hangs up, an operation that changes something still runs to its end. So
/// does an operation that a session requested, which keeps its place, since a thread may be working on it.
/// An operation that only waits, or only reads for the person, is dropped, so that nothing is delivered that
/// nobody receives.
async fn run(
    face: &Face,
    caller: Caller,
    row: &'static Operation,
    (arguments, key): (Value, Option<Key>),
    (place, wait): (Place, Option<Place>),
) -> Result<Value, ApiError> {
    if row.invalidates.is_empty() && (caller == Caller::Owner || wait.is_some()) {
        return face
            .host
            .perform(&caller, row.name, arguments, key.as_ref())
            .await;
    }
    let host = Arc::clone(&face.host);
    let work = tokio::spawn(async move {
        let answer = host.perform(&caller, row.name, arguments, key.as_ref()).await;
        drop((place, wait));
        answer
    });
    match work.await {
        Ok(answer) => answer,
        Err(broken) => match broken.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(ApiError::new(Code::Unavailable, "Downbeat is shutting down")),
        },
    }
}

/// Returns the idempotency key of a request.
fn key_of(headers: &HeaderMap) -> Result<Option<Key>, ApiError> {
    let mut keys = headers.get_all(key::HEADER).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        return Err(ApiError::invalid("there is more than one idempotency key"));
    }
    Key::parse(key.to_str().unwrap_or_default()).map(Some)
}

/// Finds the row for a method and path; if several match, the one with the fewest parameters.
fn find(method: &Method, path: &str) -> Result<Match, Unfit> {
    let fitting = OPERATIONS
        .iter()
        .filter_map(|row| Some((row, fit(row.path, path)?)));
    let (mut best, mut methods): (Option<Match>, Vec<&'static str>) = (None, Vec::new());
    for (row, values) in fitting {
        if row.method == method.as_str() && best.as_ref().is_none_or(|(_, b)| values.len() < b.len()) {
            best = Some((row, values));
        }
        methods.push(row.method);
    }
    match best {
        Some(found) => Ok(found),
        None if methods.is_empty() => Err(Unfit::Path),
        None => Err(Unfit::Method(methods)),
    }
}

impl Unfit {
    fn response(&self, method: &Method, path: &str) -> Response {
        match self {
            Self::Method(methods) => not_allowed(method, path, methods),
            Self::Path => {
                let error =
                    ApiError::not_found("path", path).hint("GET /api/openapi.json lists all operations");
                Refusal::from(error).into_response()
            }
        }
    }
}

fn fit(pattern: &'static str, path: &str) -> Option<Vec<(&'static str, String)>> {
    let (mut want, mut have) = (pattern.split('/'), path.split('/'));
    let mut values = Vec::new();
    loop {
        match (want.next(), have.next()) {
            (None, None) => return Some(values),
            (Some(want), Some(have)) => {
                let parameter = want.strip_prefix('{').and_then(|w| w.strip_suffix('}'));
                match parameter {
                    Some(name) if !have.is_empty() => {
                        let value = percent_decode_str(have).decode_utf8().ok()?;
                        values.push((name, value.into_owned()));
                    }
                    None if want == have => {}
                    _ => return None,
                }
            }
            _ => return None,
        }
    }
}

fn not_allowed(method: &Method, path: &str, methods: &[&'static str]) -> Response {
    let error = ApiError::invalid(format!("{path} does not support {method}"));
    let error = match methods {
        [] => error,
        some => error.hint(format!("it supports {}", some.join(", "))),
    };
    let mut response = Refusal::with_status(StatusCode::METHOD_NOT_ALLOWED, error).into_response();
    if let Ok(allow) = HeaderValue::try_from(methods.join(", ")) {
        // For its own routes axum adds the header itself.
        if !methods.is_empty() {
            response.headers_mut().insert(ALLOW, allow);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::{Unfit, find, fit};
    use axum::http::Method;
    use downbeat_wire::OPERATIONS;

    #[test]
    fn every_row_is_found_by_its_own_method_and_path() {
        for row in OPERATIONS {
            let path = row.path.replace("{id}", "stop");
            let method = row.method.parse().unwrap();
            // `stop` is also the last word of another row, with another method.
            assert_eq!(
                find(&method, &path).ok().unwrap().0.name,
                row.name,
                "{}",
                row.name
            );
        }
    }

    #[test]
    fn parameters_are_decoded_and_never_empty() {
        assert_eq!(
            fit("/a/{id}", "/a/x%20%2F%C3%BC"),
            Some(vec![("id", "x /ü".into())])
        );
        for bad in ["/a/", "/a", "/a/b/c", "/a/%FF", "/b/x"] {
            assert_eq!(fit("/a/{id}", bad), None, "{bad}");
        }
    }

    #[test]
    fn unknown_paths_and_unknown_methods_are_different_errors() {
        assert_eq!(find(&Method::GET, "/api/nothing").err(), Some(Unfit::Path));
        let wrong = find(&Method::PUT, "/api/sessions").err().unwrap();
        assert_eq!(wrong, Unfit::Method(vec!["GET", "POST"]));
        let told = wrong.response(&Method::PUT, "/api/sessions");
        assert_eq!(
            (told.status().as_u16(), told.headers()["allow"].as_bytes()),
            (405, &b"GET, POST"[..])
        );
    }
}
