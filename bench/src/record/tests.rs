use std::fs;

use super::{Data, Record};
use pelton_report::machine::{Machine, peak_memory};
use pelton_tpch::engine::protocol::Identity;

#[test]
fn a_record_says_what_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let systems = vec![Identity { name: "DuckDB".into(), version: "2.0.0".into() }];
    let tables = vec![("region".to_owned(), 5, 1_500_000)];
    let data = vec![Data { scale_factor: 1.0, codec: "gzip".into(), tables }];
    let mut record = Record::new("tpch", systems, 2, data, vec![("Q1", [1.5, 2.5])]);
    record.machine.cpu = "AMD EPYC(tm) 9755 @ 2.7GHz".into();

    let written = record.write(folder.path(), "| a |\n").unwrap();
    let name = written.file_name().unwrap().to_str().unwrap();
    assert!(name.ends_with("-amd-epyc-tm-9755-2-7ghz") && name.starts_with("20"), "{name}");

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

#[cfg(target_os = "linux")]
#[test]
fn linux_tells_about_the_machine() {
    let machine = Machine::here();
    assert!(machine.memory_bytes > 0 && machine.cores > 0 && machine.kernel != "unknown", "{machine:?}");
    let block = std::hint::black_box(vec![1u8; 64 << 20]);
    assert!(peak_memory().unwrap() >= block.len() as u64);
}
