use super::*;

#[cfg(not(target_arch = "s390x"))]
#[test]
fn another_architecture_is_the_reason() {
    let row = report();
    assert!(!row.usable && row.name == "dfltcc" && row.detail.contains("another architecture"), "{row:?}");
    assert!(row.enable.is_empty(), "no command brings the instruction: {row:?}");
    let why = open().err().expect("an error");
    assert!(why.starts_with("dfltcc: ") && why.ends_with(&row.detail), "{why}");
}

#[test]
fn a_guest_of_kvm_gets_the_hosts_model() {
    let system = "Type: 8561\nLPAR Name: A\nVM00 Name: guest\nVM00 Control Program: KVM/Linux\n";
    for reason in ["no DFLTCC instruction (facility 151)", "the processor's DFLTCC lacks CMPR"] {
        let Blocker { detail, enable } = Blocker::new(reason, system);
        assert!(detail.starts_with(reason) && detail.contains("on the host"), "{detail}");
        assert!(enable[0].contains("virt-xml GUEST --edit --cpu host-model"), "{enable:?}");
        assert!(enable[1].contains("virsh start GUEST") && enable.len() == 2, "{enable:?}");
    }
}

#[test]
fn a_guest_of_zvm_asks_for_its_version() {
    let system = "Type: 8561\nVM00 Control Program: z/VM    7.1.0\n";
    let Blocker { detail, enable } = Blocker::new("no DFLTCC instruction (facility 151)", system);
    assert!(detail.contains("a guest of z/VM"), "{detail}");
    assert_eq!(enable, ["vmcp query cplevel"]);
}

#[test]
fn an_older_machine_has_no_command() {
    let Blocker { detail, enable } = Blocker::new("no DFLTCC instruction (facility 151)", "Type: 3906\n");
    assert!(detail.ends_with("from the z15 on") && enable.is_empty(), "{detail} {enable:?}");
}
