use std::fs;

use super::{Data, Record};
use pelton_tpch::engine::protocol::Identity;

#[test]
fn a_record_says_what_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let systems = vec![Identity { name: "DuckDB".into(), version: "2.0.0".into() }];
    let tables = vec![("region".to_owned(), 5, 1_500_000)];
    let data = vec![Data { benchmark: "TPC-H", scale_factor: 1.0, codec: "gzip".into(), tables }];
    let record = Record::new("tpch", systems, 2, data, vec![("Q1", [1.5, 2.5])]);

    let written = record.write(folder.path(), "| a |\n").unwrap();

    let json: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(written.join("tpch.json")).unwrap()).unwrap();
    assert_eq!(json["results"][0][1][1], 2.5);
    assert_eq!(json["systems"][0]["version"], "2.0.0");
    assert_eq!(json["data"][0]["tables"][0][2], 1_500_000);
    let text = fs::read_to_string(written.join("tpch.md")).unwrap();
    for part in ["DuckDB 2.0.0", "2 threads", "scale factor 1 as gzip: 1.5 MB (region 1.5)", "| a |"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
}
