//! Tests of the table: what each row says agrees with its method, and a client calls the row that it names.

use super::{Client, Misfit, OPERATIONS, Operation, Pace, Repeat, names, operation};
use crate::request::{Nothing, SessionRef};
use serde_json::{Value, json};
use std::sync::Mutex;

/// A new operation cannot be forgotten: whatever changes something can be repeated safely.
#[test]
fn everything_that_changes_something_takes_an_idempotency_key() {
    for row in OPERATIONS {
        let expected = match (row.name, row.method, row.invalidates.is_empty()) {
            (names::shutdown_engine, ..) => Repeat::Never,
            // Ending processes, and a plan that nobody has run, leave nothing that a page shows out of date.
            (names::end_orphans | names::propose_plan, ..) => Repeat::Keyed,
            // What it hands out is not handed out again.
            _ if row.pace == Pace::Waits => Repeat::Keyed,
            (_, "GET", _) | (_, _, true) => Repeat::Harmless,
            _ => Repeat::Keyed,
        };
        assert_eq!(row.repeat, expected, "{}", row.name);
    }
}

/// Answers the same to everything, and notes what it was asked.
struct Fixed(Value, Mutex<Vec<(&'static str, Value)>>);

impl Client for Fixed {
    type Error = Misfit;

    async fn call_json(&self, row: &'static Operation, request: Value) -> Result<Value, Misfit> {
        self.1.lock().unwrap().push((row.name, request));
        Ok(self.0.clone())
    }

    fn misfit(misfit: Misfit) -> Misfit {
        misfit
    }
}

#[tokio::test]
async fn a_client_asks_for_the_row_and_reads_what_the_row_answers() {
    let client = Fixed(json!([]), Mutex::default());
    let me = SessionRef { id: "w".into() };
    assert_eq!(client.list_workers(me).await.unwrap(), []);
    // A list is no session, whatever the caller would like.
    let misfit = client.get_session(SessionRef { id: "w".into() }).await;
    assert!(matches!(misfit, Err(Misfit::Answer(_))));
    assert!(client.get_settings(Nothing {}).await.is_err());
    let asked = client.1.into_inner().unwrap();
    assert_eq!(
        asked,
        [
            (names::list_workers, json!({"id": "w"})),
            (names::get_session, json!({"id": "w"})),
            (names::get_settings, json!({})),
        ]
    );
    assert!(asked.iter().all(|(name, _)| operation(name).is_some()));
}
