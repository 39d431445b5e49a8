//! CPython's own tests of its modules over zlib.

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, installed};

#[test]
fn its_own_tests_pass() {
    let needed = [
        ("/usr/bin/python3", "python3"),
        ("/usr/lib/python3.11/test/test_zlib.py", "libpython3.11-testsuite"),
    ];
    if !installed("cpython", &needed) {
        return;
    }
    let folder = Folder::new("cpython");
    // The system's, too: what fails there is no fault of ours.
    for zlib in BOTH {
        let python = Program::new(zlib, &folder, "/usr/bin/python3").within(folder.path());
        let python = python.args(["-m", "unittest", "-b", "test.test_zlib", "test.test_gzip"]);
        let output = python.args(["test.test_zipfile", "test.test_tarfile"]).run("deflate");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let ran = said.lines().find_map(|line| line.strip_prefix("Ran ")?.split(' ').next()?.parse().ok());
        assert!(ran.is_some_and(|count: u32| count > 500), "{said}");
    }
}
