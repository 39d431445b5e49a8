use std::time::Duration;

use pelton::{Decompression, FooterTotals, ScanTotals, Traffic, Undecided};

use super::lines;

#[test]
fn every_codec_and_device_has_a_line() {
    let mut totals = ScanTotals {
        bytes_read: 12_300_000,
        row_groups_read: 1,
        row_groups_pruned: 5,
        pages_read: 10,
        pages_skipped: 2,
        ..ScanTotals::default()
    };
    let done = Decompression {
        pages: 9,
        interleaved: 0,
        bytes_in: 12_000_000,
        bytes_out: 40_000_000,
        time: Duration::from_millis(30),
    };
    totals.decompression.insert(("gzip", "cpu".into()), done);
    totals.decompression.insert(("zstd", "iaa".into()), Decompression { interleaved: 5, ..done });
    let text = lines(&totals, 7, Duration::from_millis(1500)).join("\n");
    assert!(text.starts_with("7 rows in 1.500 s\nread 12.3 MB"), "{text}");
    assert!(text.contains("1 row group of 6, 10 pages of 12"), "{text}");
    assert!(text.contains("decompressed gzip on cpu: 12.0 MB to 40.0 MB, 9 pages, 30.0 ms"), "{text}");
    assert!(
        text.contains("decompressed zstd on iaa: 12.0 MB to 40.0 MB, 9 pages (5 side by side), 30.0 ms"),
        "{text}"
    );
}

#[test]
fn codes_that_a_device_looked_up_have_lines() {
    let done = Decompression { pages: 20, bytes_in: 12_000, bytes_out: 2_500, ..Decompression::default() };
    let looked_up = [(("gzip", "iaa".into()), done)].into();
    let totals = ScanTotals { looked_up, not_looked_up: 1, ..ScanTotals::default() };
    let text = lines(&totals, 7, Duration::from_millis(1)).join("\n");
    assert!(text.contains("looked codes up in gzip on iaa: 12.0 kB to 2.5 kB, 20 pages, "), "{text}");
    assert!(text.contains("decompressed after all, for their codes: 1 page\n"), "{text}");
    assert!(!lines(&ScanTotals::default(), 7, Duration::from_millis(1)).join("\n").contains("codes"));
}

#[test]
fn what_was_decided_on_encoded_data_has_a_line() {
    let totals = ScanTotals {
        encoded_pages: 3,
        encoded_rows: 60_000,
        values_cut_out: 1_200,
        undecided: [(Undecided::SeveralColumns, 2), (Undecided::Plain, 1)].into(),
        ..ScanTotals::default()
    };
    let text = lines(&totals, 7, Duration::from_millis(1)).join("\n");
    let line = "conditions decided on encoded data: 3 pages, 60,000 rows; 1,200 values cut out of other pages; \
                decoded for: several columns 2, no dictionary 1";
    assert!(text.contains(line), "{text}");
    // without conditions there is nothing to say
    assert!(!lines(&ScanTotals::default(), 7, Duration::from_millis(1)).join("\n").contains("encoded"));
}

#[test]
fn requests_and_footers_have_lines() {
    let totals = ScanTotals {
        footers: FooterTotals { read: 1, cached: 200, pruned: 9_800 },
        traffic: Traffic { requests: 4, bytes: 2_500_000, first_byte: Duration::from_millis(80) },
        ..ScanTotals::default()
    };
    let text = lines(&totals, 7, Duration::from_millis(1)).join("\n");
    assert!(
        text.contains("read 1 footer, 200 from the cache; 9,800 files ruled out by their paths"),
        "{text}"
    );
    assert!(text.contains("object stores: 4 requests, 2.5 MB, first byte after 20.0 ms"), "{text}");
    let text = lines(&ScanTotals::default(), 7, Duration::from_millis(1)).join("\n");
    assert!(!text.contains("footer") && !text.contains("object stores"), "{text}");
}
