//! Files that were cut short, and files with a hole.

use parquet::basic::Compression;
use pelton_tests::compare::assert_same;
use pelton_tests::document;

use super::{properties, refused, sample, sample_file};
use crate::support::{Scratch, check_message, engine, read};

#[test]
fn a_file_cut_short_anywhere_is_refused() {
    let file = sample_file(Compression::SNAPPY);
    let (_, footer) = document::footer(&file);
    // every length at both ends and around the footer's start, and some in between
    let lengths = (0..40)
        .chain((40..file.len()).step_by(97))
        .chain(footer - 9..footer + 9)
        .chain(file.len() - 40..file.len());
    let scratch = Scratch::new();
    let engine = engine();
    for length in lengths {
        let path = scratch.write("cut.parquet", &file[..length]);
        let message = read(&engine, &path).expect_err("a file without an end was read");
        check_message(&message);
        assert!(message.starts_with(&format!("{path}: ")), "{length} bytes: {message}");
    }
}

#[test]
fn an_empty_file_is_refused() {
    refused(b"", &["it has 0 bytes"]);
}

#[test]
fn another_format_is_refused() {
    refused(b"id,word\n1,one\n2,two\n3,three\n", &["not a readable Parquet file"]);
}

#[test]
fn a_footer_longer_than_the_file_is_refused() {
    let mut file = sample_file(Compression::SNAPPY);
    let at = file.len() - 8;
    file[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    refused(&file, &["the file is truncated", "its footer claims 4294967295 bytes"]);
}

#[test]
fn a_hole_in_front_of_the_footer_never_gives_other_rows() {
    let file =
        super::parquet(&[sample()], properties(Compression::SNAPPY).set_offset_index_disabled(true).build());
    let scratch = Scratch::new();
    let engine = engine();
    let (_, footer) = document::footer(&file);
    for at in (4..footer).step_by(footer / 40) {
        let end = (at + footer / 40).min(footer);
        let damaged = [&file[..at], &file[end..]].concat();
        let path = scratch.write("hole.parquet", &damaged);
        match read(&engine, &path) {
            Err(message) => check_message(&message),
            Ok(rows) => assert_same(&rows, &[sample()], &format!("without the bytes {at} to {end}")),
        }
    }
}
