use super::{ExitVerdict, Options, run};
use crate::queries::choose;

#[test]
fn all_queries_are_right_at_scale_factor_one_hundredth() {
    let cache = tempfile::tempdir().unwrap();
    let options = Options {
        scale_factor: 0.01,
        codec: "gzip".parse().unwrap(),
        queries: choose("1-22").unwrap(),
        threads: 2,
        cache: cache.path().to_owned(),
        devices: None,
        profile: None,
        compare: None,
    };
    let mut out = Vec::new();
    let verdict = run(&options, &mut out, &|_| {}).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(verdict, ExitVerdict::Passed, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("TPC-H scale factor 0.01, gzip Parquet"), "{text}");
    assert_eq!(lines.len(), 2 + 22 + 1, "title, header, queries, total:\n{text}");
    assert!(lines[2..24].iter().all(|line| line.ends_with("  ok")), "{text}");
    assert!(lines[24].trim_start().starts_with("total") && lines[24].ends_with("22 right"), "{text}");
    // Pelton's devices decompress the scans' pages.
    let cells: Vec<&str> = lines[24].split_whitespace().collect();
    let number = |index: usize| cells[index].parse::<f64>().unwrap();
    assert!(number(3) > 0.0 && number(4) > number(3), "{text}");
}
