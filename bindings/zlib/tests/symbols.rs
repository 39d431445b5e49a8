//! The library exports what the system's does: the same functions, each with its version, and the
//! same versions.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// What readelf says about a library.
fn readelf(options: &[&str], library: &Path) -> String {
    let output = Command::new("readelf").args(options).arg(library).env("LC_ALL", "C").output();
    let output = output.expect("readelf is there: install binutils");
    assert!(output.status.success(), "readelf {options:?} {} failed", library.display());
    String::from_utf8(output.stdout).expect("readelf writes text")
}

/// Functions and variables that a library exports, as `name@@version`. The names of versions, which
/// GNU's linker makes symbols of and others don't, are compared by themselves.
fn exports(library: &Path) -> BTreeSet<String> {
    let text = readelf(&["--dyn-syms", "--wide"], library);
    let columns = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    columns
        .filter(|column| {
            column.len() >= 8 && column[0].ends_with(':') && !["UND", "ABS"].contains(&column[6])
        })
        .map(|column| column[7].to_owned())
        .collect()
}

/// The versions that a library defines, each with its parents, in their order.
fn versions(library: &Path) -> Vec<String> {
    let text = readelf(&["--version-info", "--wide"], library);
    let defined = text.lines().skip_while(|line| !line.starts_with("Version definition"));
    let defined = defined.take_while(|line| !line.starts_with("Version needs"));
    defined
        .filter_map(|line| {
            line.split_once("Name: ").or(line.split_once("Parent ")).map(|(_, name)| name.into())
        })
        .collect()
}

#[test]
fn symbols_and_versions_are_those_of_the_systems_zlib() {
    let (ours, system) = (exports(common::ours()), exports(common::system()));
    assert_eq!(ours.difference(&system).collect::<Vec<_>>(), [""; 0], "ours alone");
    assert_eq!(system.difference(&ours).collect::<Vec<_>>(), [""; 0], "the system's alone");
    assert!(ours.contains("deflate") && ours.contains("crc32_z@@ZLIB_1.2.9"), "{ours:?}");
    assert_eq!(versions(common::ours()), versions(common::system()));
}

#[test]
fn nothing_but_libc_is_needed() {
    let text = readelf(&["--dynamic", "--wide"], common::ours());
    let named = |tag: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(tag));
        lines.filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']').to_owned())).collect()
    };
    assert_eq!(named("(SONAME)"), ["libz.so.1"]);
    // The loader is libc's own, and in every process: variables of threads are found by it.
    let needed = named("(NEEDED)");
    assert!(needed.iter().all(|name| name == "libc.so.6" || name.starts_with("ld-linux")), "{needed:?}");
}
