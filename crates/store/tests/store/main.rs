//! The store on real files: what is read back, what is rejected, what survives.

#![allow(clippy::unwrap_used, reason = "the whole binary is a test, its helpers too")]

mod at_rest;
mod chronicle;
mod crash;
mod damage;
mod family;
mod foreign;
mod many;
mod retention;
mod rows;
mod sample;
mod speed;
mod upgrade;
