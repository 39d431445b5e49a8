//! Machines without a device, and queues that can be opened.

use crate::discover::Row;
use crate::discover::test_machine::{Answers, BUS, Tree, diagnose, diagnose_on, refused, report, row};
use crate::hw::Opcode;
use crate::{Mode, Portal};

const QUEUE: &str = "iax1/wq1.0";

fn absent(tree: &Tree) -> Vec<Row> {
    let report = report(tree, Answers::default());
    assert_eq!(report.len(), 1, "{report:#?}");
    report
}

#[test]
fn a_machine_without_the_hardware_says_what_it_is_and_what_has_it() {
    let tree = Tree::empty();
    tree.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu hypervisor lahf_lm\n");
    tree.pci("0000:00:01.0", "0x0b25", Some("idxd"));
    let report = absent(&tree);
    // The text is quoted in docs/iaa.md.
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
fn another_processor_has_no_device_whatever_its_files() {
    for architecture in ["s390x", "powerpc64", "aarch64"] {
        let diagnosis = diagnose_on(architecture, &Tree::working(), Answers::default());
        assert!(diagnosis.usable.is_empty());
        refused(&diagnosis.rows, "iaa", &["no portal instructions", architecture], &[]);
    }
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
    // A function without a driver is preferred.
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
fn this_machine_has_a_report() {
    let report = crate::discover::report();
    assert!(!report.is_empty());
    assert!(report.iter().all(|row| !row.name.is_empty() && !row.detail.is_empty()), "{report:#?}");
    let usable = report.iter().filter(|row| row.usable && row.name.contains('/')).count();
    let diagnosis = crate::discover::diagnose::Host::this().diagnose();
    assert_eq!(diagnosis.usable.len(), usable);
    match diagnosis.into_portals() {
        Ok(portals) => assert_eq!(portals.len(), usable),
        Err(error) => assert!(usable == 0 && error.to_string().contains(&report[0].detail), "{error}"),
    }
}

#[test]
fn a_usable_queue_opens_with_the_capabilities_of_its_files() {
    let tree = Tree::working();
    let mut queues = diagnose(&tree, Answers::default()).usable;
    let queue = queues.pop().expect("a queue");
    assert!(queues.is_empty());
    assert_eq!(queue.name, QUEUE);
    let portal = queue.open().expect("it opens");
    let found = portal.capabilities();
    assert_eq!(found, &queue.capabilities);
    assert_eq!((found.mode, found.depth, found.max_transfer_bytes), (Mode::Write, 100, 2 << 20));
    assert_eq!((found.block_on_fault, found.node), (true, Some(0)));
    // The queue has no opcode mask, so the device's op_cap counts.
    assert!(Opcode::ALL.into_iter().all(|opcode| found.allows(opcode)));
    assert_eq!(queue.engines, 8);
}

#[test]
fn a_queues_own_permissions_and_a_dedicated_queues_size_count() {
    let tree = Tree::working();
    tree.queue(0, [("mode", "dedicated"), ("op_config", "00000000,00000004,00000000,00000001")]);
    let queues = diagnose(&tree, Answers::default()).usable;
    let found = &queues[0].capabilities;
    assert_eq!((found.depth, found.opcodes), (128, [1, 4, 0, 0]));
    assert!(found.allows(Opcode::Decompress) && !found.allows(Opcode::Compress));
}

#[test]
fn a_dedicated_queue_that_this_process_has_is_usable() {
    let tree = Tree::working();
    tree.queue(0, [("mode", "dedicated")]);
    let pid = |file: u32, pid: u32| tree.device(&format!("wq1.0/iax!wq1.0/file{file}/pid"), &pid.to_string());
    let usable = || {
        let report = report(&tree, Answers { open: Some(libc::EBUSY), ..Answers::default() });
        assert_eq!(row(&report, "iax1").usable, row(&report, QUEUE).usable, "{report:#?}");
        (row(&report, QUEUE).usable, row(&report, QUEUE).detail.contains("this process, which has it open"))
    };
    pid(3, 1);
    assert_eq!(usable(), (false, false));
    pid(4, std::process::id());
    assert_eq!(usable(), (true, true));
}

#[test]
fn one_queue_of_many_is_enough() {
    let tree = Tree::working();
    tree.queue(3, [("size", "4"), ("type", "user"), ("driver_name", "user"), ("group_id", "0")]);
    tree.write(&format!("{BUS}/iax1/wq1.3/state"), "disabled");
    let report = report(&tree, Answers::default());
    assert!(row(&report, "iax1").usable && row(&report, QUEUE).usable, "{report:#?}");
    assert!(!row(&report, "iax1/wq1.3").usable, "{report:#?}");
    assert_eq!(report.len(), 3, "{report:#?}");
}

#[test]
fn all_queues_are_opened_at_once_or_the_reason_is_the_error() {
    let tree = Tree::working();
    let portals = |answers: Answers| diagnose(&tree, answers).into_portals();
    assert_eq!(portals(Answers::default()).map(|portals| portals.len()).ok(), Some(1));
    let error = portals(Answers { open: Some(libc::EBUSY), ..Answers::default() }).err().expect("none");
    assert!(error.to_string().starts_with("iax1/wq1.0: "), "{error}");
}
