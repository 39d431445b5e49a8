//! Compiles `bridge.rs`, a library of a few kilobytes that `src/sys/second/load.rs` has in it as
//! bytes.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=bridge.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"));
    let bridge = Path::new(&of("OUT_DIR")).join("bridge");
    let mut rustc = Command::new(of("RUSTC"));
    rustc.args(["--crate-name=pelton_bridge", "--crate-type=cdylib", "--edition=2024"]);
    rustc.args(["-Copt-level=s", "-Cpanic=abort", "-Cstrip=symbols", "--target", &of("TARGET")]);
    if let Ok(linker) = std::env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    if of("CARGO_CFG_TARGET_OS") == "macos" {
        // A library for macOS needs this one.
        rustc.arg("-Clink-arg=-lSystem");
    }
    let done = rustc.arg("bridge.rs").arg("-o").arg(&bridge).status().expect("rustc can be started");
    assert!(done.success(), "bridge.rs does not compile");
}
