//! Apache Cassandra's compressor of tables, from its own jar.

use std::path::Path;

use super::jdk::Exchange;
use crate::folder::Folder;
use crate::{installed, skip};

#[test]
fn chunks_are_exchanged() {
    if !installed("cassandra", &[("/usr/bin/javac", "openjdk-17-jdk-headless")]) {
        return;
    }
    // The folder of `make cassandra`, with the jars that it needs.
    let jars = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("cassandra");
    if !jars.exists() {
        return skip("cassandra", &format!("{} is missing: run make cassandra", jars.display()));
    }
    let folder = Folder::new("cassandra");
    let sources = [("Exchange", include_str!("Cassandra.java")), ("Samples", include_str!("Samples.java"))];
    Exchange::compile(&folder, &sources, Some(&jars)).run_pairs(16);
}
