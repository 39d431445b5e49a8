//! RocksDB: databases with blocks compressed by zlib, written, changed and read by `db_bench` and
//! `ldb`.

use crate::folder::Folder;
use crate::program::Program;
use crate::{BOTH, Zlib, installed};

/// Returns `db_bench` on the database with that name.
fn program(zlib: Zlib, folder: &Folder, database: &str, block: u32, options: &[&str]) -> Program {
    let program = Program::new(zlib, folder, "db_bench").arg(format!("--db={}", folder.name(database)));
    let program = program.arg(format!("--block_size={block}"));
    let program =
        program.args(["--compression_type=zlib", "--compression_level=6", "--seed=7", "--num=20000"]);
    let program = program.args(["--value_size=400", "--write_buffer_size=1048576", "--verify_checksum=true"]);
    program.args(options)
}

/// Runs `db_bench`. Returns its output.
fn bench(zlib: Zlib, folder: &Folder, database: &str, block: u32, options: &[&str]) -> String {
    let output = program(zlib, folder, database, block, options).run("inflate");
    String::from_utf8(output.stdout).expect("db_bench writes text")
}

/// Returns all keys with their values.
fn scan(zlib: Zlib, folder: &Folder, database: &str) -> Vec<u8> {
    let program = Program::new(zlib, folder, "ldb").arg(format!("--db={}", folder.name(database)));
    program.args(["--hex", "scan"]).run("inflate").stdout
}

#[test]
fn databases_are_read_and_changed() {
    if !installed("rocksdb", &[("/usr/bin/db_bench", "rocksdb-tools"), ("/usr/bin/ldb", "rocksdb-tools")]) {
        return;
    }
    for block in [4096, 16384] {
        let folder = Folder::new("rocksdb");
        let mut contents = Vec::new();
        for writer in BOTH {
            let name = format!("{writer:?}");
            bench(writer, &folder, &name, block, &["--benchmarks=fillrandom,flush,compact"]);
            for reader in BOTH {
                contents.push(scan(reader, &folder, &name));
            }
        }
        assert!(contents[0].len() > 4_000_000, "{} bytes of keys and values", contents[0].len());
        assert!(contents.iter().all(|content| *content == contents[0]), "blocks of {block}: contents differ");
        for writer in BOTH {
            change(writer, &folder, block);
        }
    }
}

/// Returns the blocks that an accelerator, or the model of one, compressed and decompressed.
#[test]
fn a_device_has_a_part_in_databases() {
    if !installed("rocksdb", &[("/usr/bin/db_bench", "rocksdb-tools"), ("/usr/bin/ldb", "rocksdb-tools")]) {
        return;
    }
    let folder = Folder::new("rocksdb-device");
    let mixed = [
        "--benchmarks=fillrandom,flush,compact,readrandomwriterandom,verifychecksum",
        "--readwritepercent=80",
    ];
    let ours = program(Zlib::Ours, &folder, "device", 16384, &mixed);
    let (_, evidence) = ours.env("PELTON_ZLIB_DEVICES", "iaa-model:windows=try").finish();
    let said = evidence.statistics();
    for operation in ["deflate", "inflate"] {
        let row = format!("{operation} one-shot  device whole");
        assert!(said.contains(&row), "no {row}: {said}");
    }
    let contents = BOTH.map(|reader| scan(reader, &folder, "device"));
    assert!(contents[0].len() > 4_000_000, "{} bytes of keys and values", contents[0].len());
    assert!(contents[0] == contents[1], "contents differ");
}

/// Makes four reads for each write on the database of `writer`, first on the other zlib and then on
/// the same, and checks all blocks.
fn change(writer: Zlib, folder: &Folder, block: u32) {
    let other = if writer == Zlib::Ours { Zlib::System } else { Zlib::Ours };
    let name = format!("{writer:?}");
    for zlib in [other, writer] {
        let mixed = [
            "--use_existing_db=1",
            "--benchmarks=readrandomwriterandom,flush",
            "--readwritepercent=80",
            "--threads=2",
        ];
        let said = bench(zlib, folder, &name, block, &mixed);
        assert!(said.contains("readrandomwriterandom"), "{said}");
        let checked = ["--use_existing_db=1", "--benchmarks=verifychecksum,readseq"];
        let said = bench(zlib, folder, &name, block, &checked);
        assert!(said.contains("verifychecksum") && said.contains("readseq"), "{said}");
    }
    assert!(scan(Zlib::Ours, folder, &name) == scan(Zlib::System, folder, &name), "{name}: contents differ");
}
