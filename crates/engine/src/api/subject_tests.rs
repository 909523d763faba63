//! Facts about a pull request, from an observer defined here. It needs no more than an observation, its fold, and a
//! function that records it.

use crate::api::stream;
use crate::decide::observe;
use crate::open::Options;
use crate::state::context::Engine;
use crate::state::example::{at, id, project, session};
use downbeat_model::{
    About, EventKind, EvidenceSource, Fact, FactKind, Fold, PullId, SessionId, Status, Subject,
};
use downbeat_store::retention::{Kept, OF_EACH};
use downbeat_wire::Caller;
use downbeat_wire::event::{Change, StreamItem};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// What is seen of a pull request: all of it each time, as a forge answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Seen {
    head: String,
    failed_checks: u32,
}

/// What is known of a pull request.
#[derive(Debug, Clone, Default, PartialEq)]
struct Pull {
    seen: Option<Seen>,
    /// The commit at which its checks began to fail.
    broken_by: Option<String>,
}

impl Fold for Pull {
    type Fact = Seen;

    fn after(self, fact: &Seen) -> Self {
        let broken_by = match fact.failed_checks {
            0 => None,
            _ => self.broken_by.or_else(|| Some(fact.head.clone())),
        };
        let seen = Some(fact.clone());
        Self { seen, broken_by }
    }
}

async fn known(engine: &Engine, subject: &Subject) -> Pull {
    let events =
        (engine.ledger.store()).events_about(subject, &[EventKind::Fact], u32::try_from(OF_EACH).unwrap());
    let facts = events.await.unwrap().into_iter().map(|event| event.payload);
    let facts = facts.map(|fact| serde_json::from_value(fact).unwrap());
    facts.fold(Pull::default(), |known, fact| known.after(&fact))
}

async fn see(engine: &Engine, subject: &Subject, fact: &Seen) {
    let before = known(engine, subject).await;
    let written = engine.ledger.write(|draft| {
        observe::write_news(draft, subject, Some(&project().id), &before, fact);
        Ok(())
    });
    written.await.unwrap();
}

fn pull() -> Subject {
    Subject::Pull(PullId::new("github.com", "PR_kwDOA").unwrap())
}

fn seen(head: &str, failed_checks: u32) -> Seen {
    let head = head.to_owned();
    Seen { head, failed_checks }
}

async fn opened(dir: &Path) -> Arc<Engine> {
    let cli = dir.join("cli");
    std::fs::write(&cli, "").unwrap();
    let options = Options {
        data_dir: dir.join("data"),
        headless: true,
        cli,
        env: Vec::new(),
        take_over: false,
    };
    Engine::open(options).await.unwrap()
}

/// An engine with one session, which ended.
async fn with_ended(dir: &Path) -> (Arc<Engine>, SessionId) {
    let engine = opened(dir).await;
    let written = engine.ledger.write(|draft| {
        draft.put_project(project());
        let mut row = session(1);
        row.status = Status::Exited;
        draft.put_session(row);
        Ok(())
    });
    written.await.unwrap();
    (engine, id(1))
}

/// The next change that is about one of these.
async fn next(items: &mut mpsc::Receiver<StreamItem>, of: &[&Subject]) -> Change {
    loop {
        let item = tokio::time::timeout(Duration::from_secs(10), items.recv());
        match item.await.unwrap().unwrap() {
            StreamItem::Change(change) if of.contains(&&change.subject) => return change,
            StreamItem::Change(_) => {}
            StreamItem::Resync { .. } => panic!("nobody fell behind"),
        }
    }
}

#[tokio::test]
async fn a_fact_about_a_pull_request_is_told_in_its_place_and_needs_no_session() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, ended) = with_ended(dir.path()).await;
    let (pull, own) = (pull(), Subject::Session(ended.clone()));
    let mut person = stream::subscribe(&engine, &Caller::Owner, None).await.unwrap();
    let agent = Caller::Session(ended.clone());
    let mut agent = stream::subscribe(&engine, &agent, None).await.unwrap();

    see(&engine, &pull, &seen("a1", 0)).await;
    let works = Fact {
        at: at(1),
        source: EvidenceSource::Hook,
        detail: String::new(),
        kind: FactKind::Working,
        about: About::default(),
    };
    let written = engine.ledger.write(|draft| {
        observe::note(draft, &ended, &works)?;
        draft.session_event(&ended, EventKind::SessionChanged, json!(null));
        Ok(())
    });
    written.await.unwrap();
    see(&engine, &pull, &seen("b2", 2)).await;
    see(&engine, &pull, &seen("b2", 2)).await;
    let archived = engine.ledger.write(|draft| {
        draft.session_event(&ended, EventKind::SessionArchived, json!(null));
        Ok(())
    });
    archived.await.unwrap();

    let mut told = Vec::new();
    for _ in 0..4 {
        told.push(next(&mut person, &[&pull, &own]).await);
    }
    assert!(told.is_sorted_by(|one, other| one.seq < other.seq));
    let kinds: Vec<_> = told.iter().map(|change| (change.kind, &change.subject)).collect();
    let expected = [
        (EventKind::Fact, &pull),
        // That an ended session works is no fact; what is known already is no news.
        (EventKind::SessionChanged, &own),
        (EventKind::Fact, &pull),
        (EventKind::SessionArchived, &own),
    ];
    assert_eq!(kinds, expected);
    let of_pull = &told[0];
    assert_eq!(
        (&of_pull.session_id, &of_pull.project_id),
        (&None, &Some(project().id))
    );
    let sent = serde_json::to_value(StreamItem::Change(of_pull.clone())).unwrap();
    assert_eq!(
        (&sent["subject"], &sent["kind"]),
        (&json!("pull:github.com/PR_kwDOA"), &json!("fact"))
    );
    for kind in [EventKind::SessionChanged, EventKind::SessionArchived] {
        assert_eq!(next(&mut agent, &[&pull, &own]).await.kind, kind, "its own alone");
    }
    engine.let_go().await;
}

#[tokio::test]
async fn what_is_known_of_a_pull_request_outlives_engine_session_and_retention() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, ended) = with_ended(dir.path()).await;
    let pull = pull();
    see(&engine, &pull, &seen("a1", 0)).await;
    see(&engine, &pull, &seen("b2", 9)).await;
    let dropped = engine.ledger.write(|draft| {
        draft.drop_session(&ended);
        Ok(())
    });
    dropped.await.unwrap();
    for failed in 1..=7 {
        see(&engine, &pull, &seen("c3", failed)).await;
    }
    let last = Pull {
        seen: Some(seen("c3", 7)),
        broken_by: Some("b2".into()),
    };
    assert_eq!(known(&engine, &pull).await, last);
    engine.let_go().await;
    drop(engine);

    let engine = opened(dir.path()).await;
    assert_eq!(known(&engine, &pull).await, last);
    let mut person = stream::subscribe(&engine, &Caller::Owner, Some(0)).await.unwrap();
    let mut before = 0;
    for _ in 0..9 {
        let change = next(&mut person, &[&pull]).await;
        assert!(change.seq > before && change.kind == EventKind::Fact);
        before = change.seq;
    }
    let kept = Kept {
        newest: 0,
        of_each: 8,
    };
    let store = engine.ledger.store();
    while store.thin_out(kept).await.unwrap() {}
    let facts = store.events_about(&pull, &[EventKind::Fact], 100).await.unwrap();
    assert_eq!(facts.len(), 8, "without the first");
    assert_eq!(known(&engine, &pull).await, last);
    engine.let_go().await;
}
