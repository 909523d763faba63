//! The events that stay when old ones are thinned out.

use crate::sample::{about, at, project, sandbox, session};
use downbeat_model::{Branch, EventKind, PullId, Subject};
use downbeat_store::retention::Kept;
use serde_json::json;

#[tokio::test]
async fn the_newest_events_stay_and_older_ones_that_explain_something() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let owner = project("one");
    let lead = session(&owner.id, "lead", None);
    let mut worker = session(&owner.id, "worker", Some(&lead.id));
    worker.notified_through = 1000;
    let gone = session(&owner.id, "gone", None);
    let mut write = store.begin().await.unwrap();
    write.insert_project(&owner).await.unwrap();
    for row in [&lead, &worker, &gone] {
        write.insert_session(row).await.unwrap();
    }
    let mut append = async |kind, id: Option<&_>| {
        let subject = id.map_or(Subject::Engine, about);
        let appended = write.append(kind, &subject, None, json!({}), at(0));
        appended.await.unwrap();
    };
    for _ in 0..600 {
        append(EventKind::SessionFact, Some(&lead.id)).await;
        append(EventKind::SessionChanged, Some(&lead.id)).await;
        append(EventKind::SessionStatus, Some(&worker.id)).await;
        append(EventKind::SessionStatus, Some(&gone.id)).await;
        append(EventKind::SettingsChanged, None).await;
    }
    write.delete_session(&gone.id).await.unwrap();
    write.commit().await.unwrap();

    let kept = Kept {
        newest: 100,
        of_each: 5,
    };
    let mut steps = 1;
    while store.thin_out(kept).await.unwrap() {
        steps += 1;
    }
    assert_eq!(steps, 6, "2900 events, 500 at a time");
    let events = store.events_since(0, 10_000).await.unwrap();
    let newest: Vec<_> = events.iter().filter(|event| event.seq > 2900).collect();
    assert_eq!(newest.len(), 100, "the newest are all there");
    let old = |id: Option<&downbeat_model::SessionId>, kind| {
        let is_it = |event: &&downbeat_store::EventRow| {
            event.seq <= 2900 && event.subject.session() == id && event.kind == kind
        };
        events.iter().filter(is_it).count()
    };
    // The newest hundred have over five of each explaining kind; older events stay only if undelivered.
    assert_eq!(old(Some(&lead.id), EventKind::SessionFact), 0);
    assert_eq!(
        old(Some(&worker.id), EventKind::SessionStatus),
        380,
        "from 1001 on, not told"
    );
    assert_eq!(old(Some(&gone.id), EventKind::SessionStatus), 0);
    assert_eq!(old(None, EventKind::SettingsChanged), 0);
    assert_eq!(store.last_seq().await.unwrap(), 3000);
    assert!(!store.thin_out(kept).await.unwrap(), "nothing is left to do");

    // A session to which nothing happened for long keeps the events that explain its status.
    let mut write = store.begin().await.unwrap();
    for _ in 0..500 {
        write
            .append(
                EventKind::SettingsChanged,
                &Subject::Engine,
                None,
                json!({}),
                at(0),
            )
            .await
            .unwrap();
    }
    write.commit().await.unwrap();
    while store.thin_out(kept).await.unwrap() {}
    let facts = store
        .events_about(&about(&lead.id), &[EventKind::SessionFact], 100)
        .await
        .unwrap();
    assert_eq!(facts.len(), 5);
    // The events that are kept of a session are deleted with it.
    let mut write = store.begin().await.unwrap();
    write.delete_session(&lead.id).await.unwrap();
    write.commit().await.unwrap();
    let facts = store
        .events_about(&about(&lead.id), &[EventKind::SessionFact], 100)
        .await
        .unwrap();
    assert_eq!(facts.len(), 0);
}

#[tokio::test]
async fn of_what_is_no_session_the_last_facts_stay_as_long_as_their_project() {
    let sandbox = sandbox().await;
    let store = &sandbox.store;
    let (shop, gone) = (project("shop"), project("gone"));
    let worker = session(&shop.id, "worker", None);
    let pull = |id| Subject::Pull(PullId::new("github.com", id).unwrap());
    let branch = Subject::Branch(Branch::new(gone.id.clone(), "main").unwrap());
    let later = Subject::of_word("release:shop/v2");
    assert!(matches!(later, Subject::Unknown(_)));
    let mut write = store.begin().await.unwrap();
    for row in [&shop, &gone] {
        write.insert_project(row).await.unwrap();
    }
    write.insert_session(&worker).await.unwrap();
    for number in 0..300 {
        for (subject, owner) in [
            (&pull("PR_1"), Some(&shop.id)),
            (&pull("PR_2"), None),
            (&branch, Some(&gone.id)),
            (&later, Some(&shop.id)),
        ] {
            let appended = write.append(EventKind::Fact, subject, owner, json!(number), at(0));
            appended.await.unwrap();
        }
    }
    write.delete_session(&worker.id).await.unwrap();
    write.commit().await.unwrap();

    let kept = Kept {
        newest: 100,
        of_each: 30,
    };
    while store.thin_out(kept).await.unwrap() {}
    let facts = async |subject: &Subject| {
        let events = store
            .events_about(subject, &[EventKind::Fact], 1000)
            .await
            .unwrap();
        let numbers = events.iter().map(|event| event.payload.as_i64().unwrap());
        numbers.collect::<Vec<_>>()
    };
    let last: Vec<i64> = (270..300).collect();
    for subject in [&pull("PR_1"), &pull("PR_2"), &branch, &later] {
        assert_eq!(facts(subject).await, last, "{subject:?}");
    }

    let mut write = store.begin().await.unwrap();
    write.delete_project(&gone.id).await.unwrap();
    write.commit().await.unwrap();
    assert_eq!(
        facts(&branch).await.len(),
        25,
        "the newest, whatever they are about"
    );
    for number in 0..25 {
        let mut write = store.begin().await.unwrap();
        for _ in 0..4 {
            let appended = write.append(
                EventKind::SettingsChanged,
                &Subject::Engine,
                None,
                json!(number),
                at(0),
            );
            appended.await.unwrap();
        }
        write.commit().await.unwrap();
    }
    while store.thin_out(kept).await.unwrap() {}
    assert_eq!(facts(&branch).await.len(), 0);
    assert_eq!(facts(&pull("PR_1")).await, last);
}
