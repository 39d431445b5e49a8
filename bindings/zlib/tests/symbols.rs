//! Exported symbols and versions, compared with a list and with the system's zlib.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Every exported symbol, sorted by name: `name@@version`, or `name` alone for those without one.
const EXPORTS: &str = include_str!("exports.txt");

/// The version nodes in their order. Each has the one before it as its parent.
const VERSIONS: [&str; 14] = [
    "ZLIB_1.2.0",
    "ZLIB_1.2.0.2",
    "ZLIB_1.2.0.8",
    "ZLIB_1.2.2",
    "ZLIB_1.2.2.3",
    "ZLIB_1.2.2.4",
    "ZLIB_1.2.3.3",
    "ZLIB_1.2.3.4",
    "ZLIB_1.2.3.5",
    "ZLIB_1.2.5.1",
    "ZLIB_1.2.5.2",
    "ZLIB_1.2.7.1",
    "ZLIB_1.2.9",
    "ZLIB_1.2.12",
];

/// Returns the output of readelf for a library.
fn readelf(options: &[&str], library: &Path) -> String {
    let output = Command::new("readelf").args(options).arg(library).env("LC_ALL", "C").output();
    let output = output.expect("readelf is there: install binutils");
    assert!(output.status.success(), "readelf {options:?} {} failed", library.display());
    String::from_utf8(output.stdout).expect("readelf writes text")
}

/// Returns the functions and variables that a library exports, as in [`EXPORTS`]. GNU's linker
/// makes symbols of the versions, too; those are left out.
fn exports(library: &Path) -> BTreeSet<String> {
    let text = readelf(&["--dyn-syms", "--wide"], library);
    let columns = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    columns
        .filter(|column| column.len() >= 8 && !["UND", "ABS", "Ndx"].contains(&column[6]))
        .map(|column| column[7].to_owned())
        .collect()
}

/// Returns the library's name and its versions, each followed by `N: PARENT` for its parents.
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
fn symbols_and_versions_are_those_of_the_list() {
    let (ours, listed) = (exports(common::ours()), EXPORTS.lines().map(str::to_owned).collect());
    assert_eq!(ours.difference(&listed).collect::<Vec<_>>(), [""; 0], "not in the list");
    assert_eq!(listed.difference(&ours).collect::<Vec<_>>(), [""; 0], "missing");
    let parents = VERSIONS.windows(2).flat_map(|pair| [pair[1].to_owned(), format!("1: {}", pair[0])]);
    let expected: Vec<_> = ["libz.so.1", VERSIONS[0]].map(str::to_owned).into_iter().chain(parents).collect();
    assert_eq!(versions(common::ours()), expected);
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
    // The loader is part of libc and in every process. It finds thread-local variables.
    let needed = named("(NEEDED)");
    assert!(needed.iter().all(|name| name == "libc.so.6" || name.starts_with("ld-linux")), "{needed:?}");
}
