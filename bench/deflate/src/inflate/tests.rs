use pelton_codec::BatchIsaLevel;

use super::{measure, summarise};
use crate::data::Kind;
use crate::encoders::Family;
use crate::inflaters::{NAMES, batch, rival};
use pelton_report::table::TextTable;

#[test]
fn every_library_decompresses_what_every_encoder_wrote() {
    let uncompressed = Kind::TpchText.make(100_001).unwrap();
    let mut inflaters: Vec<_> = NAMES.iter().filter_map(|name| rival(name)).collect();
    assert_eq!(inflaters.len(), NAMES.len() - 1, "all but Pelton are rivals");
    inflaters.extend([batch(3, None).unwrap(), batch(9, Some(BatchIsaLevel::Portable)).unwrap()]);
    inflaters.push(batch(usize::MAX, None).unwrap());
    for family in Family::ALL.into_iter().filter(|&family| family != Family::Zstd) {
        let mut encoder = family.at(1).unwrap();
        for size in [1000, 65_536] {
            let (compressed, speeds) =
                measure(&mut inflaters, &mut encoder.compress, size, &uncompressed, 1).unwrap();
            assert!(compressed < uncompressed.len(), "{}", encoder.name());
            assert!(speeds.len() == inflaters.len() && speeds.iter().all(|&speed| speed > 0.0));
        }
    }
}

#[test]
fn a_wrong_stream_is_found() {
    let uncompressed = Kind::Json.make(10_000).unwrap();
    // An empty stored block that is the last.
    let mut write = |_: &[u8], output: &mut [u8]| {
        output[..5].copy_from_slice(&[1, 0, 0, 0xff, 0xff]);
        5
    };
    for name in NAMES {
        let mut inflaters = [rival(name).unwrap_or_else(|| batch(usize::MAX, None).unwrap())];
        assert_eq!(measure(&mut inflaters, &mut write, 4096, &uncompressed, 1), Err(name.to_owned()));
    }
}

#[test]
fn speeds_are_summed_up() {
    let mut table = TextTable::of_numbers(["blocks", "library", "mean", "mean but random", "least"]);
    summarise(&mut table, 65_536, "pelton", &[(Kind::Json, 1.0), (Kind::Json, 4.0), (Kind::Random, 0.5)]);
    assert!(table.markdown().ends_with("| 64K | pelton | 1.26 | 2.00 | 0.50 |\n"), "{}", table.markdown());
}
