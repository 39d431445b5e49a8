//! Installation: programs use the library of `make install-zlib`, and `make uninstall` removes all
//! of it.

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a target of make on the library of this test, with this prefix below a staging folder.
fn make(target: &str, staging: &Path, prefix: &str) -> (bool, String) {
    let mut make = Command::new("make");
    make.arg(target).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    make.arg(format!("LIBZ={}", common::ours().with_extension("").display())).arg("PELTON=/nowhere/pelton");
    make.arg(format!("DESTDIR={}", staging.display())).arg(format!("PREFIX={prefix}"));
    // Variables that a make above this test sets for nested ones.
    for variable in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"] {
        make.env_remove(variable);
    }
    let output = make.output().expect("make runs");
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn the_library_is_installed_replaced_and_removed() {
    let staging = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("staging of install");
    let _ = fs::remove_dir_all(&staging);
    let place = staging.join("opt/pelton/lib/pelton");
    let (library, link) = (place.join("libpelton_z.so"), place.join("libz.so.1"));

    let (done, text) = make("install-zlib", &staging, "/opt/pelton");
    assert!(done, "{text}");
    assert_eq!(fs::read(&library).expect("the library"), fs::read(common::ours()).expect("ours"));
    assert_eq!(fs::read_link(&link).expect("a link"), Path::new("libpelton_z.so"));
    assert_eq!(fs::metadata(&library).expect("the library").mode() & 0o777, 0o644);

    // A process that has the old file open keeps it, as the new one is another file.
    let before = fs::metadata(&library).expect("the library").ino();
    let old = fs::File::open(&library).expect("the library");
    assert!(make("install-zlib", &staging, "/opt/pelton").0);
    assert_ne!(fs::metadata(&library).expect("the library").ino(), before);
    assert_eq!(old.metadata().expect("the old library").nlink(), 0);
    assert_eq!(fs::read_dir(&place).expect("the folder").count(), 2, "nothing else is left there");

    assert!(make("uninstall", &staging, "/opt/pelton").0);
    assert!(!place.exists());
    assert!(make("uninstall", &staging, "/opt/pelton").0, "once more does no harm");
    fs::remove_dir_all(&staging).expect("the folder is ours");
}

#[test]
fn a_missing_library_is_not_installed() {
    let staging = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("staging of nothing");
    let (done, text) = make("install", &staging, "/usr");
    assert!(!done && text.contains("run `make build` first"), "{text}");
    assert!(!staging.exists());
}
