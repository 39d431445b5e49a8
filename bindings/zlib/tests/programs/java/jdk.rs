//! Our Java programs, which write compressed files into a folder, or read them there and compare.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib};

/// Returns a program of the JDK that this machine's `javac` belongs to.
pub fn program(name: &str) -> PathBuf {
    let javac = fs::canonicalize("/usr/bin/javac").expect("javac is there");
    javac.with_file_name(name)
}

/// Classes with a `main` in `Exchange`, which takes `write` or `read` and a folder, and prints the
/// number of files.
pub struct Exchange<'a> {
    folder: &'a Folder,
    classes: String,
}

impl<'a> Exchange<'a> {
    /// Compiles sources, named by their classes, with the jars in `jars`.
    pub fn compile(folder: &'a Folder, sources: &[(&str, &str)], jars: Option<&Path>) -> Self {
        folder.folder("classes");
        let mut classes = folder.name("classes");
        if let Some(jars) = jars {
            classes = format!("{classes}:{}/*", jars.display());
        }
        let mut javac = Command::new(program("javac"));
        javac.args(["-proc:none", "-cp", &classes, "-d", &folder.name("classes")]);
        for (name, text) in sources {
            javac.arg(folder.write(&format!("{name}.java"), text));
        }
        let compiled = javac.output().expect("javac starts");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        Self { folder, classes }
    }

    /// Runs it. Returns its output.
    fn run(&self, zlib: Zlib, what: &str, place: &str, function: &str) -> String {
        // Small, and without a file of counters for each process.
        let java = Program::new(zlib, self.folder, program("java")).args(["-XX:-UsePerfData", "-Xmx256m"]);
        let java = java.args(["-cp", &self.classes, "Exchange", what, &self.folder.name(place)]);
        String::from_utf8(java.run(function).stdout).expect("numbers")
    }

    /// Writes on both libraries, and reads each result on both: at least `files` files.
    pub fn run_pairs(&self, files: u32) {
        for writer in BOTH {
            let place = format!("{writer:?}");
            self.folder.folder(&place);
            let written = self.run(writer, "write", &place, "deflate");
            assert!(written.trim().parse::<u32>().expect("a number of files") >= files, "{written}");
            for reader in BOTH {
                let read = self.run(reader, "read", &place, "inflate");
                assert_eq!(read, written, "{writer:?} read by {reader:?}");
            }
        }
    }
}
