//! Rebuilds the crate when a migration is added: the compiler sees only those it knows already.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=chronicle");
}
