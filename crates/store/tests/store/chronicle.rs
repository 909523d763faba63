//! The chronicle: files moved aside and the data recovered from them, and unchanged screens.

use downbeat_model::{ProjectId, SessionId};
use downbeat_store::Chronicle;
use downbeat_store::chronicle::{Owner, Pages, Period, Query, Tokens, Used};
use jiff::Timestamp;
use jiff::civil::date;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use std::path::{Path, PathBuf};

struct Book {
    _folder: tempfile::TempDir,
    file: PathBuf,
    session: SessionId,
    project: ProjectId,
}

impl Book {
    /// Creates a chronicle with this many answers, one token each, in a followed transcript.
    async fn with(answers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let book = Self {
            file: folder.path().join("chronicle.db"),
            _folder: folder,
            session: SessionId::random().unwrap(),
            project: ProjectId::random().unwrap(),
        };
        let chronicle = Chronicle::open(&book.file).await.unwrap();
        chronicle
            .follow(&book.session, "/told.jsonl", false)
            .await
            .unwrap();
        let transcript = chronicle.transcripts(&book.session).await.unwrap()[0].id;
        let used = (0..answers).map(|number| Used {
            key: format!("answer {number:06}"),
            day: date(2026, 11, 21),
            model: "some-model".into(),
            tokens: Tokens {
                input: 1,
                ..Tokens::default()
            },
        });
        let pages = Pages {
            place: r#"{"offset":7}"#.into(),
            used: used.collect(),
            ..Pages::default()
        };
        chronicle
            .write(book.owner(), transcript, &pages, false)
            .await
            .unwrap();
        chronicle.close().await;
        book
    }

    fn owner(&self) -> Owner<'_> {
        Owner {
            session: &self.session,
            project: &self.project,
        }
    }

    async fn used(&self, chronicle: &Chronicle) -> u64 {
        let sums = chronicle
            .sums(Some(&self.session), Period::default())
            .await
            .unwrap();
        sums.iter().map(|sum| sum.tokens.input).sum()
    }
}

async fn raw(file: &Path) -> SqliteConnection {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

#[tokio::test]
async fn usage_is_recovered_from_a_chronicle_that_is_moved_aside() {
    let book = Book::with(2500).await;
    let mut connection = raw(&book.file).await;
    let newer = "INSERT INTO _sqlx_migrations SELECT 4711, 'later', installed_on, 1, checksum, 1 FROM _sqlx_migrations LIMIT 1";
    sqlx::query(newer).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    let chronicle = Chronicle::open(&book.file).await.unwrap();
    assert_eq!(book.used(&chronicle).await, 2500);
    let again = chronicle.transcripts(&book.session).await.unwrap();
    assert_eq!(again.len(), 1, "it is followed on");
    assert_eq!(again[0].place, "{}", "and read from its beginning");
}

#[tokio::test]
async fn damage_in_the_middle_loses_only_the_damaged_rows() {
    let book = Book::with(20_000).await;
    let mut bytes = std::fs::read(&book.file).unwrap();
    // Damage one page amid the answers; not one of an index, which does not contain models.
    let (word, model) = (b"answer 010000", b"some-model");
    let holds = |bytes: &[u8], word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    let at = bytes
        .windows(word.len() + 80)
        .position(|window| window.starts_with(word) && holds(window, model))
        .unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 4096].fill(0xa5);
    std::fs::write(&book.file, bytes).unwrap();
    let chronicle = Chronicle::open(&book.file).await.unwrap();
    let used = book.used(&chronicle).await;
    assert!(used < 20_000, "the damage was not met");
    assert!(used > 19_800, "{used} of 20000 were read");
}

#[tokio::test]
async fn an_unchanged_screen_is_not_written_again() {
    let book = Book::with(0).await;
    let chronicle = Chronicle::open(&book.file).await.unwrap();
    let number = async || {
        let mut connection = raw(&book.file).await;
        let id: i64 = sqlx::query_scalar("SELECT id FROM texts")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        id
    };
    chronicle
        .screen(book.owner(), "one screen", Timestamp::now())
        .await
        .unwrap();
    let first = number().await;
    chronicle
        .screen(book.owner(), "one screen", Timestamp::now())
        .await
        .unwrap();
    assert_eq!(number().await, first);
    chronicle
        .screen(book.owner(), "another", Timestamp::now())
        .await
        .unwrap();
    assert_ne!(number().await, first);
    let query = Query {
        words: "another",
        limit: 9,
        ..Query::default()
    };
    assert_eq!(chronicle.search(&query).await.unwrap().len(), 1);
}
