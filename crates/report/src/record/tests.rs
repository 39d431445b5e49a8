use std::fs;

use super::{Record, versions};

#[test]
fn a_record_lies_in_the_folder_of_its_day_and_machine() {
    let records = tempfile::tempdir().expect("a folder");
    let mut record = Record::start_on_one_core("deflate-coder", &["zlib-rs"]);
    record.machine.cpu = "AMD EPYC(tm) 9755 @ 2.7GHz".into();
    record.skipped(&["orders: skipped, no file".to_owned()]);
    record.section("Gain", "| a | b |");
    let folder = record.write(records.path(), &[("front.svg", "<svg/>".to_owned())]).expect("written");
    let name = folder.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.starts_with("20") && name.ends_with("-amd-epyc-tm-9755-2-7ghz"), "{name}");
    let text = fs::read_to_string(folder.join("deflate-coder.md")).expect("a page");
    for part in ["Load average", "zlib-rs 0.", "orders: skipped, no file", "## Gain"] {
        assert!(text.contains(part), "{part} is not in:\n{text}");
    }
    assert_eq!(fs::read_to_string(folder.join("front.svg")).expect("a plot"), "<svg/>");
}

#[test]
fn an_error_names_the_file() {
    let records = tempfile::tempdir().expect("a folder");
    let file = records.path().join("file");
    fs::write(&file, "").expect("written");
    let error = Record::start("scan", "Engines.".into()).write(&file, &[]).expect_err("no folder");
    assert!(error.to_string().contains("file/"), "{error}");
}

#[test]
fn versions_are_those_of_the_lock_file() {
    assert!(versions(&["libz-sys"]).starts_with("libz-sys 1."), "{}", versions(&["libz-sys"]));
    assert!(versions(&["no-such-package"]).contains("unknown"));
}
