use super::leaves_headers_out;

#[test]
fn versions_before_the_headers_were_counted() {
    for name in ["parquet-mr version 1.2.8 (build 1)", "parquet-mr version 1.0.0-SNAPSHOT", "parquet-mr"] {
        assert!(leaves_headers_out(Some(name)), "{name}");
    }
    let others =
        ["parquet-mr version 1.2.9", "parquet-mr version 1.13.1 (build x)", "impala version 1.2.1", ""];
    for name in others {
        assert!(!leaves_headers_out(Some(name)), "{name}");
    }
    assert!(!leaves_headers_out(None));
}
