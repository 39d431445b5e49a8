//! OpenJDK, whose `java.util.zip` is the system's zlib: streams of every level, strategy and flush, gzip, zip and jar files.

use std::fs;
use std::process::Command;

use crate::data::mixed;
use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib, installed};

/// The JDK that `javac` of this machine is of.
fn programs() -> Option<std::path::PathBuf> {
    let javac = fs::canonicalize("/usr/bin/javac").ok()?;
    Some(javac.parent()?.to_owned())
}

/// Without a file of shared counters for each process, and small.
const SMALL: [&str; 3] = ["-Xshare:auto", "-XX:-UsePerfData", "-Xmx256m"];

#[test]
fn streams_and_files_are_exchanged() {
    if !installed("java", &[("/usr/bin/javac", "openjdk-17-jdk-headless")]) {
        return;
    }
    let programs = programs().expect("the place of javac");
    let folder = Folder::new("java");
    let sources = ["Exchange", "Samples", "Streams", "Files"];
    let texts = [
        include_str!("Exchange.java"),
        include_str!("Samples.java"),
        include_str!("Streams.java"),
        include_str!("Files.java"),
    ];
    let mut javac = Command::new(programs.join("javac"));
    javac.arg("-d").arg(folder.folder("classes"));
    for (name, text) in sources.iter().zip(texts) {
        javac.arg(folder.write(&format!("{name}.java"), text));
    }
    let compiled = javac.output().expect("javac starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let exchange = |zlib: Zlib, what: &str, place: &str, function: &str| {
        let java = Program::new(zlib, &folder, programs.join("java")).args(SMALL);
        let java = java.args(["-cp", &folder.name("classes"), "Exchange", what, &folder.name(place)]);
        String::from_utf8(java.run(function).stdout).expect("numbers")
    };
    for writer in BOTH {
        let place = format!("{writer:?}");
        folder.folder(&place);
        let written = exchange(writer, "write", &place, "deflate");
        assert!(written.trim().parse::<u32>().expect("a number of files") > 250, "{written}");
        for reader in BOTH {
            assert_eq!(exchange(reader, "read", &place, "inflate"), written, "{writer:?} read by {reader:?}");
        }
    }
}

#[test]
fn archives_of_jar_are_extracted() {
    if !installed("jar", &[("/usr/bin/javac", "openjdk-17-jdk-headless")]) {
        return;
    }
    let jar = programs().expect("the place of javac").join("jar");
    let folder = Folder::new("jar");
    let samples =
        [("tree/a/large.bin", mixed(900_000)), ("tree/b.bin", mixed(50)), ("tree/empty.bin", vec![])];
    folder.folder("tree/a");
    for (name, content) in &samples {
        folder.write(name, content);
    }
    for writer in BOTH {
        let archive = folder.name(&format!("{writer:?}.jar"));
        let create = Program::new(writer, &folder, &jar).within(folder.path()).arg("-J-XX:-UsePerfData");
        create.args(["-c", "-f", &archive, "tree"]).run("deflate");
        assert!(fs::metadata(&archive).expect("an archive").len() < 700_000, "{archive} is not compressed");
        for reader in BOTH {
            let place = format!("{writer:?}-{reader:?}");
            let extract = Program::new(reader, &folder, &jar).within(folder.folder(&place));
            extract.args(["-J-XX:-UsePerfData", "-x", "-f", &archive]).run("inflate");
            for (name, content) in &samples {
                assert!(folder.read(&format!("{place}/{name}")) == *content, "{place}/{name} differs");
            }
        }
    }
}
