use super::*;

const POWERNV: System = System { has_framework: true, is_powervm: false, credits: Credits::Shared };
const POWERVM: System = System { is_powervm: true, ..POWERNV };

fn row(code: i32, system: System) -> Row {
    let row = blocker(&io::Error::from_raw_os_error(code), system);
    assert!(!row.usable && row.name == "nx" && row.detail.contains(DEVICE), "{row:?}");
    row
}

/// Asserts the words of a reason, and of its commands in order.
fn assert_row(row: &Row, detail: &str, commands: &[&str]) {
    assert!(row.detail.contains(detail), "{row:?}");
    assert_eq!(row.enable.len(), commands.len(), "{row:?}");
    for (command, expected) in row.enable.iter().zip(commands) {
        assert!(command.contains(expected), "{row:?}");
    }
}

#[test]
fn a_kernel_without_vas_is_configured() {
    let row = row(libc::ENOENT, System { has_framework: false, ..POWERNV });
    assert_row(&row, "no CONFIG_PPC_VAS", &["scripts/config -e PPC_VAS", "make olddefconfig"]);
}

#[test]
fn a_driver_that_is_not_loaded_is_loaded() {
    assert_row(&row(libc::ENOENT, POWERNV), "not loaded", &["modprobe nx-compress-powernv"]);
}

#[test]
fn permission_is_given() {
    for code in [libc::EACCES, libc::EPERM] {
        assert_row(&row(code, POWERNV), "may not open", &["chmod a+rw /dev/crypto/nx-gzip"]);
    }
}

#[test]
fn credits_are_freed_or_added() {
    let fuser = "fuser --kill --interactive --verbose /dev/crypto/nx-gzip";
    assert_row(&row(libc::ENOSPC, POWERNV), "other processes have all windows", &[fuser]);
    for code in [libc::ENOSPC, libc::EINVAL] {
        assert_row(&row(code, POWERVM), "add a core", &[fuser, "chhwres"]);
        let guaranteed = System { credits: Credits::Guaranteed, ..POWERVM };
        assert_row(&row(code, guaranteed), "no free guaranteed credit", &["unset PELTON_NX_CREDITS"]);
    }
}

/// An error without a known cause has no command.
#[test]
fn other_errors_are_named() {
    for (code, system) in [(libc::EINVAL, POWERNV), (libc::ENOMEM, POWERVM)] {
        let error = io::Error::from_raw_os_error(code).to_string();
        assert_row(&row(code, system), &error, &[]);
    }
}

#[test]
fn credits_have_names() {
    assert_eq!("shared".parse(), Ok(Credits::Shared));
    assert_eq!("guaranteed".parse(), Ok(Credits::Guaranteed));
    let error = "qos".parse::<Credits>().expect_err("no such credits");
    assert_eq!(error, "there are no credits \"qos\"; there are shared and guaranteed ones");
}
