//! PostgreSQL: pg_restore and psql restore the dumps of pg_dump in each of its formats.

mod cluster;

use std::fs::{self, File};
use std::path::Path;

use cluster::Cluster;

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib, installed};

/// A format of dumps.
struct Format {
    name: &'static str,
    options: &'static [&'static str],
    /// The function by which pg_dump compresses. A format with a file for each table uses the gz
    /// functions.
    writes: &'static str,
    reads: &'static str,
}

const FORMATS: [Format; 4] = [
    Format { name: "custom", options: &["-Fc", "-Z6"], writes: "deflate", reads: "inflate" },
    Format { name: "fast", options: &["-Fc", "-Z1"], writes: "deflate", reads: "inflate" },
    Format { name: "directory", options: &["-Fd", "-j2"], writes: "gzwrite", reads: "gzread" },
    Format { name: "plain", options: &["-Fp", "-Z6"], writes: "gzwrite", reads: "inflate" },
];

#[test]
fn dumps_are_restored() {
    let needed = [("/usr/lib/postgresql/15/bin/postgres", "postgresql-15"), ("/usr/bin/python3", "python3")];
    if !installed("postgres", &needed) {
        return;
    }
    let cluster = Cluster::start();
    cluster.sql("postgres", "CREATE DATABASE source");
    cluster.sql("source", include_str!("tables.sql"));
    let expected = cluster.sql("source", include_str!("sums.sql"));
    assert_eq!(expected.lines().count(), 4, "a sum a table, and one of the large object:\n{expected}");
    for format in FORMATS {
        let folder = Folder::new("postgres");
        for writer in BOTH {
            dump(&cluster, &folder, &format, writer);
            for reader in BOTH {
                cluster.sql("postgres", "CREATE DATABASE copy");
                restore(&cluster, &folder, &format, writer, reader);
                let got = cluster.sql("copy", include_str!("sums.sql"));
                assert_eq!(got, expected, "{}, written by {writer:?}, read by {reader:?}", format.name);
                cluster.sql("postgres", "DROP DATABASE copy");
            }
        }
        let (ours, system) = (size(&folder, Zlib::Ours), size(&folder, Zlib::System));
        // zlib-rs compresses level 1 on some processors, to other sizes than zlib.
        assert!(format.name == "fast" || ours < system * 11 / 10, "{}: {ours} bytes, {system}", format.name);
    }
}

fn dump(cluster: &Cluster, folder: &Folder, format: &Format, writer: Zlib) {
    let file = folder.name(&format!("{writer:?}"));
    let program = Program::new(writer, folder, cluster.program("pg_dump"));
    let program = program.args(format.options).args(["-f", &file]).args(cluster.connection("source"));
    let (_, evidence) = program.finish();
    evidence.assert(format.writes);
    if writer == Zlib::Ours {
        let bytes = evidence.bytes("deflate stream");
        assert!(bytes > 20_000_000, "{} was made of {bytes} bytes", format.name);
    }
}

/// Returns the size of a dump: a file, or a folder's files.
fn size(folder: &Folder, writer: Zlib) -> u64 {
    let path = folder.join(&format!("{writer:?}"));
    let length = |path: &Path| fs::metadata(path).expect("a file of a dump").len();
    match fs::read_dir(&path) {
        Ok(files) => files.flatten().map(|file| length(&file.path())).sum(),
        Err(_) => length(&path),
    }
}

fn restore(cluster: &Cluster, folder: &Folder, format: &Format, writer: Zlib, reader: Zlib) {
    let file = folder.name(&format!("{writer:?}"));
    if format.name != "plain" {
        let program = Program::new(reader, folder, cluster.program("pg_restore"));
        let program = program.args(["-j2", "--exit-on-error"]).args(cluster.connection("copy"));
        program.arg(&file).run(format.reads);
        return;
    }
    // A plain dump is SQL in a gzip file, which pg_restore does not read.
    let decompress =
        "import gzip, shutil, sys; shutil.copyfileobj(gzip.open(sys.argv[1]), open(sys.argv[2], 'wb'))";
    let sql = folder.name("plain.sql");
    let program = Program::new(reader, folder, "/usr/bin/python3");
    program.args(["-c", decompress, &file, &sql]).run(format.reads);
    cluster.script("copy", &File::open(sql).expect("the dump was decompressed"));
}
