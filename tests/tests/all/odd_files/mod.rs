//! Files that the format allows and few writers write, or that old writers wrote: every decoder
//! returns the right rows. Damage that only shows in levels, lengths and statistics gives one line
//! that names the page.

mod blooms;
mod empty_pages;
mod footers;
mod levels;
mod statistics;
mod streams;
mod timestamps;

use std::sync::OnceLock;

use arrow::array::RecordBatch;
use pelton::Engine;
use pelton_device_cuda::under_test;
use pelton_tests::document::footer;
use pelton_tests::render;
use pelton_tests::thrift::Struct;

use crate::support::{Scratch, check_message, sql};

/// Returns engines with different decoders, by their peculiarity.
fn ways() -> &'static [(&'static str, Engine)] {
    static WAYS: OnceLock<Vec<(&str, Engine)>> = OnceLock::new();
    WAYS.get_or_init(|| {
        let on = |devices: &str| {
            let devices = devices.parse().expect("a choice of devices");
            Engine::builder().threads(2).devices(devices).build().expect("an engine")
        };
        let decoding_first = Engine::builder().threads(2).encoded_filters(false).build();
        vec![
            ("native decoders", on("cpu")),
            ("parquet-rs", decoding_first.expect("an engine")),
            ("look-ups on a device", on("iaa-model,cpu")),
            ("GPU", on(under_test::name())),
        ]
    })
}

/// Asks a file in every way; `$` in the query is its path. Column `name` has these values each
/// time.
#[track_caller]
fn gives(file: &[u8], query: &str, name: &str, expected: &[&str]) {
    let scratch = Scratch::new();
    let query = query.replace('$', &scratch.write("odd.parquet", file));
    for (way, engine) in ways() {
        let batches = sql(engine, &query).unwrap_or_else(|e| panic!("{way}: {query}: {e}"));
        assert_eq!(texts(&batches, name), expected, "{way}: {query}");
    }
}

/// Returns the values of a column as text, without quotes.
fn texts(batches: &[RecordBatch], name: &str) -> Vec<String> {
    let values = render::column(batches, name);
    values.iter().map(|value| value.trim_matches('"').to_owned()).collect()
}

/// Asks a file in every way, which is refused each time: with its path, then each of `words`.
#[track_caller]
fn refused(file: &[u8], query: &str, words: &[&str]) {
    let scratch = Scratch::new();
    let path = scratch.write("odd.parquet", file);
    for (way, engine) in ways() {
        let message = match sql(engine, &query.replace('$', &path)) {
            Ok(batches) => panic!("{way}: {query}: {} rows", crate::support::rows(&batches)),
            Err(message) => message,
        };
        check_message(&message);
        assert!(message.starts_with(&format!("{path}: ")), "{way}: no path in front: {message}");
        for word in words {
            assert!(message.contains(word), "{way}: {query}: no {word:?} in {message}");
        }
    }
}

/// Returns the file with another footer.
fn with_footer(file: &[u8], change: impl FnOnce(&mut Struct)) -> Vec<u8> {
    let (mut footer, start) = footer(file);
    change(&mut footer);
    let footer = footer.write();
    [&file[..start], &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}
