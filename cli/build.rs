//! Links the program at a fixed address, so that it starts without relocations.
//!
//! A program at any address has tables of addresses, which the dynamic linker writes to at every
//! start (decision 46). With `PELTON_PIE=1` it is linked for any address, and its relocations are
//! packed (`DT_RELR`), if the dynamic linker reads that form. They are a twentieth of the program
//! otherwise.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PELTON_PIE");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    let is_anywhere = !["", "0"].contains(&of("PELTON_PIE").as_str());
    if is_linux && !is_anywhere {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    } else if is_linux && of("HOST") == of("TARGET") && glibc().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns this machine's version of glibc, the last word of the first line of `ldd --version`.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("ldd").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.lines().next()?.rsplit(' ').next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
