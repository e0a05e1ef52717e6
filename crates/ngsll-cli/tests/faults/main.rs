//! Disturbances from outside: the program is killed, signalled, started twice, the power goes, files are
//! changed behind its back. Nothing is lost, nothing is mixed up, nothing is let in.

mod checkpoint;
#[path = "../common/mod.rs"]
mod common;
mod folder;
mod killed;
mod load;
mod model;
mod network;
mod old;
mod running;
mod saving;
mod strace;
mod tasks;
