//! Damaged pages of dictionary indices in the fused membership test.

use parquet::basic::Compression;
use pelton::Engine;
use pelton::codec::{Decoder, Format};
use pelton_job::conformance::corpus::compress;
use pelton_random::Random;
use pelton_tests::document::Document;

use super::{WORD, chunk, place, sample_file};
use crate::support::{Scratch, check_message, engine};

fn on_model() -> Engine {
    let devices = "iaa-model".parse().expect("a choice of devices");
    Engine::builder().threads(2).devices(devices).build().expect("an engine")
}

fn document() -> Document {
    Document::parse(&sample_file(Compression::GZIP(Default::default())))
}

/// Returns the second page of `word` with other indices: the width in front, then a header of
/// packed groups, then five bits an index.
fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut document = document();
    let page = &mut chunk(&mut document, 0, WORD).pages[2];
    let mut plain = vec![0; 1 << 10];
    let done = Decoder::new().decompress(Format::Gzip, &page.body, &mut plain).expect("a good page");
    plain.truncate(done.produced);
    change(&mut plain);
    page.claim(plain.len() as i32);
    page.set_body(compress(Format::Gzip, Format::Gzip.default_level(), &plain).to_vec());
    document.write()
}

/// Rows that pass a condition on a column that nothing else needs, with the pages that were looked
/// up and that could not be; or the error without the file's name.
fn count(engine: &Engine, file: &[u8]) -> Result<(usize, u64, u64), String> {
    let scratch = Scratch::new();
    let path = scratch.write("bad.parquet", file);
    let sql = format!("SELECT id FROM '{path}' WHERE word <> 'the word 3'");
    let mut query = engine.query(&sql).expect("a query");
    let batches = query.by_ref().collect::<Result<Vec<_>, _>>().map_err(|error| {
        let message = error.to_string();
        check_message(&message);
        message.replace(&path, "FILE")
    })?;
    let totals = query.totals();
    let looked_up = totals.looked_up.values().map(|done| done.pages).sum();
    Ok((crate::support::rows(&batches), looked_up, totals.not_looked_up))
}

#[test]
fn what_can_not_be_looked_up_is_refused_as_ever() {
    let good = count(&on_model(), &document().write()).expect("a good file");
    assert_eq!((good.1, good.2), (6, 0));
    assert_eq!(count(&engine(), &document().write()).map(|found| (found.0, found.1)), Ok((good.0, 0)));
    for (file, words) in [
        (changed(|plain| plain[0] = 33), "its codes have 33 bits, the most are 32"),
        (changed(|plain| plain.truncate(20)), "RLE: the input ends"),
        (changed(|plain| plain.truncate(1)), "RLE: the input ends"),
    ] {
        let message = count(&on_model(), &file).expect_err("it is damaged");
        assert!(message.starts_with(&format!("FILE: {}", place(0, "word", 2))), "{message}");
        assert!(message.contains(words), "no {words:?} in {message}");
        assert_eq!(Err(message), count(&engine(), &file));
    }
}

/// The device has a set and no dictionary: to it an index outside of the dictionary is one that is
/// not in the set.
#[test]
fn a_code_beyond_the_dictionary_does_not_pass() {
    let beyond = changed(|plain| plain[2..].fill(0xff));
    let message = count(&engine(), &beyond).expect_err("it is damaged");
    assert!(message.contains("it has a code that is none of the 17 of its dictionary"), "{message}");
    let (good, _, _) = count(&on_model(), &document().write()).expect("a good file");
    let page = (100..200).filter(|row| row % 17 != 3).count();
    assert_eq!(count(&on_model(), &beyond), Ok((good - page, 6, 0)));
}

/// A changed compressed byte has the CPU's outcome on the device too.
#[test]
fn a_byte_of_a_compressed_page_changed() {
    let (model, cpu, mut random) = (on_model(), engine(), Random::new(23));
    let length = chunk(&mut document(), 0, WORD).pages[2].body.len();
    for at in 0..length {
        let mut document = document();
        let page = &mut chunk(&mut document, 0, WORD).pages[2];
        let mut body = page.body.clone();
        body[at] = random.next() as u8;
        page.set_body(body);
        let file = document.write();
        let (found, expected) = (count(&model, &file), count(&cpu, &file));
        assert_eq!(found.map(|found| found.0), expected.map(|found| found.0), "byte {at}");
    }
}
