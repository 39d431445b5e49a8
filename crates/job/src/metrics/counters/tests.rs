use std::time::Duration;

use pelton_codec::{Checksum, Format};

use super::*;
use crate::metrics::device_metrics::DeviceMetrics;

const UNPACK: Operation = Operation::Decompress { format: Format::Lz4Hadoop };
const CRC: Operation = Operation::Checksum { kind: Checksum::Crc32c };

fn counters() -> Counters {
    let metrics = DeviceMetrics::default();
    for _ in 0..12_345 {
        metrics.tried(UNPACK);
        metrics.done(UNPACK, 1000, 4000, Duration::from_micros(3));
    }
    metrics.tried(UNPACK);
    metrics.fell_back(UNPACK, "device lost");
    metrics.tried(UNPACK);
    metrics.failed(UNPACK);
    metrics.refused(CRC, "no checksums");
    metrics.refused(CRC, "no checksums");
    let rows = metrics.snapshot();
    let devices = vec![
        DeviceCounters { device: "a-device".into(), rows, breaker_opened: 2 },
        DeviceCounters { device: "cpu".into(), rows: vec![], breaker_opened: 0 },
    ];
    Counters { devices, peak_bytes_in_flight: 0 }
}

#[test]
fn a_snapshot_has_exactly_the_counted_rows() {
    let counters = counters();
    let row = counters.row("a-device", UNPACK);
    assert_eq!((row.operation, row.format), ("decompress", "lz4-hadoop"));
    assert_eq!((row.tried, row.done, row.failed, row.cancelled), (12_347, 12_345, 1, 0));
    assert_eq!((row.bytes_in, row.bytes_out), (12_345_000, 49_380_000));
    assert_eq!(row.time, Duration::from_micros(3 * 12_345));
    assert_eq!(row.fell_back, BTreeMap::from([("device lost", 1)]));
    assert_eq!(counters.row("a-device", CRC).refused, BTreeMap::from([("no checksums", 2)]));
    assert_eq!(counters.devices[0].rows.len(), 2);
    assert_eq!(counters.row("cpu", UNPACK), Counts::default());
    let total = counters.total("a-device");
    assert_eq!((total.tried, total.refused_total(), total.fell_back_total()), (12_347, 2, 1));
}

#[test]
fn the_table_lines_up_and_lists_reasons() {
    let text = counters().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert!(lines[0].starts_with("device    operation   format"), "{text}");
    // Numbers are aligned right, so the three lines end in the same column.
    assert_eq!(lines[0].len(), lines[1].len(), "{text}");
    assert_eq!(lines[0].len(), lines[2].len(), "{text}");
    let end_of = |line: &str, word: &str| line.find(word).map(|at| at + word.len());
    assert_eq!(end_of(lines[0], "tried"), end_of(lines[1], "12347"), "{text}");
    assert_eq!(end_of(lines[0], "MB out"), end_of(lines[1], "49.4"), "{text}");
    assert_eq!(lines[3], "a-device fell back decompress lz4-hadoop: device lost: 1");
    assert_eq!(lines[4], "a-device refused checksum crc32c: no checksums: 2");
    assert_eq!(lines[5], "a-device was set aside after failing three times in a row: 2");
}

#[test]
fn counters_of_nothing_are_a_header() {
    assert_eq!(Counters::default().to_string().lines().count(), 1);
}
