//! Keys that may answer a question are journaled, but only those that can be a new fact.

use crate::sandbox::{Home, entry, screen_shows};
use downbeat_keeper::{EntryKind, attach, post_hook};
use downbeat_model::terminal::Input;
use std::cell::Cell;

#[tokio::test]
async fn only_the_first_digit_after_a_post_is_journaled() {
    let home = Home::new();
    let (link, mut reports) = home.launch(&["stty raw -echo; printf ready; exec cat"]).await;
    screen_shows(&link, "ready").await;
    let (inputs, _frames) = attach(&home.keeper(), Some((80, 24))).await.unwrap();
    // A text with digits, a paste (which is not a digit), an answer, and one more.
    let keys = ["v", "1", "2", "3", "12", "\r"];
    for post in ["{\"asked\":1}", "{\"asked\":2}"] {
        for key in keys {
            inputs.send(Input::Data(key.into())).await.unwrap();
        }
        let is_enter = |what: &EntryKind| matches!(what, EntryKind::Key { name } if name == "enter");
        let is_digit = |what: &EntryKind| matches!(what, EntryKind::Key { name } if name == "digit");
        let digits = Cell::new(0);
        entry(&mut reports, |what| {
            digits.set(digits.get() + usize::from(is_digit(what)));
            is_enter(what)
        })
        .await;
        assert_eq!(digits.get(), 1);
        post_hook(&home.keeper(), post.as_bytes()).unwrap();
    }
}
