use pelton::DeviceReport;

use super::{json, table};

fn devices() -> Vec<DeviceReport> {
    let device = |name: &str, available, detail: &str, enable: &[&str]| DeviceReport {
        name: name.to_owned(),
        available,
        detail: detail.to_owned(),
        enable: enable.iter().map(|line| line.to_string()).collect(),
    };
    vec![
        device("iax1", true, "Intel IAA: 8 of 8 engines in use, 1 of 2 queues usable", &[]),
        device("iax1/wq1.0", true, "by write()", &["sudo setcap cap_sys_rawio+ep \"$(command -v pelton)\""]),
        device("iax1/wq1.1", false, "disabled", &["sudo accel-config enable-wq iax1/wq1.1", "true"]),
        device("cpu", true, "2 threads", &[]),
    ]
}

#[test]
fn commands_follow_the_table() {
    let expected = "\
device     │ available │ detail
───────────┼───────────┼───────────────────────────────────────────────────────
iax1       │ yes       │ Intel IAA: 8 of 8 engines in use, 1 of 2 queues usable
iax1/wq1.0 │ yes       │ by write()
iax1/wq1.1 │ no        │ disabled
cpu        │ yes       │ 2 threads

To make faster iax1/wq1.0:
  sudo setcap cap_sys_rawio+ep \"$(command -v pelton)\"

To enable iax1/wq1.1:
  sudo accel-config enable-wq iax1/wq1.1
  true
";
    assert_eq!(table(&devices()), expected);
}

#[test]
fn json_has_the_commands_too() {
    let value: serde_json::Value = serde_json::from_str(&json(&devices())).expect("JSON");
    assert_eq!(value[2]["enable"][0], "sudo accel-config enable-wq iax1/wq1.1");
    assert_eq!(value[3]["enable"].as_array().map(Vec::len), Some(0));
    assert_eq!((&value[2]["available"], &value[2]["detail"]), (&false.into(), &"disabled".into()));
}
