//! A device that is there, and what keeps all its queues from use.

use super::tree::BUS;
use super::*;
use crate::discover::{DeviceState, Obstacle};

const SET_UP: &str = "sudo accel-config config-wq iax1/wq1.0 --group-id=0 --mode=shared --type=user --name=pelton \
                      --priority=10 --driver-name=user --wq-size=128 --threshold=128 --max-transfer-size=2097152 \
                      --block-on-fault=1";

#[test]
fn a_device_is_read_as_sysfs_shows_it() {
    let tree = Tree::working();
    tree.device("iaa_cap", "0x1ff");
    let survey = Host::at(tree.path(), Answers::default().system()).survey();
    assert!(survey.absent.is_none());
    assert_eq!(survey.devices.len(), 1);
    let device = survey.devices[0].device.as_ref().expect("a device");
    assert_eq!((device.name.as_str(), device.number, device.state), ("iax1", 1, DeviceState::Enabled));
    assert_eq!((device.node, device.max_engines, device.engines.len()), (Some(0), Some(8), 8));
    assert!(device.engines.iter().all(|engine| engine.group == Some(0)));
    assert_eq!((device.max_work_queues, device.queues.len()), (Some(8), 8));
    assert_eq!((device.max_work_queues_size, device.max_transfer_bytes), (Some(128), Some(2 << 30)));
    assert_eq!((device.general_capabilities, device.iaa_capabilities), (Some(0x71f10901f0105), Some(0x1ff)));
    assert_eq!((device.uses_process_addresses, device.clients), (Some(true), Some(0)));
    assert!(device.can_block_on_fault() && !device.has_error());
    // Word 0 has opcodes 0, 2 and 3; word 1 those from 64 on, of which 0x42 is decompress.
    assert_eq!(device.opcodes, Some([0xd, 0x7f331c, 0, 0]));
    let row = row(&survey.report(), "iax1").clone();
    assert!(row.usable && row.enable.is_empty(), "{row:#?}");
    for words in ["NUMA node 0", "8 of 8 engines in use", "1 of 8 queues usable"] {
        assert!(row.detail.contains(words), "{row:#?}");
    }
}

#[test]
fn files_that_not_every_kernel_has_may_be_missing() {
    let tree = Tree::working();
    for file in
        ["numa_node", "max_engines", "gen_cap", "pasid_enabled", "clients", "errors", "max_work_queues"]
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
fn without_process_addresses_the_kernels_options_are_what_to_change() {
    let tree = Tree::working();
    tree.device("pasid_enabled", "0");
    refused(
        &report(&tree, Answers::default()),
        "iax1",
        &["pasid_enabled is 0", "VT-d", "INTEL_IOMMU_SVM"],
        &[],
    );
    for line in ["quiet", "intel_iommu=on", "intel_iommu=sm_on", "intel_iommu=on iommu=sm_on"] {
        tree.write("proc/cmdline", line);
        let report = report(&tree, Answers::default());
        let enable = [
            r#"sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&intel_iommu=on,sm_on /' /etc/default/grub"#,
            "sudo update-grub && sudo reboot",
        ];
        refused(&report, "iax1", &["without intel_iommu=on,sm_on"], &enable);
    }
}

#[test]
fn a_disabled_device_with_a_queue_is_enabled_and_its_queue_with_it() {
    let tree = Tree::working();
    tree.device("state", "disabled");
    tree.queue(0, [("state", "disabled")]);
    let enable = ["sudo accel-config enable-device iax1", "sudo accel-config enable-wq iax1/wq1.0"];
    refused(&report(&tree, Answers::default()), "iax1", &["it is disabled"], &enable);
}

#[test]
fn a_device_that_nobody_set_up_is_set_up_from_its_engines_on() {
    let tree = Tree::working();
    tree.device("state", "disabled");
    tree.queue(0, [("state", "disabled"), ("type", "none"), ("size", "0"), ("driver_name", "")]);
    tree.device("engine1.0/group_id", "-1");
    tree.device("engine1.1/group_id", "2");
    let enable = [
        "sudo accel-config config-engine iax1/engine1.0 --group-id=0",
        "sudo accel-config config-engine iax1/engine1.1 --group-id=0",
        SET_UP,
        "sudo accel-config enable-device iax1",
        "sudo accel-config enable-wq iax1/wq1.0",
    ];
    refused(&report(&tree, Answers::default()), "iax1", &["it is disabled", "7 of 8 engines"], &enable);
}

#[test]
fn a_device_without_a_queue_has_to_be_disabled_to_get_one() {
    let tree = Tree::working();
    tree.queue(0, [("state", "disabled"), ("type", "none"), ("size", "0"), ("driver_name", "")]);
    let report = report(&tree, Answers::default());
    let enable = [
        "sudo accel-config disable-device iax1",
        SET_UP,
        "sudo accel-config enable-device iax1",
        "sudo accel-config enable-wq iax1/wq1.0",
    ];
    refused(&report, "iax1", &["none of its queues is set up"], &enable);
    assert_eq!(report.rows.len(), 1, "queues that nobody set up have no rows: {report:#?}");
}

#[test]
fn what_a_device_lacks_is_not_asked_for() {
    let tree = Tree::working();
    tree.device("gen_cap", "0x40");
    tree.device("max_transfer_size", "65536");
    tree.remove(&format!("{BUS}/iax1/wq1.0/driver_name"));
    tree.queue(0, [("state", "disabled"), ("type", "none"), ("size", "0")]);
    tree.queue(1, [("size", "28"), ("type", "kernel")]);
    let survey = Host::at(tree.path(), Answers::default().system()).survey();
    let device = survey.devices[0].device.as_ref().expect("a device");
    let set_up = crate::discover::commands::set_up(device, 0).join("\n");
    assert!(set_up.contains("--wq-size=100 --threshold=100 --max-transfer-size=65536"), "{set_up}");
    assert!(!set_up.contains("block-on-fault") && !set_up.contains("driver-name"), "{set_up}");
}

#[test]
fn a_halted_device_and_one_with_an_error_say_so() {
    let tree = Tree::working();
    tree.device("errors", "00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000003");
    let found = report(&tree, Answers::default());
    assert!(row(&found, "iax1").detail.contains("reported an error"), "{found:#?}");
    tree.device("state", "halted");
    let report = report(&tree, Answers::default());
    assert!(row(&report, "iax1").detail.contains("halted"), "{report:#?}");
    assert!(row(&report, "iax1").enable[0].contains("dmesg"), "{report:#?}");
}

#[test]
fn devices_are_in_the_order_of_their_numbers() {
    let tree = Tree::working();
    for number in [10, 2] {
        tree.write(&format!("{BUS}/iax{number}/state"), "disabled\n");
    }
    let survey = Host::at(tree.path(), Answers::default().system()).survey();
    let names: Vec<&str> = survey.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(names, ["iax1", "iax2", "iax10"]);
    assert!(matches!(survey.devices[1].obstacle, Some(Obstacle::DeviceDisabled { .. })));
}
