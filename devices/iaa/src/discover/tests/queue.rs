//! One queue of a device that works, and what keeps it from use.

use super::tree::BUS;
use super::*;
use crate::hw::Opcode;
use crate::{Mode, Portal};

const QUEUE: &str = "iax1/wq1.0";

#[test]
fn a_queue_that_is_written_to_is_usable_and_says_what_would_map_it() {
    let tree = Tree::working();
    let report = report(&tree, Answers { map: Some(libc::EPERM), ..Answers::default() });
    let row = row(&report, QUEUE);
    assert!(row.usable, "{row:#?}");
    for words in ["write()", "Operation not permitted", "100 descriptors", "2 MiB", "waits for missing pages"]
    {
        assert!(row.detail.contains(words), "{words}: {row:#?}");
    }
    assert_eq!(row.enable, [r#"sudo setcap cap_sys_rawio+ep "$(command -v pelton)""#]);
}

#[test]
fn rights_are_not_asked_for_where_they_would_not_help() {
    let report = report(&Tree::working(), Answers { map: Some(libc::ENODEV), ..Answers::default() });
    assert!(row(&report, QUEUE).usable && row(&report, QUEUE).enable.is_empty(), "{report:#?}");
}

#[test]
fn a_usable_queue_opens_with_the_capabilities_of_its_files() {
    let tree = Tree::working();
    let mut queues = Host::at(tree.path(), Answers::default().system()).survey().into_usable();
    let queue = queues.pop().expect("a queue");
    assert!(queues.is_empty());
    assert_eq!(queue.name, QUEUE);
    let portal = queue.open().expect("it opens");
    let found = portal.capabilities();
    assert_eq!(found, &queue.capabilities);
    assert_eq!((found.mode, found.depth, found.max_transfer_bytes), (Mode::Write, 100, 2 << 20));
    assert_eq!((found.block_on_fault, found.node), (true, Some(0)));
    // The queue has no permissions of its own, so the device's count: bits of words 0 and 1 of
    // op_cap.
    assert!(Opcode::ALL.into_iter().all(|opcode| found.allows(opcode)));
    assert_eq!(queue.engines, 8);
}

#[test]
fn a_queues_own_permissions_and_a_dedicated_queues_size_count() {
    let tree = Tree::working();
    tree.queue(0, [("mode", "dedicated"), ("op_config", "00000000,00000004,00000000,00000001")]);
    let queues = Host::at(tree.path(), Answers::default().system()).survey().into_usable();
    let found = &queues[0].capabilities;
    assert_eq!((found.depth, found.opcodes), (128, [1, 4, 0, 0]));
    assert!(found.allows(Opcode::Decompress) && !found.allows(Opcode::Compress));
}

#[test]
fn the_kernels_queue_has_to_be_taken_from_it() {
    let tree = Tree::working();
    tree.queue(
        0,
        [("type", "kernel"), ("driver_name", "crypto"), ("name", "iaa_crypto"), ("mode", "dedicated")],
    );
    let report = report(&tree, Answers::default());
    let row = row(&report, QUEUE);
    assert!(!row.usable && row.detail.contains("iaa_crypto"), "{row:#?}");
    assert_eq!(row.enable.len(), 4, "{row:#?}");
    assert_eq!(row.enable[0], "sudo accel-config disable-device iax1");
    assert!(
        row.enable[1].contains("--type=user") && row.enable[1].contains("--driver-name=user"),
        "{row:#?}"
    );
    refused(&report, "iax1", &["none of its queues can be used"], &[]);
}

#[test]
fn a_queue_for_nobody_is_set_up() {
    let tree = Tree::working();
    tree.queue(0, [("type", "none"), ("state", "disabled"), ("driver_name", "")]);
    let report = report(&tree, Answers::default());
    assert!(row(&report, QUEUE).detail.contains("type none"), "{report:#?}");
    assert!(
        row(&report, QUEUE).enable[1].starts_with("sudo accel-config config-wq iax1/wq1.0 "),
        "{report:#?}"
    );
}

#[test]
fn a_disabled_queue_is_enabled() {
    let tree = Tree::working();
    tree.queue(0, [("state", "disabled")]);
    let enable = ["sudo accel-config enable-wq iax1/wq1.0"];
    refused(&report(&tree, Answers::default()), QUEUE, &["set up for processes, but disabled"], &enable);
}

#[test]
fn a_queue_of_another_driver_is_rebound() {
    let tree = Tree::working();
    tree.queue(0, [("driver_name", "mdev")]);
    let commands = |disable: bool| {
        let all = [
            "sudo accel-config disable-wq iax1/wq1.0",
            "sudo accel-config config-wq iax1/wq1.0 --driver-name=user",
            "sudo accel-config enable-wq iax1/wq1.0",
        ];
        all[usize::from(!disable)..].to_vec()
    };
    refused(&report(&tree, Answers::default()), QUEUE, &["`mdev`", "not `user`"], &commands(true));
    tree.queue(0, [("driver_name", ""), ("state", "disabled")]);
    refused(&report(&tree, Answers::default()), QUEUE, &["no driver"], &commands(false));
}

#[test]
fn a_queue_without_an_engine_is_put_where_engines_are() {
    let tree = Tree::working();
    tree.queue(0, [("group_id", "3")]);
    let found = report(&tree, Answers::default());
    assert!(row(&found, QUEUE).detail.contains("its group 3 has none"), "{found:#?}");
    tree.queue(0, [("group_id", "-1")]);
    let found = report(&tree, Answers::default());
    assert!(row(&found, QUEUE).detail.contains("in no group"), "{found:#?}");
    assert!(row(&found, QUEUE).enable.iter().any(|line| line.contains("--group-id=0")), "{found:#?}");
}

#[test]
fn a_container_without_the_file_is_given_it() {
    let tree = Tree::working();
    tree.remove("dev/iax");
    let enable = [
        "docker run --device=/dev/iax/wq1.0 ...  # in a container",
        "sudo mkdir -p /dev/iax && sudo mknod -m 660 /dev/iax/wq1.0 c \
         $(cat /sys/bus/dsa/devices/iax1/cdev_major) $(cat /sys/bus/dsa/devices/wq1.0/cdev_minor)",
    ];
    refused(&report(&tree, Answers::default()), QUEUE, &["no /dev/iax/wq1.0", "container"], &enable);
}

#[test]
fn permissions_are_shown_with_how_to_get_them() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::working();
    let path = tree.path().join("dev/iax/wq1.0");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("its owner's file");
    for code in [libc::EACCES, libc::EPERM] {
        let report = report(&tree, Answers { open: Some(code), ..Answers::default() });
        let row = row(&report, QUEUE);
        assert!(!row.usable && row.detail.contains("mode 600, owner "), "{row:#?}");
        let typed = row.enable.join("\n");
        for part in
            ["usermod --append --groups pelton", "SUBSYSTEM==\"dsa\"", "MODE=\"0660\"", "chgrp pelton"]
        {
            assert!(typed.contains(part), "{part}: {row:#?}");
        }
        assert!(typed.contains(&path.display().to_string()), "{row:#?}");
    }
}

#[test]
fn a_dedicated_queue_that_somebody_has_says_so() {
    let tree = Tree::working();
    tree.queue(0, [("mode", "dedicated")]);
    let report = report(&tree, Answers { open: Some(libc::EBUSY), ..Answers::default() });
    assert!(row(&report, QUEUE).detail.contains("dedicated to a process"), "{report:#?}");
    assert!(row(&report, QUEUE).enable[0].starts_with("sudo fuser -v "), "{report:#?}");
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
fn a_queue_that_takes_nothing_says_both_reasons() {
    let tree = Tree::working();
    let report = report(&tree, Answers { read_only: true, map: Some(libc::EPERM), ..Answers::default() });
    refused(&report, QUEUE, &["mapping its portal: Operation not permitted", "writing to it"], &[]);
}

#[test]
fn one_queue_of_many_is_enough() {
    let tree = Tree::working();
    tree.queue(3, [("size", "4"), ("type", "user"), ("driver_name", "user"), ("group_id", "0")]);
    tree.write(&format!("{BUS}/iax1/wq1.3/state"), "disabled");
    let report = report(&tree, Answers::default());
    assert!(row(&report, "iax1").usable && row(&report, QUEUE).usable, "{report:#?}");
    assert!(!row(&report, "iax1/wq1.3").usable, "{report:#?}");
    assert_eq!(report.rows.len(), 3, "{report:#?}");
}

#[test]
fn all_queues_are_opened_at_once_or_the_reason_is_the_error() {
    let tree = Tree::working();
    let portals = |answers: Answers| Host::at(tree.path(), answers.system()).survey().into_portals();
    assert_eq!(portals(Answers::default()).map(|portals| portals.len()).ok(), Some(1));
    let error = portals(Answers { open: Some(libc::EBUSY), ..Answers::default() }).err().expect("none");
    assert!(error.to_string().starts_with("iax1/wq1.0: "), "{error}");
}
