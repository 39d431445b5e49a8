use clap::Parser;

use super::{Options, measure};
use crate::data::Kind;
use crate::encoders::Family;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn names(arguments: &[&str]) -> Result<Vec<String>, String> {
    let options = Arguments::parse_from([&["coder"], arguments].concat()).options;
    Ok(options.encoders()?.iter().map(|encoder| encoder.name()).collect())
}

#[test]
fn contenders_are_libraries_or_levels_of_them() {
    let all = names(&[]).unwrap();
    assert_eq!(all.len(), Family::ALL.iter().map(|family| family.levels().len()).sum::<usize>());
    assert_eq!(
        names(&["--contender", "zlib,igzip1"]).unwrap(),
        ["zlib1", "zlib3", "zlib6", "zlib9", "igzip1"]
    );
    assert_eq!(
        names(&["--contender", "pelton,zlib-ng5", "--levels", "1,12"]).unwrap(),
        ["pelton1", "pelton12", "zlib-ng5"]
    );
    for wrong in ["brotli", "igzip4", "zlib-", "libdeflate-1"] {
        assert!(names(&["--contender", wrong]).is_err(), "{wrong}");
    }
}

#[test]
fn every_library_compresses_every_length_at_its_first_and_last_level() {
    let uncompressed = Kind::TpchText.make(70_001).unwrap();
    let random = Kind::Random.make(70_001).unwrap();
    let mut encoders = Vec::new();
    for family in Family::ALL {
        for level in [family.levels().first(), family.levels().last()].into_iter().flatten() {
            encoders.push(family.at(*level).unwrap());
        }
    }
    for size in [1, 100, 4096, 70_001] {
        for (kind, uncompressed) in [(Kind::TpchText, &uncompressed), (Kind::Random, &random)] {
            let uncompressed = &uncompressed[..uncompressed.len().min(size * 1000)];
            let cells = measure(&mut encoders, kind, size, uncompressed, 1).unwrap();
            assert_eq!(cells.len(), encoders.len());
            assert!(cells.iter().all(|cell| cell.compressed > 0.0));
        }
    }
}

#[test]
fn a_wrong_encoder_is_found() {
    let mut encoder = Family::Libdeflate.at(1).unwrap();
    let mut right = Family::Libdeflate.at(1).unwrap();
    encoder.compress = Box::new(move |input, output| {
        let mut wrong = input.to_vec();
        wrong[7] ^= 1;
        (right.compress)(&wrong, output)
    });
    let error = measure(&mut [encoder], Kind::Json, 4096, &Kind::Json.make(8192).unwrap(), 1).err().unwrap();
    assert!(error.contains("libdeflate1: block 0"), "{error}");
}
