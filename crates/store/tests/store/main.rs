//! The store on real files: what comes back, what is refused, what survives.

mod crash;
mod damage;
mod family;
mod many;
mod rows;
mod sample;
mod speed;
