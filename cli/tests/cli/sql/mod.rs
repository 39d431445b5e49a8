//! `pelton sql`: statements, rows, files, and interruptions.

mod cancel;
mod copy;
mod documents;
mod formats;
mod killed;
#[path = "../../../../crates/query/tests/stores/moto.rs"]
mod moto;
mod output;
mod prompt;
mod scripts;
mod settings;
mod stacks;
mod stores;
