//! `pelton sql`: statements, rows and files, and its ends.

mod cancel;
mod formats;
mod killed;
mod output;
mod prompt;
mod scripts;
