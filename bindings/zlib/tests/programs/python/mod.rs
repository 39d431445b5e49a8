//! Python's modules over zlib: streams with all settings, gzip, zip and tar files.

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib, installed};

#[test]
fn streams_and_files_are_exchanged() {
    if !installed("python", &[("/usr/bin/python3", "python3")]) {
        return;
    }
    let folder = Folder::new("python");
    let script = folder.write("exchange.py", include_str!("exchange.py"));
    let exchange = |zlib: Zlib, what: &str, place: &str, function: &str| {
        let python = Program::new(zlib, &folder, "/usr/bin/python3").arg("-I").arg(&script);
        let output = python.args([what, &folder.name(place)]).run(function);
        String::from_utf8(output.stdout).expect("numbers")
    };
    for writer in BOTH {
        let place = format!("{writer:?}");
        folder.folder(&place);
        let written = exchange(writer, "write", &place, "deflate");
        assert!(written.trim().parse::<u32>().expect("a number of files") > 1000, "{written}");
        for reader in BOTH {
            assert_eq!(exchange(reader, "read", &place, "inflate"), written, "{writer:?} read by {reader:?}");
        }
    }
}
