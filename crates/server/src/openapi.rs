//! The API as an OpenAPI 3.1 document, generated from the table. The requests outside the table (`hello`, the
//! two streams and the handover) are written here by hand.

use crate::face::Face;
use crate::places::Kind;
use crate::refusal::Refusal;
use crate::schemas::{PLACE, Schemas};
use crate::token;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use downbeat_wire::{OPERATIONS, Operation, Repeat, Scope, key, proof};
use schemars::Schema;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The document as it is sent: the same for every request, and expensive to put together.
static TEXT: LazyLock<Bytes> = LazyLock::new(|| document().to_string().into());

/// Serves the document.
pub(crate) async fn answer(
    State(face): State<Face>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Refusal> {
    let caller = token::caller(&face, &headers).await?;
    let _place = face.places.take(&caller, Kind::Request)?;
    Ok(([(CONTENT_TYPE, "application/json")], TEXT.clone()))
}

/// Returns the document.
#[must_use]
pub fn document() -> Value {
    let schemas = Schemas::get();
    let mut paths = Map::new();
    for (row, (request, response)) in OPERATIONS.iter().zip(&schemas.rows) {
        add(
            &mut paths,
            row.path,
            row.method,
            described(schemas, row, request, response),
        );
    }
    for (path, method, operation) in by_hand() {
        add(&mut paths, path, method, operation);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Downbeat",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The engine on this machine. Every request but `hello` carries a token: the person's \
                            own (in engine.json), or a session's, which is limited to that session \
                            and those below it."
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas.shared,
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "responses": { "Error": {
                "description": "What went wrong, and how to fix it.",
                "content": { "application/json": { "schema": { "$ref": format!("{PLACE}ApiError") } } }
            } }
        }
    })
}

fn add(paths: &mut Map<String, Value>, path: &str, method: &str, operation: Value) {
    let item = paths.entry(path).or_insert_with(|| json!({}));
    item[method.to_ascii_lowercase()] = operation;
}

fn described(schemas: &Schemas, row: &Operation, request: &Schema, response: &Schema) -> Value {
    let doc = row.doc.trim().replace("\n ", " ");
    let mut operation = json!({
        "operationId": row.name,
        "summary": doc,
        "x-downbeat-scope": match row.scope { Scope::Owner => "owner", Scope::Subtree => "subtree" },
        "x-downbeat-invalidates": row.invalidates,
        "parameters": parameters(schemas, row),
        "responses": {
            "200": {
                "description": "Done.",
                "content": { "application/json": { "schema": response } }
            },
            "default": { "$ref": "#/components/responses/Error" }
        }
    });
    if takes_body(row) {
        operation["requestBody"] = json!({
            "description": "Fields that are part of the path may be omitted.",
            "content": { "application/json": { "schema": body(schemas, row, request) } }
        });
    }
    operation
}

fn takes_body(row: &Operation) -> bool {
    matches!(row.method, "POST" | "PATCH")
}

fn in_path(row: &Operation, field: &str) -> bool {
    row.path.contains(&format!("{{{field}}}"))
}

/// Lists path parameters, and for operations without a body the rest of the request as a query.
fn parameters(schemas: &Schemas, row: &Operation) -> Vec<Value> {
    let fields = schemas.fields(row).into_iter().flatten();
    let wanted = fields.filter(|(name, _)| in_path(row, name) || !takes_body(row));
    let key = (row.repeat == Repeat::Keyed).then(|| {
        json!({
            "name": "Idempotency-Key",
            "in": "header",
            "required": false,
            "description": "A new UUID for this request, and the same one for its repeats: it happens once, and each gets the same answer. Kept for a day.",
            "schema": { "type": "string", "minLength": 1, "maxLength": key::LONGEST }
        })
    });
    wanted
        .map(|(name, schema)| {
            let is_path = in_path(row, name);
            json!({
                "name": name,
                "in": if is_path { "path" } else { "query" },
                "required": is_path,
                "description": schema["description"],
                "schema": schema
            })
        })
        .chain(key)
        .collect()
}

/// Returns the request without the fields that the path names.
fn body(schemas: &Schemas, row: &Operation, request: &Schema) -> Value {
    let Some(fields) = schemas.fields(row) else {
        return request.as_value().clone();
    };
    if !fields.keys().any(|name| in_path(row, name)) {
        return request.as_value().clone();
    }
    let kept: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| !in_path(row, name))
        .map(|(n, s)| (n.clone(), s.clone()))
        .collect();
    let reference = request.as_value().get("$ref").and_then(Value::as_str);
    let whole = reference.and_then(|name| schemas.shared.get(name.strip_prefix(PLACE)?));
    let required: Vec<&Value> = whole
        .and_then(|schema| schema["required"].as_array())
        .into_iter()
        .flatten()
        .filter(|name| name.as_str().is_some_and(|name| !in_path(row, name)))
        .collect();
    json!({ "type": "object", "properties": kept, "required": required, "additionalProperties": false })
}

fn by_hand() -> [(&'static str, &'static str, Value); 4] {
    [
        (proof::PATH, "GET", hello()),
        ("/api/events", "GET", events()),
        ("/api/sessions/{id}/terminal", "GET", terminal()),
        ("/api/engine/handover", "POST", handover()),
    ]
}

/// How a browser authenticates a WebSocket.
const PROTOCOL: &str = "A browser sends its token as the subprotocol `bearer.TOKEN`, beside `downbeat`.";

fn error() -> Value {
    json!({ "$ref": "#/components/responses/Error" })
}

/// Returns the responses of a route that becomes a WebSocket.
fn upgraded(description: &str) -> Value {
    json!({ "101": { "description": description }, "default": error() })
}

fn hello() -> Value {
    let asked = |name: &str, description: &str| {
        json!({
            "name": name, "in": "query", "required": true, "description": description,
            "schema": { "type": "string" }
        })
    };
    json!({
        "operationId": "hello",
        "summary": "Proves that this is the engine, before the client sends a token.",
        "description": "Call this first, without a token, and send the token only if `proof` is \
                        right: the lower-case hexadecimal HMAC-SHA256, under the token, of \
                        `downbeat hello 1`, the port that you connected to and the nonce, joined by line \
                        feeds. If no valid token has this fingerprint, the proof is wrong.",
        "security": [],
        "parameters": [
            asked("nonce", "32 to 128 letters and digits, new each time."),
            asked("key", "Fingerprint of the token: the first 16 hexadecimal digits of the SHA-256 of \
                          `downbeat key 1`, a line feed and the token."),
        ],
        "responses": { "200": {
            "description": "The proof.",
            "content": { "application/json": { "schema": {
                "type": "object", "properties": { "proof": { "type": "string" } }, "required": ["proof"]
            } } }
        }, "default": error() }
    })
}

fn events() -> Value {
    json!({
        "operationId": "events",
        "summary": "What changes, as it happens: a WebSocket of JSON texts, each a StreamItem.",
        "description": PROTOCOL,
        "parameters": [{
            "name": "since", "in": "query", "required": false,
            "description": "Starts after this sequence number; default from now on.",
            "schema": { "type": "integer", "format": "int64" }
        }],
        "responses": upgraded("A stream of StreamItem."),
        "x-downbeat-stream": { "$ref": format!("{PLACE}StreamItem") }
    })
}

fn terminal() -> Value {
    json!({
        "operationId": "terminal",
        "summary": "A session's terminal: a WebSocket of binary frames, one kind byte first.",
        "description": format!(
            "{PROTOCOL} From the server: 0 snapshot (seq u64, cols u16, rows u16, VT bytes), \
             1 output (seq u64, bytes), 2 resize (seq u64, cols u16, rows u16), 3 exit (seq u64, \
             code i32), 4 closed (UTF-8 reason). To the server: 0 data (bytes), 1 resize (cols \
             u16, rows u16), 2 acknowledgement (seq u64). Numbers are big-endian."
        ),
        "parameters": [{
            "name": "id", "in": "path", "required": true,
            "description": "Id or readable name.", "schema": { "type": "string" }
        }],
        "responses": upgraded("Binary frames both ways.")
    })
}

fn handover() -> Value {
    json!({
        "operationId": "hand_over",
        "summary": "Makes the engine release its data directory and its port to another engine, and exit.",
        "responses": { "200": { "description": "Both are released." }, "default": error() },
        "x-downbeat-scope": "owner"
    })
}
