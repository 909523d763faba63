//! The changes of the schemas, in their order. `build.rs` lists the files. A file that a release had is never changed: databases
//! remember its checksum.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use std::sync::LazyLock;

/// Those of the database.
pub(crate) static DATABASE: LazyLock<Migrator> =
    LazyLock::new(|| migrator(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// Those of the chronicle.
pub(crate) static CHRONICLE: LazyLock<Migrator> =
    LazyLock::new(|| migrator(include!(concat!(env!("OUT_DIR"), "/chronicle.rs"))));

/// Reads names such as `0017_session_document.sql`.
fn migrator(files: &[(&str, &'static str)]) -> Migrator {
    let migrations = files.iter().filter_map(|(name, sql)| {
        let (version, words) = name.strip_suffix(".sql")?.split_once('_')?;
        let (version, words) = (version.parse().ok()?, words.replace('_', " "));
        let sql = sql.into_sql_str();
        Some(Migration::new(
            version,
            words.into(),
            MigrationType::Simple,
            sql,
            false,
        ))
    });
    Migrator::with_migrations(migrations.collect())
}

#[cfg(test)]
mod tests {
    use super::{CHRONICLE, DATABASE};

    #[test]
    fn every_file_is_a_migration() {
        for (migrator, folder) in [(&*DATABASE, "migrations"), (&*CHRONICLE, "chronicle")] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            assert_eq!(
                migrator.iter().count(),
                std::fs::read_dir(folder).unwrap().count()
            );
        }
        let first = DATABASE.iter().next().unwrap();
        assert_eq!((first.version, &*first.description), (1, "beginning"));
    }
}
