//! Packs the program's relative relocations (`DT_RELR`), which are otherwise a twentieth of it.
//!
//! The dynamic linker reads them from glibc 2.36 on; a program that is built for another machine
//! has the older form.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let is_linux = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    if is_linux && of("HOST") == of("TARGET") && glibc().is_some_and(|version| version >= (2, 36)) {
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
