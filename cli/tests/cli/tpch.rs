//! `pelton tpch`.

use std::fs;

use serde_json::Value;

use crate::support::Place;

#[test]
fn right_answers_exit_with_0_and_wrong_ones_with_1() {
    let place = Place::new();
    let tpch =
        |sf| place.run(&["tpch", "--sf", sf, "--queries", "1,3,6", "--cache", "data", "--threads", "2"]);
    let run = tpch("0.01");
    assert!(run.ok().ends_with("3 right\n"), "{}", run.out);

    // The same data set with another one's customers.
    assert_eq!(tpch("0.005").code, Some(0));
    let folder = place.path("data/tpch-sf0.01-gzip");
    let other = place.path("data/tpch-sf0.005-gzip/customer.parquet");
    let bytes = fs::copy(other, folder.join("customer.parquet")).expect("copied");
    let manifest = folder.join("manifest.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&manifest).expect("read")).expect("JSON");
    let tables = value["tables"].as_array_mut().expect("tables");
    let customer = tables.iter_mut().find(|table| table["name"] == "customer").expect("a table");
    customer["bytes"] = bytes.into();
    fs::write(&manifest, value.to_string()).expect("written");

    let run = tpch("0.01");
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{}", run.out);
    assert!(run.out.contains("WRONG") && run.out.ends_with("2 right, 1 WRONG\n"), "{}", run.out);
}

#[test]
fn an_engine_that_is_not_there_is_an_error() {
    let place = Place::new();
    let arguments = ["tpch", "--sf", "0.001", "--queries", "6", "--cache", "data", "--compare", "duckdb"];
    let output = place.command(&arguments).env("PELTON_PYTHON", "/missing/python").output();
    let output = output.expect("it starts");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(err.starts_with("error: duckdb: /missing/python did not start"), "{err}");
}

#[test]
fn devices_are_used_by_name_and_say_what_they_did() {
    let place = Place::new();
    let tpch = |device| {
        let data = ["tpch", "--sf", "0.01", "--queries", "1,6", "--cache", "data", "--codec", "gzip-4k"];
        place.run(&[&data[..], &["--device", device]].concat())
    };
    let run = tpch("iaa-model");
    let out = run.ok();
    assert!(out.contains("2 right\n\ndevice     operation   format "), "{out}");
    assert!(out.contains("\niaa-model  decompress  gzip "), "{out}");
    assert!(!out.contains("\ncpu "), "{out}");
    assert!(out.contains("\niaa-model modelled: ") && out.contains("; 0 faults injected\n"), "{out}");
    let run = tpch("iaa-model:fault-every=2,cpu");
    assert!(run.ok().contains("2 right\n"), "{}", run.out);
    let run = tpch("gpu");
    let what = "there is no device \"gpu\"; there are cpu, iaa, nx, cuda, dfltcc";
    assert!(run.code == Some(2) && run.err.contains(what), "{}", run.err);
}

#[test]
fn a_scale_factor_out_of_range_is_an_error() {
    let run = Place::new().run(&["tpch", "--sf", "0"]);
    assert!(run.error(1).contains("scale factor 0"), "{}", run.err);
}
