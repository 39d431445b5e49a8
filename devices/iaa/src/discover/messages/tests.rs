//! Messages and commands of devices and queues.

use crate::discover::test_machine::{Answers, BUS, Tree, refused, report, row};

const QUEUE: &str = "iax1/wq1.0";

const SET_UP: &str = "sudo accel-config config-wq iax1/wq1.0 --group-id=0 --mode=shared --type=user --name=pelton \
                      --priority=10 --driver-name=user --wq-size=128 --threshold=128 --max-transfer-size=2097152 \
                      --block-on-fault=1";

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
fn a_queue_that_takes_nothing_says_both_reasons() {
    let tree = Tree::working();
    let report = report(&tree, Answers { read_only: true, map: Some(libc::EPERM), ..Answers::default() });
    refused(&report, QUEUE, &["mapping its portal: Operation not permitted", "writing to it"], &[]);
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
    assert_eq!(report.len(), 1, "queues that nobody set up have no rows: {report:#?}");
}

#[test]
fn what_a_device_lacks_is_not_asked_for() {
    let tree = Tree::working();
    tree.device("gen_cap", "0x40");
    tree.device("max_transfer_size", "65536");
    tree.remove(&format!("{BUS}/iax1/wq1.0/driver_name"));
    tree.queue(0, [("state", "disabled"), ("type", "none"), ("size", "1")]);
    tree.queue(1, [("size", "28"), ("type", "kernel")]);
    let set_up = row(&report(&tree, Answers::default()), QUEUE).enable.join("\n");
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
