//! Compiles the files that the extension has in it as bytes: `bridge.rs`, and the native layer
//! (`native/native.cpp`) for each version of DuckDB with headers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Versions with a native layer, each with the first number of its version.
const VERSIONS: [(&str, u32); 2] = [("2.0.0", 2), ("1.5.6", 1)];

/// Place of the headers below the repository; `scripts/fetch-duckdb-headers` puts them there.
const HEADERS: &str = ".cache/duckdb-headers";

/// Longest path of the host's library that the layer can be made to need.
const LONGEST_PATH: usize = 1024;

/// Environment variable with a sanitizer of the C++ compiler for the layer, such as `address`. The
/// process has to have its library preloaded.
const SANITIZER: &str = "PELTON_NATIVE_SANITIZER";

fn main() {
    println!("cargo::rerun-if-changed=bridge.rs");
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rerun-if-env-changed={SANITIZER}");
    let out = PathBuf::from(of("OUT_DIR"));
    bridge(&out);
    layers(&out);
}

fn of(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn bridge(out: &Path) {
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
    run(rustc.arg("bridge.rs").arg("-o").arg(out.join("bridge")));
}

fn run(command: &mut Command) {
    let done = command.status().unwrap_or_else(|e| panic!("{command:?} can't be started: {e}"));
    assert!(done.success(), "{command:?} failed");
}

/// Compiles the layers and writes the list of them, `native.rs`.
fn layers(out: &Path) {
    let headers = Path::new(&of("CARGO_MANIFEST_DIR")).join("../..").join(HEADERS);
    println!("cargo::rerun-if-changed={}", headers.display());
    let is_known = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    let mut list = String::from("/// The layers, each with the version of DuckDB that it is for.\n");
    list.push_str("static LAYERS: &[(&str, &[u8])] = &[\n");
    for (version, major) in VERSIONS {
        let include = headers.join(version);
        if !is_known || !include.is_dir() {
            println!(
                "cargo::warning=no native layer for DuckDB {version}: run scripts/fetch-duckdb-headers .cache/duckdb-headers"
            );
            continue;
        }
        let layer = layer(out, &include, version, major);
        list.push_str(&format!("    (\"v{version}\", include_bytes!({layer:?})),\n"));
    }
    list.push_str("];\n");
    std::fs::write(out.join("native.rs"), list).expect("the output folder can be written to");
}

/// Compiles the layer for one version. The compiler is called by hand since the layer is a library
/// of its own, not a part of this one.
fn layer(out: &Path, include: &Path, version: &str, major: u32) -> PathBuf {
    let compiler = cc::Build::new().cpp(true).opt_level(2).get_compiler();
    // A library with nothing in it, for the name of what the layer needs.
    let host = out.join("libhost.so");
    let name = format!("pelton-host-library-{}", "x".repeat(LONGEST_PATH));
    let empty = out.join("empty.cpp");
    std::fs::write(&empty, "").expect("the output folder can be written to");
    run(Command::new(compiler.path())
        .args(["-shared", "-fPIC", "-nostdlib"])
        .arg(&empty)
        .arg("-o")
        .arg(&host)
        .arg(format!("-Wl,-soname,{name}")));
    let layer = out.join(format!("native-{version}.so"));
    let mut command = Command::new(compiler.path());
    command.args(["-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-s"]);
    // Symbols that are unique in a process would tie two versions of DuckDB together.
    command.args(["-fno-gnu-unique", "-Wl,--no-as-needed", "-Wl,-z,nodelete"]);
    if let Ok(sanitizer) = std::env::var(SANITIZER) {
        command.args([format!("-fsanitize={sanitizer}"), "-fno-omit-frame-pointer".to_owned()]);
    }
    command.arg(format!("-DPELTON_DUCKDB={major}")).arg("-Inative").arg("-isystem").arg(include);
    command.args(["native/native.cpp", "native/copy.cpp"]).arg(&host).arg("-o").arg(&layer);
    run(&mut command);
    layer
}
