use std::sync::Arc;

use bytes::Bytes;
use pelton::Engine;
use pelton::codec::{Format, Level};
use pelton::job::Router;

use super::super::contestant::{Contestant, FORMATS};
use super::super::sample::Sample;
use super::measure;

fn sample(blocks: Vec<Bytes>) -> Sample {
    let bytes = blocks.iter().map(|block| block.len() as u64).sum();
    Sample { blocks, bytes, of: bytes, is_whole: true, cut_to: None }
}

fn router() -> Arc<Router> {
    Engine::builder().threads(2).build().expect("an engine").router().clone()
}

#[test]
fn every_format_is_measured_and_shrinks_text() {
    let text = Bytes::from("the same words again and again; ".repeat(2000));
    let sample = sample(vec![text.clone(), text.slice(..1), text.slice(7..30_000)]);
    for format in FORMATS {
        let contestant = Contestant { format, level: Level::default_of(format) };
        let outcome = measure(&router(), contestant, &sample, 3, |_| {}).expect("no failure");
        let figures = outcome.expect("the CPU takes all");
        assert_eq!(figures.uncompressed, sample.bytes);
        assert!(figures.ratio() > 5.0, "{contestant}: {}", figures.ratio());
        assert_eq!((figures.compress.rounds, figures.decompress.rounds), (3, 3));
        assert!(figures.compress.gb_per_second > 0.0 && figures.decompress.gb_per_second > 0.0);
    }
}

#[test]
fn no_device_is_a_reason_and_not_a_failure() {
    let router = Router::builder().build();
    let contestant = Contestant { format: Format::Lz4, level: Level::default_of(Format::Lz4) };
    let outcome = measure(&router, contestant, &sample(vec![Bytes::from_static(b"abc")]), 1, |_| {});
    assert_eq!(outcome, Ok(Err("the router has no devices".to_owned())));
}
