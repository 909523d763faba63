//! Rebuilds the crate when a migration is added: the compiler notices only changes of known ones.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=chronicle");
}
