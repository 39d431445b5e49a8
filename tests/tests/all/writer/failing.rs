//! Disks that are full, devices that fail, rows that end in an error: an error that says which, and
//! no file.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::RecordBatch;
use pelton::{CancelHandle, Error, Packing};
use pelton_device_cpu::CpuDevice;
use pelton_job::Router;
use pelton_job::conformance::{Fault, Faulty};
use pelton_pages::TableWriter;
use pelton_tests::columns::{Shape, flat};
use pelton_tests::compare::assert_same;

use super::{PACKINGS, options, rows, write};
use crate::support::{Scratch, check_message, engine, read};

fn table(rows: usize) -> RecordBatch {
    let all = flat(Shape { rows, nulls: 0.1, distinct: 100, seed: 15 });
    all.project(&[0, 1, 2, 3, 4, 5]).expect("columns that there are")
}

/// Accepts a limited number of bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no room"));
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A writer that a signal interrupts in every other call, and which takes little at a time.
#[derive(Default)]
struct Interrupted {
    bytes: Vec<u8>,
    calls: usize,
}

impl Write for Interrupted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls % 2 == 1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let taken = &bytes[..bytes.len().min(100)];
        self.bytes.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn signals_interrupt_no_writer() {
    let (engine, batch, scratch) = (engine(), table(600), Scratch::new());
    let options = || options(PACKINGS[2], 200, 2);
    let whole = write(&engine, &batch.schema(), std::slice::from_ref(&batch), options());
    let writer = engine.table_writer(Interrupted::default(), "table", &batch.schema(), options());
    let mut writer = writer.expect("types that Parquet has");
    writer.write(&batch).expect("good rows");
    assert!(writer.finish().expect("written").0.bytes == whole);

    std::fs::write(scratch.path("table.parquet"), &whole).expect("written");
    let repacked = |to: &mut dyn Write| {
        let cancel = CancelHandle::default();
        engine
            .repack(&scratch.name("table.parquet"), Packing::Snappy, to, &cancel, &mut |_| ())
            .expect("written")
    };
    let (mut at_once, mut in_parts) = (Vec::new(), Interrupted::default());
    assert_eq!(repacked(&mut at_once), repacked(&mut in_parts));
    assert!(in_parts.bytes == at_once);
}

#[test]
fn a_disk_that_is_full_is_an_error_wherever_it_happens() {
    let engine = engine();
    let batch = table(600);
    let size =
        write(&engine, &batch.schema(), std::slice::from_ref(&batch), options(PACKINGS[2], 200, 2)).len();
    for room in (0..size).step_by(size / 40) {
        let attempt = || {
            let name = Arc::from("table");
            let options = options(PACKINGS[2], 200, 2);
            let mut writer = TableWriter::new(Full(room), &name, &batch.schema(), options, &engine.router())?;
            for at in (0..600).step_by(100) {
                writer.write(&batch.slice(at, 100))?;
            }
            writer.finish().map(drop)
        };
        let message = attempt().expect_err("there is no room").to_string();
        assert_eq!(message, "table: cannot write: no room", "{room} of {size} bytes");
    }
}

fn through(device: Arc<Faulty>, batch: &RecordBatch) -> Result<Vec<u8>, String> {
    let router = Router::builder().device(device).build();
    let attempt = || {
        let options = options(PACKINGS[2], 200, 2);
        let mut writer =
            TableWriter::new(Vec::new(), &Arc::from("table"), &batch.schema(), options, &router)?;
        writer.write(batch)?;
        writer.finish().map(|(file, _)| file)
    };
    attempt().map_err(|e: pelton_pages::Error| e.to_string())
}

#[test]
fn a_device_that_fails_is_named_with_the_page() {
    let batch = table(600);
    for fault in [Fault::Fails, Fault::Loses, Fault::Panics, Fault::ReturnsMore] {
        let device = Faulty::new(CpuDevice::builder().threads(1).build(), fault, 5);
        let message = through(device, &batch).expect_err("nobody else does the job");
        if matches!(fault, Fault::Panics) {
            assert!(message.contains("please report it"), "{message}");
        } else {
            check_message(&message);
        }
        assert!(message.starts_with("table: row group ") && message.contains(", page "), "{message}");
    }
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let (engine, scratch) = (engine(), Scratch::new());
    let batch = table(600);
    let path = scratch.path("table.parquet");
    let written = |batches: Vec<Result<RecordBatch, Error>>| {
        engine.write_parquet(&path, &batch.schema(), batches.into_iter(), options(Packing::Snappy, 200, 2))
    };
    let stopped = || Err(Error::Cancelled);
    assert!(matches!(written(vec![Ok(batch.clone()), stopped()]), Err(Error::Cancelled)));
    assert!(!path.exists() && files(&scratch) == 0);

    let done = written(vec![Ok(batch.clone())]).expect("a good file");
    assert_eq!((done.rows, done.row_groups), (600, 3));
    assert_eq!(done.bytes, std::fs::metadata(&path).expect("it is there").len());
    let name = scratch.name("table.parquet");
    assert_same(&read(&engine, &name).expect("a good file"), std::slice::from_ref(&batch), "written");

    // the old file stays when the next one fails
    assert!(written(vec![Ok(batch.slice(0, 1)), stopped()]).is_err());
    assert_same(&rows(&std::fs::read(&path).expect("it is there")), std::slice::from_ref(&batch), "kept");
    assert_eq!(files(&scratch), 1);

    let nowhere = scratch.path("no folder/table.parquet");
    let message = engine
        .write_parquet(&nowhere, &batch.schema(), std::iter::empty(), options(Packing::Snappy, 200, 2))
        .expect_err("there is no such folder")
        .to_string();
    check_message(&message);
    assert!(message.contains("no folder"), "{message}");
}

fn files(scratch: &Scratch) -> usize {
    std::fs::read_dir(scratch.path("")).expect("a folder").count()
}

#[test]
fn a_writer_that_is_dropped_leaves_nothing_running() {
    let engine = engine();
    let batch = table(600);
    for rows in [0, 1, 199, 200, 600] {
        let writer = engine.table_writer(Vec::new(), "table", &batch.schema(), options(PACKINGS[2], 200, 3));
        let mut writer = writer.expect("types that Parquet has");
        writer.write(&batch.slice(0, rows)).expect("good rows");
        drop(writer);
    }
    let file = write(&engine, &batch.schema(), std::slice::from_ref(&batch), options(PACKINGS[2], 200, 3));
    assert_same(&rows(&file), &[batch], "afterwards");
}
