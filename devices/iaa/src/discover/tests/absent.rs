//! Machines that show no device.

use super::*;
use crate::discover::Obstacle;

fn absent(tree: &Tree) -> Report {
    let report = report(tree, Answers::default());
    assert_eq!(report.rows.len(), 1, "{report:#?}");
    report
}

#[test]
fn a_machine_without_the_hardware_says_what_it_is_and_what_has_it() {
    let tree = Tree::empty();
    tree.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor lahf_lm\n");
    tree.pci("0000:00:01.0", "0x0b25", Some("idxd"));
    let report = absent(&tree);
    // As docs/iaa.md has it.
    let words = "no Intel IAA on the PCI bus (8086:0cfe, 1216, b02d, fd2d) of this virtual machine with AMD EPYC; Intel's \
                 Xeon has it from the 4th generation (Sapphire Rapids) on, in some models only, and its host has to pass a \
                 device through";
    refused(&report, "iaa", &[words], &[]);
    tree.write("proc/cpuinfo", "model name\t: Intel(R) Xeon(R) Gold 6430\nflags\t\t: fpu\n");
    refused(&absent(&tree), "iaa", &["this machine with Intel(R) Xeon(R) Gold 6430", "firmware"], &[]);
}

#[test]
fn a_machine_without_any_files_has_no_device_either() {
    refused(&absent(&Tree::empty()), "iaa", &["no Intel IAA"], &[]);
}

#[test]
fn every_device_number_is_known() {
    for number in ["0x0cfe", "0x1216", "0xb02d", "0xB02D", "0xfd2d"] {
        let tree = Tree::empty();
        tree.pci("0000:e7:02.0", number, None);
        refused(&absent(&tree), "iaa", &["0000:e7:02.0", "not loaded"], &["sudo modprobe idxd"]);
    }
}

#[test]
fn a_kernel_without_the_driver_is_told_from_one_that_has_not_loaded_it() {
    let tree = Tree::empty();
    tree.pci("0000:6a:02.0", "0x0cfe", None);
    tree.write("proc/sys/kernel/osrelease", "6.1.0-38-amd64\n");
    tree.write(
        "lib/modules/6.1.0-38-amd64/modules.dep",
        "kernel/drivers/dma/ioat/ioatdma.ko: kernel/dca.ko\n",
    );
    refused(&absent(&tree), "iaa", &["0000:6a:02.0", "6.1.0-38-amd64", "CONFIG_INTEL_IDXD"], &[]);
    tree.write("lib/modules/6.1.0-38-amd64/modules.dep", "kernel/drivers/dma/idxd/idxd.ko.xz: kernel/x.ko\n");
    refused(&absent(&tree), "iaa", &["`idxd` is not loaded"], &["sudo modprobe idxd"]);
}

#[test]
fn a_device_that_another_driver_has_says_which() {
    let tree = Tree::empty();
    tree.write("sys/bus/dsa/devices/dsa0/state", "enabled\n");
    tree.pci("0000:6a:02.0", "0x0cfe", Some("vfio-pci"));
    refused(
        &absent(&tree),
        "iaa",
        &["0000:6a:02.0", "`vfio-pci`"],
        &[
            "echo 0000:6a:02.0 | sudo tee /sys/bus/pci/drivers/vfio-pci/unbind",
            "echo 0000:6a:02.0 | sudo tee /sys/bus/pci/drivers/idxd/bind",
        ],
    );
    // One that nobody has is nearer.
    tree.pci("0000:6f:02.0", "0x0cfe", None);
    refused(
        &absent(&tree),
        "iaa",
        &["0000:6f:02.0", "no driver"],
        &["echo 0000:6f:02.0 | sudo tee /sys/bus/pci/drivers/idxd/bind"],
    );
}

#[test]
fn a_driver_that_shows_no_device_is_said_so() {
    let tree = Tree::working();
    tree.remove("sys/bus/dsa/devices/iax1");
    refused(&absent(&tree), "iaa", &["`idxd` has it", "shows no device"], &["sudo dmesg | grep idxd"]);
}

#[test]
fn the_reason_is_a_value() {
    let survey = Host::at(Tree::empty().path(), Answers::default().system()).survey();
    assert!(matches!(survey.absent, Some(Obstacle::NoHardware { guest: false, .. })));
    assert!(survey.into_usable().is_empty());
}

#[test]
fn this_machine_has_a_report() {
    // Whatever it is, somebody has to be told something.
    let report = crate::discover::report();
    assert!(!report.rows.is_empty());
    assert!(report.rows.iter().all(|row| !row.name.is_empty() && !row.detail.is_empty()), "{report:#?}");
    let usable = report.rows.iter().filter(|row| row.usable && row.name.contains('/')).count();
    assert_eq!(crate::discover::usable_queues().len(), usable);
    match crate::discover::opener()() {
        Ok(portals) => assert_eq!(portals.len(), usable),
        Err(error) => assert!(usable == 0 && error.to_string().contains(&report.rows[0].detail), "{error}"),
    }
}
