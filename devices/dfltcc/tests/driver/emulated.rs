//! The driver's own assembly on s390x: an emulator of the processor carries out the instruction by
//! calling the model.

use std::slice;
use std::sync::Arc;

use pelton_codec::{Format, Level};
use pelton_device_dfltcc::hw::{AvailableFunctions, ParameterBlock};
use pelton_device_dfltcc::sys::Processor;
use pelton_device_dfltcc::{Call, Condition, DfltccDevice, Function, History, Operands};
use pelton_device_model::dfltcc::{Config, Model};
use pelton_emulation::dfltcc::{CMPR, Dfltcc, GDHT, QAF};
use pelton_emulation::emulate_dfltcc;
use pelton_job::conformance::corpus::{compress, page};
use pelton_job::{Job, OutputSize};

use crate::support::{NAME, assert_no_mistake, options, router};

const LEN: usize = 300_000;

/// Carries out an instruction with the model. Returns the condition code.
fn execute(model: &Model, operands: &mut Dfltcc) -> u8 {
    let function = match operands.function {
        QAF => {
            let block = model.available();
            // SAFETY: the driver gives a block of available functions.
            unsafe { operands.parameter_block.cast::<AvailableFunctions>().write(block) };
            return 0;
        }
        GDHT => Function::GenerateTable,
        CMPR => Function::Compress,
        _ => Function::Expand,
    };
    assert!(operands.has_circular_history);
    // SAFETY: the driver gives memory of these lengths, exclusively but for the source.
    let (block, given) = unsafe {
        let target = match operands.target_len {
            0 => &mut [][..],
            len => slice::from_raw_parts_mut(operands.target, len),
        };
        let source = match operands.source_len {
            0 => &[][..],
            len => slice::from_raw_parts(operands.source, len),
        };
        let history = &mut *operands.history.cast::<History>();
        (&mut *operands.parameter_block.cast::<ParameterBlock>(), Operands { target, source, history })
    };
    let answer = model.call(function, block, given);
    operands.target = operands.target.wrapping_add(answer.written);
    operands.target_len -= answer.written;
    operands.source = operands.source.wrapping_add(answer.read);
    operands.source_len -= answer.read;
    match answer.condition {
        Condition::Done => 0,
        Condition::TargetFull => 1,
        Condition::Ended => 2,
        Condition::Again => 3,
    }
}

#[test]
fn the_instruction_compresses_and_expands() {
    if Processor::find().is_some() {
        println!("skipped: this processor has the instruction, so there is nothing to emulate");
        return;
    }
    let model = Model::new(Config { again_every: Some(2), seed: 1, ..Config::default() });
    let shared = model.clone();
    let emulated = emulate_dfltcc(move |operands| execute(&shared, operands));
    let device = DfltccDevice::new(Arc::new(Processor::assumed()), options()).expect("all functions");
    assert_eq!(emulated.count(), 1, "the query of the functions");

    let router = router(&device);
    let uncompressed = page(LEN);
    for format in [Format::Deflate, Format::Zlib, Format::Gzip] {
        let level = Level::new(format, 6).expect("a level");
        let done = router.submit(Job::compress(format, level, uncompressed.clone())).wait().remove(0);
        let ours = Job::decompress(format, done.expect("done").output, OutputSize::Exact(LEN));
        let software = compress(format, format.default_level(), &uncompressed);
        let software = Job::decompress(format, software, OutputSize::Exact(LEN));
        for result in router.submit(vec![ours, software]).wait() {
            assert!(result.expect("done").output == uncompressed, "{format}");
        }
    }
    // A damaged stream has condition code 2.
    let mut damaged = compress(Format::Gzip, Format::Gzip.default_level(), &uncompressed).to_vec();
    damaged[20] ^= 0xff;
    let job = Job::decompress(Format::Gzip, damaged, OutputSize::Exact(LEN));
    assert!(router.submit(job).wait().remove(0).is_err());

    let counts = router.counters().total(NAME);
    assert_eq!((counts.done, counts.fell_back.get("bad data").copied()), (9, Some(1)), "{counts:?}");
    let counters = device.counters();
    let calls = counters.tables + counters.compressions + counters.expansions;
    assert_eq!(emulated.count(), 1 + calls, "{counters:?}");
    assert!(counters.repeated > 0 && counters.ended > 0, "{counters:?}");
    assert_no_mistake(&model);
}
