//! `cargo bench --workspace --bench speed`: the parts that decide how long training and explaining take.

#[path = "../common/mod.rs"]
mod common;

mod conv_block;
mod explain;
mod gate;
mod train;

fn main() {
    divan::main();
}
