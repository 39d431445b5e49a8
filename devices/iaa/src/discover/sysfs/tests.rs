//! Damaged files: an error names the file, and nothing panics.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Attributes, Device, DeviceState};
use crate::discover::test_machine::{Answers, BUS, Tree, diagnose, refused, report, row};

/// Invalid contents of any file.
const NONSENSE: [&[u8]; 10] = [
    b"",
    b"\n",
    b"-2\n",
    b"18446744073709551616\n",
    b"99999999999999999999999999999999\n",
    b"0xzz\n",
    b"enabled disabled\n",
    b"\xff\xfe\x00\x01",
    b"00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000\n",
    b"\xe2\x82\xac\n",
];

#[test]
fn bad_contents_name_the_file() {
    for (file, text) in [
        ("state", "on"),
        ("numa_node", "near"),
        ("max_engines", "-8"),
        ("pasid_enabled", "yes"),
        ("op_cap", "1,2,x"),
        ("op_cap", "0x1 0x2 0x3"),
        ("engine1.4/group_id", "-2"),
    ] {
        let tree = Tree::working();
        tree.device(file, text);
        let path = tree.path().join(BUS).join("iax1").join(file).display().to_string();
        let quoted = format!("{text:?}");
        let report = report(&tree, Answers::default());
        refused(&report, "iax1", &[&path, &quoted, "unknown to Pelton, or damaged"], &[]);
    }
}

#[test]
fn one_bad_queue_does_not_take_the_others_along() {
    for (file, text) in [("mode", "both"), ("type", "mdev"), ("size", "many"), ("block_on_fault", "2")] {
        let tree = Tree::working();
        tree.queue(5, [(file, text)]);
        let report = report(&tree, Answers::default());
        refused(&report, "iax1/wq1.5", &[&format!("wq1.5/{file}")], &[]);
        assert!(row(&report, "iax1/wq1.0").usable, "{report:#?}");
    }
}

#[test]
fn what_an_enabled_queue_has_to_have_is_missed() {
    for (file, text) in [("size", "0"), ("max_transfer_size", "0")] {
        let tree = Tree::working();
        tree.queue(0, [(file, text)]);
        refused(&report(&tree, Answers::default()), "iax1/wq1.0", &[&format!("wq1.0/{file}")], &[]);
    }
    let tree = Tree::working();
    tree.remove(&format!("{BUS}/iax1/op_cap"));
    refused(&report(&tree, Answers::default()), "iax1/wq1.0", &["op_cap"], &[]);
}

#[test]
fn any_file_may_contain_anything() {
    let whole = Tree::working();
    // Two engines and two queues have all kinds of files.
    for index in 2..8 {
        whole.remove(&format!("{BUS}/iax1/engine1.{index}"));
        whole.remove(&format!("{BUS}/iax1/wq1.{index}"));
    }
    let mut files = Vec::new();
    list(whole.path(), whole.path(), &mut files);
    assert!(files.len() > 40, "{}", files.len());
    for file in &files {
        // A folder in place of the file is an error too.
        for nonsense in NONSENSE.into_iter().map(Some).chain([None]) {
            let path = whole.path().join(file);
            let before = fs::read(&path).expect("a file");
            match nonsense {
                Some(bytes) => fs::write(&path, bytes).expect("a file"),
                None => {
                    fs::remove_file(&path).expect("a file");
                    fs::create_dir(&path).expect("a folder");
                }
            }
            let report = report(&whole, Answers::default());
            assert!(!report.is_empty(), "{file:?} with {nonsense:?}");
            if nonsense.is_none() {
                fs::remove_dir(&path).expect("a folder");
            }
            fs::write(&path, before).expect("a file");
        }
    }
}

/// Lists the paths of all files below a folder, relative to the root.
fn list(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("its type");
        if kind.is_dir() {
            list(root, &path, files);
        } else if kind.is_file() {
            files.push(path.strip_prefix(root).expect("below it").to_owned());
        }
    }
}

#[test]
fn bitmaps_of_every_length_and_kernel_are_the_same_bits() {
    let tree = Tree::empty();
    let bits = |text: &str| {
        tree.write("bits", text);
        Attributes::of(tree.path().to_owned()).bits("bits")
    };
    let expected = Some([0x8000_0000_0000_000d, 0x007f_331c, 0, 1 << 63]);
    let new = "80000000,00000000,00000000,00000000,00000000,007f331c,80000000,0000000d\n";
    assert_eq!(bits(new).expect("a bitmap"), expected);
    let old = "0x800000000000000d 0x7f331c 0 0x8000000000000000 \n";
    assert_eq!(bits(old).expect("four numbers"), expected);
    assert_eq!(bits("f\n").expect("a short bitmap"), Some([0xf, 0, 0, 0]));
    assert!(bits("123456789\n").is_err(), "more than 32 bits in a part");
}

#[test]
fn a_device_is_read_as_sysfs_shows_it() {
    let tree = Tree::working();
    let folder = tree.path().join(BUS).join("iax1");
    let device = Device::read(&folder, "iax1", 1, &tree.path().join("dev/iax")).expect("a device");
    assert_eq!((device.name.as_str(), device.number, device.state), ("iax1", 1, DeviceState::Enabled));
    assert_eq!((device.node, device.max_engines, device.engines.len()), (Some(0), Some(8), 8));
    assert!(device.engines.iter().all(|engine| engine.group == Some(0)));
    assert_eq!(device.queues.len(), 8);
    assert_eq!((device.max_work_queues_size, device.max_transfer_bytes), (Some(128), Some(2 << 30)));
    assert_eq!(device.general_capabilities, Some(0x71f10901f0105));
    assert_eq!((device.uses_process_addresses, device.clients), (Some(true), Some(0)));
    assert!(device.can_block_on_fault() && !device.has_error());
    // A word has 64 opcodes; the second one has 0x42, decompress.
    assert_eq!(device.opcodes, Some([0xd, 0x7f331c, 0, 0]));
    let row = row(&report(&tree, Answers::default()), "iax1").clone();
    assert!(row.usable && row.enable.is_empty(), "{row:#?}");
    for words in ["NUMA node 0", "8 of 8 engines in use", "1 of 8 queues usable"] {
        assert!(row.detail.contains(words), "{row:#?}");
    }
}

#[test]
fn files_that_not_every_kernel_has_may_be_missing() {
    let tree = Tree::working();
    for file in
        ["numa_node", "max_engines", "gen_cap", "pasid_enabled", "clients", "errors", "max_work_queues_size"]
    {
        tree.remove(&format!("{BUS}/iax1/{file}"));
    }
    for file in ["driver_name", "priority", "block_on_fault", "threshold", "name", "clients"] {
        tree.remove(&format!("{BUS}/iax1/wq1.0/{file}"));
    }
    let report = report(&tree, Answers::default());
    assert!(row(&report, "iax1/wq1.0").usable, "{report:#?}");
    assert!(row(&report, "iax1/wq1.0").detail.contains("128 descriptors"), "{report:#?}");
}

#[test]
fn devices_are_in_the_order_of_their_numbers() {
    let tree = Tree::working();
    for number in [10, 2] {
        tree.write(&format!("{BUS}/iax{number}/state"), "disabled\n");
    }
    let rows = diagnose(&tree, Answers::default()).rows;
    let names: Vec<&str> =
        rows.iter().map(|row| row.name.as_str()).filter(|name| !name.contains('/')).collect();
    assert_eq!(names, ["iax1", "iax2", "iax10"]);
    assert!(row(&rows, "iax2").detail.starts_with("it is disabled"), "{rows:#?}");
}
