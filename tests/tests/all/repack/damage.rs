//! Damaged files are not repacked: the error names the place, and there is no file.

use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::WriterVersion;
use pelton_random::Random;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::document::{Document, column, file_metadata, page_header};
use pelton_tests::file::{parquet, small_pages};
use pelton_tests::thrift::{Struct, Value};

use super::{GZIP_4K, ZSTD, repack, rows};
use crate::support::{Scratch, check_message, engine};

fn document(codec: Compression) -> Document {
    let batch = flat(Shape { rows: 400, nulls: 0.1, distinct: 50, seed: 71 });
    Document::parse(&parquet(&[batch], small_pages(codec, 50, 200).build()))
}

/// Returns the error message of a bad file.
fn refused(file: &[u8]) -> String {
    let scratch = Scratch::new();
    let path = scratch.write("bad.parquet", file);
    let message = repack(&engine(), &path, GZIP_4K).expect_err("it is bad");
    check_message(&message);
    message.strip_prefix(&format!("{path}: ")).unwrap_or_else(|| panic!("no path: {message}")).to_owned()
}

#[test]
fn a_bad_page_is_named() {
    let gzip = || document(Compression::GZIP(GzipLevel::default()));
    let name = |document: &mut Document| {
        let Value::List(_, path) = document.row_groups[1][2].meta().at(column::PATH).clone() else {
            panic!()
        };
        let Value::Binary(name) = path[0].clone() else { panic!() };
        String::from_utf8(name).expect("names are text")
    };

    let mut bytes = gzip();
    let place = format!("row group 1, column {}, page 1: ", name(&mut bytes));
    let last = bytes.row_groups[1][2].pages[1].body.len() - 9;
    bytes.row_groups[1][2].pages[1].body[last] ^= 1;
    assert!(refused(&bytes.write()).starts_with(&place), "{}", refused(&bytes.write()));

    let mut crc = gzip();
    crc.add_checksums();
    let page = &mut crc.row_groups[1][2].pages[1].header;
    let right = page.int(page_header::CRC) as i32;
    page.set(page_header::CRC, Value::I32(right ^ 1));
    assert!(refused(&crc.write()).starts_with(&format!("{place}page checksum differs")));

    let mut size = gzip();
    size.row_groups[1][2].pages[1].claim(1 << 30);
    assert!(refused(&size.write()).starts_with(&format!("{place}bad page header: the pages so far claim")));

    let mut values = gzip();
    values.row_groups[1][2].pages.pop();
    assert!(refused(&values.write()).contains("the chunk ends after"), "{}", refused(&values.write()));

    let mut codec = gzip();
    codec.row_groups[1][2].meta().set(column::CODEC, Value::I32(3));
    assert!(refused(&codec.write()).contains("codec LZO is not supported"));

    let mut encrypted = gzip();
    let algorithm = Struct(vec![(1, Value::Struct(Struct::default()))]);
    encrypted.footer.set(file_metadata::ENCRYPTION_ALGORITHM, Value::Struct(algorithm));
    assert!(refused(&encrypted.write()).starts_with("the file is encrypted"));
}

/// Every file that is cut short, and many with a byte changed: an error, or a file that reads as
/// the bad one does.
#[test]
fn changed_bytes_never_panic() {
    const SEED: u64 = 72;
    let scratch = Scratch::new();
    let engine = engine();
    let batch = flat(Shape { rows: 60, nulls: 0.1, distinct: 9, seed: 73 })
        .project(&[0, 5, 20, 25])
        .expect("columns");
    let mut random = Random::new(SEED);
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let properties =
            small_pages(Compression::ZSTD(Default::default()), 20, 40).set_writer_version(version);
        let good = parquet(std::slice::from_ref(&batch), properties.build());
        for turn in 0..400 {
            let mut bad = good.clone();
            if turn % 4 == 0 {
                bad.truncate(random.below(good.len()));
            } else {
                let at = random.below(bad.len());
                bad[at] ^= 1 << random.below(8);
            }
            let path = scratch.write("bad.parquet", &bad);
            match repack(&engine, &path, ZSTD) {
                Err(message) => check_message(&message),
                Ok(file) => {
                    // a file that was read without complaint is written so that it can be read as
                    // far as the old one
                    let path = scratch.write("out.parquet", &file);
                    let (old, new) = (repack(&engine, &path, ZSTD), file);
                    assert_eq!(old.map_err(|e| format!("seed {SEED}, turn {turn}: {e}")), Ok(new));
                }
            }
        }
        assert_eq!(rows(&good).iter().map(|batch| batch.num_rows()).sum::<usize>(), 60);
    }
}
