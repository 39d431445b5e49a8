//! The conformance suite, tested with devices that have one defect each: some check must fail each
//! of them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use pelton_codec::{BlockEncoder, Decoder, Encoder, Error, Format, Level, checksum};
use pelton_job::conformance::checks;
use pelton_job::{
    BorrowedJob, BorrowedOutput, Cost, Device, Failure, Hints, JobView, Operation, OwnedOutput, Running,
    Task, Unsupported,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    NoName,
    NoWorkers,
    SupportsNothing,
    EmptyReason,
    ForgetsWhatItSupports,
    FreeOfCharge,
    FlipsABit,
    FlipsABitOfLargeOutputs,
    WritesOtherDataWhenCompressing,
    ForgetsTheWindow,
    EndsItsParts,
    LeavesPartsOpen,
    PartsIgnoreCapacity,
    MiscountsChecksums,
    ConsumesAllOfItsInput,
    CallsShortOutputExact,
    CountsThePrefix,
    AcceptsDamage,
    AcceptsTruncation,
    CallsGoodDataBad,
    CallsBadDataItsOwnFault,
    SpoilsBorrowed,
    BorrowedIgnoresCapacity,
    KeepsInputs,
    MixesUpJobs,
    FailsAfterAnyBadJob,
    SpoilsTheNeighbourOfABadJob,
    SaysOtherThingsOfBadData,
}

struct Mutant {
    wrong: Wrong,
    asked: AtomicUsize,
    kept: Mutex<Vec<Bytes>>,
    failed: AtomicUsize,
}

impl Mutant {
    fn is(&self, wrong: Wrong) -> bool {
        self.wrong == wrong
    }

    fn compute(
        &self,
        operation: Operation,
        hints: Hints,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<BorrowedOutput, Failure> {
        let result = match operation {
            Operation::Compress { format, level } if self.is(Wrong::WritesOtherDataWhenCompressing) => {
                Encoder::new().compress(format, level, &vec![7; input.len()], output)
            }
            Operation::Compress { format, level } if self.is(Wrong::ForgetsTheWindow) => {
                Encoder::new().compress(format, level, input, output)
            }
            Operation::Compress { format, level } => {
                let window = hints.compression_window().map_err(Failure::Unsupported)?;
                Encoder::new().compress_within(format, level, window, input, output)
            }
            Operation::CompressPart { level } => return self.part(level, hints, input, output),
            Operation::Decompress { format } => Decoder::new().decompress(format, input, output),
            Operation::Checksum { kind } => {
                let wrong = u64::from(self.is(Wrong::MiscountsChecksums));
                let checksum = Some(checksum(kind, input) ^ wrong);
                return Ok(BorrowedOutput { produced: 0, consumed: input.len(), checksum });
            }
            _ => return Err(Failure::Unsupported(Unsupported::new("unknown operation"))),
        };
        let truncated = matches!(result, Err(Error::Truncated { .. }));
        match result {
            Ok(progress) => {
                if self.is(Wrong::FailsAfterAnyBadJob) && self.failed.load(Relaxed) > 0 {
                    return Err(Failure::Fault("still upset".into()));
                }
                let consumed =
                    if self.is(Wrong::ConsumesAllOfItsInput) { input.len() } else { progress.consumed };
                Ok(BorrowedOutput { produced: progress.produced, consumed, checksum: None })
            }
            Err(_) if self.is(Wrong::AcceptsDamage) && !truncated => {
                Ok(BorrowedOutput { produced: output.len(), consumed: input.len(), checksum: None })
            }
            Err(_) if self.is(Wrong::AcceptsTruncation) && truncated => {
                Ok(BorrowedOutput { produced: output.len(), consumed: input.len(), checksum: None })
            }
            Err(error) => {
                self.failed.fetch_add(1, Relaxed);
                if self.is(Wrong::CallsBadDataItsOwnFault) {
                    return Err(Failure::Fault(error.to_string().into()));
                }
                if self.is(Wrong::SaysOtherThingsOfBadData) {
                    return Err(Failure::Data(Error::Corrupt { format: Format::Gzip, what: "as it is" }));
                }
                Err(Failure::Data(error))
            }
        }
    }

    fn part(
        &self,
        level: Level,
        hints: Hints,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<BorrowedOutput, Failure> {
        let mut encoder = BlockEncoder::new();
        let window = hints.compression_window().map_err(Failure::Unsupported)?;
        if !self.is(Wrong::ForgetsTheWindow) {
            encoder.set_window(window);
        }
        let capacity = output.len();
        let made = match self.wrong {
            Wrong::WritesOtherDataWhenCompressing => {
                encoder.deflate_part(&vec![7; input.len()], 0, level.value(), output)
            }
            // A whole stream, as `Operation::Compress` writes it.
            Wrong::EndsItsParts => {
                let made =
                    Encoder::new().compress(Format::Deflate, Format::Deflate.default_level(), input, output);
                made.map(|progress| progress.produced)
            }
            _ => encoder.deflate_part(input, 0, level.value(), output),
        };
        let produced = match made {
            Ok(produced) if self.is(Wrong::LeavesPartsOpen) => produced - 5,
            Err(_) if self.is(Wrong::PartsIgnoreCapacity) => capacity,
            made => made.map_err(Failure::Data)?,
        };
        Ok(BorrowedOutput { produced, consumed: input.len(), checksum: None })
    }

    fn owned(&self, running: &Running) -> Result<OwnedOutput, Failure> {
        let job = running.job();
        if self.is(Wrong::KeepsInputs) {
            self.kept.lock().unwrap().push(job.input.clone());
        }
        if self.is(Wrong::CallsGoodDataBad) && self.asked.fetch_add(1, Relaxed) % 50 == 49 {
            return Err(Failure::Data(Error::Corrupt { format: Format::Gzip, what: "says the mutant" }));
        }
        let mut buffer = running.output_buffer();
        let done = self.compute(job.operation, job.hints, &job.input, buffer.as_mut_slice())?;
        let decompressed = matches!(job.operation, Operation::Decompress { .. });
        let flip = match self.wrong {
            Wrong::FlipsABit => decompressed && done.produced > 0,
            Wrong::FlipsABitOfLargeOutputs => decompressed && done.produced > 65_536,
            _ => false,
        };
        if flip {
            buffer.as_mut_slice()[done.produced - 1] ^= 1;
        }
        let produced = match self.wrong {
            Wrong::CallsShortOutputExact => job.output.max_len(),
            _ => done.produced,
        };
        let consumed = match self.wrong {
            Wrong::CountsThePrefix => (done.consumed + job.prefix.len()).min(job.input.len()),
            _ => done.consumed,
        };
        let output = match self.wrong {
            Wrong::CountsThePrefix => buffer.finish(produced.saturating_sub(job.prefix.len())),
            _ => buffer.finish(produced),
        };
        Ok(OwnedOutput { output, consumed, checksum: done.checksum, interleaved: false })
    }
}

impl Device for Mutant {
    fn name(&self) -> &str {
        if self.is(Wrong::NoName) { "" } else { "mutant" }
    }

    fn description(&self) -> String {
        format!("{:?}", self.wrong)
    }

    fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        let is_unsupported = match self.wrong {
            Wrong::SupportsNothing => true,
            Wrong::ForgetsWhatItSupports => self.asked.fetch_add(1, Relaxed) % 5 == 4,
            _ => false,
        };
        if self.is(Wrong::EmptyReason) && matches!(job.operation, Operation::Checksum { .. }) {
            return Err(Unsupported::new(""));
        }
        if is_unsupported { Err(Unsupported::new("not today")) } else { Ok(()) }
    }

    fn prior_cost(&self, _operation: Operation) -> Cost {
        if self.is(Wrong::FreeOfCharge) {
            return Cost { setup: Duration::ZERO, bytes_per_second: f64::INFINITY };
        }
        Cost { setup: Duration::from_micros(1), bytes_per_second: 1e9 }
    }

    fn worker_count(&self) -> usize {
        usize::from(!self.is(Wrong::NoWorkers))
    }

    fn is_authoritative(&self) -> bool {
        self.is(Wrong::SaysOtherThingsOfBadData)
    }

    fn submit(&self, tasks: Vec<Task>) {
        let running: Vec<Running> = tasks.into_iter().filter_map(Task::start).collect();
        let mut results: Vec<_> = running.iter().map(|running| self.owned(running)).collect();
        if self.is(Wrong::MixesUpJobs) && results.len() > 1 {
            let same_size = |a: &Running, b: &Running| a.job().output == b.job().output;
            if same_size(&running[0], &running[1]) {
                results.swap(0, 1);
            }
        }
        for at in 1..results.len() {
            if self.is(Wrong::SpoilsTheNeighbourOfABadJob) && results[at - 1].is_err() {
                results[at] = Err(Failure::Fault("not without my neighbour".into()));
            }
        }
        for (running, result) in running.into_iter().zip(results) {
            running.finish(result);
        }
    }

    fn run_borrowed(&self, job: &mut BorrowedJob<'_>) -> Result<BorrowedOutput, Failure> {
        let capacity = job.output.len();
        let result = self.compute(job.operation, job.hints, job.input, job.output);
        match self.wrong {
            Wrong::SpoilsBorrowed => job.output.iter_mut().take(1).for_each(|byte| *byte ^= 1),
            Wrong::BorrowedIgnoresCapacity => {
                return Ok(BorrowedOutput { produced: capacity, consumed: job.input.len(), checksum: None });
            }
            _ => {}
        }
        result
    }
}

fn mutant(wrong: Wrong) -> Arc<dyn Device> {
    Arc::new(Mutant { wrong, asked: 0.into(), kept: Mutex::default(), failed: 0.into() })
}

#[test]
fn a_right_device_passes() {
    for check in checks() {
        assert_eq!((check.run)(&mutant(Wrong::Nothing)), Ok(()), "{}", check.name);
    }
}

#[test]
fn a_wrong_device_fails_the_check_for_it() {
    let cases = [
        (Wrong::NoName, "it has a name"),
        (Wrong::NoWorkers, "at least one worker"),
        (Wrong::SupportsNothing, "it supports some job"),
        (Wrong::EmptyReason, "gives a reason"),
        (Wrong::ForgetsWhatItSupports, "always the same"),
        (Wrong::FreeOfCharge, "priors"),
        (Wrong::FlipsABit, "every format, size and shape"),
        (Wrong::FlipsABitOfLargeOutputs, "every format, size and shape"),
        (Wrong::WritesOtherDataWhenCompressing, "what it compresses"),
        (Wrong::ForgetsTheWindow, "no farther back"),
        (Wrong::ForgetsTheWindow, "a part for a window"),
        (Wrong::EndsItsParts, "join to a stream"),
        (Wrong::LeavesPartsOpen, "join to a stream"),
        (Wrong::WritesOtherDataWhenCompressing, "join to a stream"),
        (Wrong::PartsIgnoreCapacity, "a part that does not fit"),
        (Wrong::MiscountsChecksums, "checksums are right"),
        (Wrong::ConsumesAllOfItsInput, "how much of its input"),
        (Wrong::CallsShortOutputExact, "an exact output size"),
        (Wrong::CallsShortOutputExact, "a bound and not a demand"),
        (Wrong::CountsThePrefix, "the prefix"),
        (Wrong::AcceptsDamage, "damaged input"),
        (Wrong::AcceptsTruncation, "truncated input"),
        (Wrong::AcceptsDamage, "grows beyond its declared size"),
        (Wrong::CallsGoodDataBad, "every format, size and shape"),
        (Wrong::CallsBadDataItsOwnFault, "damaged input"),
        (Wrong::SpoilsBorrowed, "same results as owned"),
        (Wrong::BorrowedIgnoresCapacity, "a borrowed output that is too small"),
        (Wrong::SpoilsBorrowed, "many threads can run borrowed"),
        (Wrong::KeepsInputs, "frees what has not started"),
        (Wrong::KeepsInputs, "cancelled jobs"),
        (Wrong::FailsAfterAnyBadJob, "one bad job fails alone"),
        (Wrong::SpoilsTheNeighbourOfABadJob, "each job has its own result"),
        (Wrong::SaysOtherThingsOfBadData, "each job has its own result"),
        (Wrong::FlipsABit, "cancelled at any point"),
        (Wrong::FlipsABit, "many threads can submit"),
        (Wrong::FlipsABit, "in the order of the jobs"),
        (Wrong::FlipsABit, "whatever goes wrong"),
        (Wrong::MixesUpJobs, "checksums are right"),
    ];
    for (wrong, name) in cases {
        let check = checks().into_iter().find(|check| check.name.contains(name));
        let check = check.unwrap_or_else(|| panic!("no check is named {name}"));
        assert!((check.run)(&mutant(wrong)).is_err(), "{wrong:?} passes: {}", check.name);
    }
}
