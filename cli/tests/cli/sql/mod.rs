//! `pelton sql`: statements, rows, files, and interruptions.

mod cancel;
mod copy;
mod documents;
mod formats;
mod killed;
mod output;
mod prompt;
mod scripts;
mod settings;
