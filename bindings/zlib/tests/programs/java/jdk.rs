//! Java programs of ours that write compressed files into a folder, or read them there and compare.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib};

/// One of the programs of the JDK that `javac` of this machine belongs to.
pub fn program(name: &str) -> PathBuf {
    let javac = fs::canonicalize("/usr/bin/javac").expect("javac is there");
    javac.with_file_name(name)
}

/// Classes with a `main` in `Exchange`, which takes `write` or `read` and a folder, and prints how
/// many files it did.
pub struct Exchange<'a> {
    folder: &'a Folder,
    classes: String,
}

impl<'a> Exchange<'a> {
    /// Compiles sources, each with the name of its class, beside the jars in `jars` if they need
    /// any.
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

    /// Runs it, and gives what it prints.
    fn run(&self, zlib: Zlib, what: &str, place: &str, function: &str) -> String {
        // Without a file of counters for each process, and small.
        let java = Program::new(zlib, self.folder, program("java")).args(["-XX:-UsePerfData", "-Xmx256m"]);
        let java = java.args(["-cp", &self.classes, "Exchange", what, &self.folder.name(place)]);
        String::from_utf8(java.run(function).stdout).expect("numbers")
    }

    /// Writes on both, and reads each on both: at least so many files.
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
