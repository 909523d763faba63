//! SQLite: schema, migrations, queries.
