use std::time::Duration;

use serde_json::Value;

use super::lanes::lanes;
use super::{Kind, Run, Span, page, sums};

fn span(lane: &str, kind: Kind, label: &str, bytes: u64, (start, end): (u64, u64)) -> Span {
    let (start, end) = (Duration::from_millis(start), Duration::from_millis(end));
    Span { lane: lane.to_owned(), kind, label: label.to_owned(), bytes, start, end }
}

/// Text that would leave its element, its attribute, the data, or a place of the page, if it could.
const HOSTILE: &str = "</script><script>alert(1)</script> \"'&<!-- {{data}} {{script}} \u{2028}";

fn runs() -> Vec<Run> {
    let spans = vec![
        span("GPU, copy", Kind::Copy, "row group 0", 8_000_000, (0, 4)),
        span("GPU, copy", Kind::Copy, "row group 1", 8_000_000, (4, 8)),
        span("GPU, compute", Kind::Kernel, HOSTILE, 0, (3, 6)),
        span("thread 10", Kind::Decode, "t, row group 0", 0, (1, 2)),
        span("thread 2", Kind::Decode, "t, row group 1", 0, (1, 3)),
        span("thread 2", Kind::Decode, "t, row group 1", 0, (2, 3)),
    ];
    let full = Run {
        title: HOSTILE.to_owned(),
        query: format!("SELECT '{HOSTILE}'"),
        plan: format!("Scan: {HOSTILE}"),
        time: Duration::from_millis(9),
        spans,
        left_out: 3,
        notes: vec![HOSTILE.to_owned()],
    };
    let empty = Run { spans: Vec::new(), left_out: 0, notes: Vec::new(), ..full.clone() };
    vec![full, empty]
}

/// Returns the data that the script of a page reads.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"data\" type=\"application/json\">").expect("data");
    let (text, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn sums_are_of_time_in_which_anything_ran() {
    let runs = runs();
    let sums = sums(&runs[0].spans);
    let kinds: Vec<Kind> = sums.iter().map(|sum| sum.kind).collect();
    assert_eq!(kinds, [Kind::Copy, Kind::Decode, Kind::Kernel]);
    let millis = |n| Duration::from_millis(n);
    let [copy, decode, kernel] = &sums[..] else { panic!("three kinds") };
    assert_eq!((copy.count, copy.total, copy.busy, copy.bytes), (2, millis(8), millis(8), 16_000_000));
    // overlaps with decoders until 3, and with a kernel from there
    assert_eq!(copy.overlapped, millis(5));
    assert_eq!(copy.gigabytes_per_second(), Some(2.0));
    assert_eq!((decode.total, decode.busy, decode.overlapped), (millis(4), millis(2), millis(2)));
    assert_eq!((kernel.busy, kernel.gigabytes_per_second()), (millis(3), None));
}

#[test]
fn lanes_have_rows_in_which_nothing_overlaps() {
    let runs = runs();
    let lanes = lanes(&runs[0].spans);
    let names: Vec<_> = lanes.iter().map(|lane| (lane.name, lane.rows)).collect();
    assert_eq!(names, [("GPU, compute", 1), ("GPU, copy", 1), ("thread 2", 2), ("thread 10", 1)]);
}

#[test]
fn a_page_holds_the_spans_and_the_numbers() {
    let page = page("TPC-H", &runs());
    let data = data(&page);
    let run = &data[0];
    assert_eq!(run["time"], 9000.0);
    assert_eq!(run["lanes"].as_array().map(Vec::len), Some(4));
    let copies = run["lanes"][1]["spans"].as_array().expect("spans");
    let (kind, label) = (copies[1][1].as_u64().expect("a number"), copies[1][2].as_u64().expect("a number"));
    assert_eq!(run["kinds"][kind as usize], "copy");
    assert_eq!(run["labels"][label as usize], "row group 1");
    assert_eq!(
        (&copies[1][3], &copies[1][4], &copies[1][5]),
        (&4000.0.into(), &8000.0.into(), &8_000_000.into())
    );
    // text that is readable without the script
    for part in ["<td>16.0</td>", "<td>2.00</td>", "9.00 ms", "3 more pieces of work", "Nothing was recorded"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_page_is_whole_and_nothing_gets_out_of_its_place() {
    let page = page(HOSTILE, &runs());
    assert_eq!(
        data(&page)[0]["labels"].as_array().map(|labels| labels.iter().any(|l| l == HOSTILE)),
        Some(true)
    );
    assert!(!page.contains("alert(1)</script>") && !page.contains("<!--"), "it is escaped");
    for (open, close) in
        [("<script", "</script>"), ("<details", "</details>"), ("<pre", "</pre>"), ("<table", "</table>")]
    {
        assert_eq!(page.matches(open).count(), page.matches(close).count(), "{open}");
    }
    assert_eq!(page.matches("<script").count(), 2);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    // it loads nothing: no addresses, no references
    for part in ["http:", "https:", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(part), "{part}");
    }
}
