//! OpenJDK with the system's zlib behind `java.util.zip`: streams of every level, strategy and
//! flush, gzip, zip and jar files.

mod cassandra;
mod jdk;

use std::fs;

use crate::data::mixed;
use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, installed};
use jdk::Exchange;

#[test]
fn streams_and_files_are_exchanged() {
    if !installed("java", &[("/usr/bin/javac", "openjdk-17-jdk-headless")]) {
        return;
    }
    let folder = Folder::new("java");
    let sources = [
        ("Exchange", include_str!("Exchange.java")),
        ("Samples", include_str!("Samples.java")),
        ("Streams", include_str!("Streams.java")),
        ("Files", include_str!("Files.java")),
    ];
    Exchange::compile(&folder, &sources, None).run_pairs(250);
}

#[test]
fn archives_of_jar_are_extracted() {
    if !installed("jar", &[("/usr/bin/javac", "openjdk-17-jdk-headless")]) {
        return;
    }
    let jar = jdk::program("jar");
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
