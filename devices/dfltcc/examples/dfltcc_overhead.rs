//! The driver's own time for a job: everything but the instruction, which is replaced by one that
//! ends at once.
//!
//! ```text
//! cargo run --release -p pelton-device-dfltcc --example dfltcc_overhead
//! ```

use std::sync::Arc;
use std::time::Instant;

use pelton_codec::{Format, Level};
use pelton_device_dfltcc::hw::{AvailableFunctions, ParameterBlock};
use pelton_device_dfltcc::{Answer, Call, Condition, DfltccDevice, Function, Operands, Options};
use pelton_job::{BorrowedJob, Device};

/// Jobs of a measurement.
const JOBS: u32 = 1_000_000;
/// Length of a page's two sides in bytes.
const LEN: usize = 4096;

/// A processor that uses all of its source, fills the target of an expansion, and writes one byte
/// of a compression.
struct Immediate;

impl Call for Immediate {
    fn available(&self) -> AvailableFunctions {
        AvailableFunctions::with(&[Function::GenerateTable, Function::Compress, Function::Expand])
    }

    fn call(&self, function: Function, block: &mut ParameterBlock, operands: Operands<'_>) -> Answer {
        let (written, read) = match function {
            Function::Expand => (operands.target.len(), operands.source.len()),
            Function::Compress => (1, operands.source.len()),
            Function::GenerateTable | Function::QueryAvailable => (0, 0),
        };
        block.set_new_task(false);
        block.set_end_of_block_len(7);
        Answer { condition: Condition::Done, written, read }
    }
}

fn main() {
    let device = DfltccDevice::new(Arc::new(Immediate), Options::default()).expect("all functions");
    let (input, mut output) = ([0; LEN], [0; LEN]);
    let format = Format::Deflate;
    let level = Level::new(format, 6).expect("a level");
    let mut measure = |name: &str, compresses: bool| {
        let start = Instant::now();
        for _ in 0..JOBS {
            let mut job = match compresses {
                true => BorrowedJob::compress(format, level, &input, &mut output),
                false => BorrowedJob::decompress(format, &input, &mut output).exact(),
            };
            device.run_borrowed(&mut job).expect("done");
        }
        println!(
            "{name}: {:.0} ns a job without the instruction",
            start.elapsed().as_nanos() as f64 / f64::from(JOBS)
        );
    };
    measure("expand", false);
    measure("compress", true);
}
