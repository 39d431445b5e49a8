//! A program in C, compiled against `zlib.h` with its macros, that uses all gz functions.

use std::process::Command;

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, common, installed};

#[test]
fn files_are_exchanged() {
    if !installed("gzfiles", &[("/usr/include/zlib.h", "zlib1g-dev"), ("/usr/bin/cc", "gcc")]) {
        return;
    }
    let folder = Folder::new("gzfiles");
    let source = folder.write("gzfiles.c", include_str!("gzfiles.c"));
    let program = folder.join("gzfiles");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-o"]).arg(&program).arg(source).arg(common::system());
    assert!(compiler.status().expect("cc starts").success(), "gzfiles.c does not compile");
    for writer in BOTH {
        let place = format!("{writer:?}");
        Program::new(writer, &folder, &program).arg("write").within(folder.folder(&place)).run("gzwrite");
        for reader in BOTH {
            let output =
                Program::new(reader, &folder, &program).arg("read").within(folder.join(&place)).run("gzread");
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                "checked 30 files\n",
                "{writer:?} read by {reader:?}"
            );
        }
    }
}
