//! Turns a panic in a handler into an error that names its place; the server continues.

use crate::refusal::Refusal;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use downbeat_wire::{ApiError, Code};
use futures_util::FutureExt;
use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::sync::Once;

thread_local! {
    /// The place where this thread last panicked. Read on the same thread right after the unwinding.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

pub(crate) async fn capture(request: Request, next: Next) -> Response {
    HOOK.call_once(remember_places);
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            let place = PLACE.with_borrow_mut(Option::take).unwrap_or_default();
            tracing::error!(%place, "a handler panicked");
            let error = ApiError::new(Code::Failed, format!("internal error in Downbeat at {place}"))
                .hint("Downbeat keeps running and no session was affected; please report this location");
            Refusal::from(error).into_response()
        }
    }
}

fn remember_places() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map(ToString::to_string);
        PLACE.with_borrow_mut(|known| *known = place);
        before(info);
    }));
}
