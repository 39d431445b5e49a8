//! Files with wrong bytes, under the sanitizers: the CPU's rows or the CPU's error, and no access
//! outside of a buffer.

use arrow::array::RecordBatch;
use parquet::basic::Compression;
use parquet::file::properties::WriterVersion;
use pelton_device_cuda::sanitizer;
use pelton_random::Random;
use pelton_tests::file::{codecs, parquet, small_pages};

use super::host::{Host, Sql};
use super::place::{Place, place};
use super::random::{Generated, same};
use super::sanitized::sanitized;
use crate::support::{Scratch, engine, sql};
use crate::tpch::tables;

/// Rows of a file, of pages of 100 and row groups of 500.
const ROWS: usize = 1_000;

/// Damaged files for each codec and version of pages.
const VARIANTS: usize = 25;

fn lineitem(scratch: &Scratch) -> Vec<RecordBatch> {
    let all = tables("none", scratch);
    let (_, path) = all.iter().find(|(name, _)| *name == "lineitem").expect("a table of TPC-H");
    sql(&engine(), &format!("SELECT * FROM '{path}' ORDER BY l_orderkey, l_linenumber LIMIT {ROWS}"))
        .expect("a good file")
}

/// Changes one to four bytes between the magic number and the footer.
fn damage(file: &[u8], random: &mut Random) -> Vec<u8> {
    let footer = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().expect("four bytes"));
    let end = file.len() - 8 - footer as usize;
    let mut damaged = file.to_vec();
    for _ in 0..1 + random.below(4) {
        damaged[4 + random.below(end - 4)] ^= 1 << random.below(8);
    }
    damaged
}

#[test]
fn damaged_files_under_the_sanitizers() {
    if !sanitizer::enter("gpu::damage::damaged_files_under_the_sanitizers") {
        return;
    }
    let scratch = Scratch::new();
    let batches = lineitem(&scratch);
    let path = scratch.write("damaged.parquet", b"");
    let (gpu, cpu) = (Host::new(Some(sanitized())), Host::new(None));
    let query = Generated {
        sql: format!("SELECT * FROM '{path}'"),
        ordered: false,
        rough: vec![false; batches[0].num_columns()],
    };
    let (mut by_gpu, mut errors) = (0, 0);
    for (name, codec) in codecs() {
        if !matches!(codec, Compression::LZ4 | Compression::BROTLI(_)) {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let properties = small_pages(codec, 100, 500).set_writer_version(version);
                let file = parquet(&batches, properties.build());
                let mut random = Random::new(file.len() as u64);
                scratch.write("damaged.parquet", &file);
                assert_eq!(place(&gpu, &query.sql).expect("a good file").0, Place::Whole, "{name}");
                for variant in 0..VARIANTS {
                    scratch.write("damaged.parquet", &damage(&file, &mut random));
                    let context = format!("{name}, {version:?}, variant {variant}");
                    let (found, expected) = (gpu.answer(&query.sql), cpu.answer(&query.sql));
                    match (found, expected) {
                        (Ok(found), Ok(expected)) => {
                            by_gpu += usize::from(found.notes.is_empty());
                            same(&found.batches, &expected.batches, &query)
                                .unwrap_or_else(|e| panic!("{context}: {e}"));
                        }
                        (Err(found), Err(expected)) => {
                            errors += 1;
                            assert_eq!(found, expected, "{context}");
                        }
                        (Ok(found), Err(expected)) => {
                            panic!("{context}: only the CPU fails: {expected}; {:?}", found.notes)
                        }
                        (Err(found), Ok(_)) => panic!("{context}: only the GPU fails: {found}"),
                    }
                }
            }
        }
    }
    println!("{by_gpu} answered by the GPU, {errors} errors");
    assert!(by_gpu > 0 && errors > 0, "{by_gpu} answered by the GPU, {errors} errors");
}
