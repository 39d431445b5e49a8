//! Properties of the kinds of data. These tests are in the program and not in `data`, which another
//! benchmark includes without these coders.

use crate::data::Kind;
use crate::sys::libdeflate::Deflate;

const BYTES: usize = 1 << 20;

/// The kinds that do not depend on files of the machine.
const MADE: [Kind; 4] = [Kind::TpchText, Kind::Json, Kind::Floats, Kind::Random];

fn ratio(uncompressed: &[u8]) -> f64 {
    let mut compressed = vec![0; uncompressed.len() + uncompressed.len() / 4];
    uncompressed.len() as f64 / Deflate::new(6).compress(uncompressed, &mut compressed) as f64
}

#[test]
fn made_data_is_the_same_each_time_and_as_long_as_asked() {
    for kind in MADE {
        let uncompressed = kind.make(BYTES).unwrap();
        assert_eq!(uncompressed.len(), BYTES, "{}", kind.name());
        assert!(uncompressed == kind.make(BYTES).unwrap(), "{}", kind.name());
    }
}

#[test]
fn only_random_bytes_do_not_compress() {
    for kind in MADE {
        let ratio = ratio(&kind.make(BYTES).unwrap());
        match kind {
            Kind::Random => assert!(ratio < 1.001, "{ratio}"),
            _ => assert!(ratio > 1.3, "{}: {ratio}", kind.name()),
        }
    }
}

#[test]
fn logs_are_json() {
    let uncompressed = String::from_utf8(Kind::Json.make(BYTES).unwrap()).unwrap();
    let lines: Vec<&str> = uncompressed.lines().collect();
    // The last line is cut off.
    for line in &lines[..lines.len() - 1] {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(value["status"].is_u64(), "{line}");
    }
}

#[test]
fn text_has_the_columns_of_lineitem_and_orders() {
    let uncompressed = String::from_utf8(Kind::TpchText.make(BYTES).unwrap()).unwrap();
    let columns = |line: &str| line.trim_end_matches('|').split('|').count();
    let lines: Vec<&str> = uncompressed.lines().collect();
    assert_eq!(columns(lines[0]), 16, "{}", lines[0]);
    assert_eq!(columns(lines[lines.len() - 2]), 9, "{}", lines[lines.len() - 2]);
}

#[test]
fn floats_walk_in_small_steps() {
    let uncompressed = Kind::Floats.make(BYTES).unwrap();
    let (values, rest) = uncompressed.as_chunks::<8>();
    assert!(rest.is_empty());
    let values: Vec<f64> = values.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    assert!(values.windows(2).all(|pair| (pair[0] - pair[1]).abs() <= 10.01));
}

#[test]
fn source_is_rust() {
    let uncompressed = Kind::Source.make(BYTES).unwrap();
    assert!(String::from_utf8_lossy(&uncompressed).contains("fn "));
    assert!(ratio(&uncompressed) > 2.0);
}
