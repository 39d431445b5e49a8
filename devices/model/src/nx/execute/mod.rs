//! Execution of a request: checks, its function, and the blocks that it writes.

mod compress;
mod decompress;
mod validate;

use pelton_codec::{Checksum, checksum_append};
use pelton_device_nx::hw::{Checksums, Completion, Cpb, Function, Status};
use pelton_nxu::Matcher;

use super::clock::Work;
use super::config::Config;
use super::fault::Fault;
use super::memory::Submitted;
use validate::Valid;

/// The answer to a request.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) work: Work,
}

/// Result of a function.
struct Done {
    code: Completion,
    /// Whether the request was suspended.
    is_partial: bool,
    output: Vec<u8>,
    /// Processed source bytes, with the history.
    source_bytes: usize,
    /// Bytes of the uncompressed side, with the history.
    uncompressed: usize,
}

/// Minimum number of bytes after the history that a byte limit allows: a limit below the history
/// would never let a stream go on.
const MIN_PROGRESS: usize = 4096;

/// Point at which a request is suspended.
struct Limit {
    /// Bytes, with the history.
    bytes: usize,
    /// Bytes after the history, by an injected fault.
    injected: Option<usize>,
}

impl Limit {
    /// Returns the maximum number of bytes after a history.
    fn after(&self, history: usize) -> usize {
        let regular = self.bytes.saturating_sub(history).max(MIN_PROGRESS);
        self.injected.map_or(regular, |injected| injected.clamp(1, regular))
    }
}

/// An engine's state between requests.
pub(crate) struct Engine {
    matcher: Matcher,
}

impl Engine {
    pub(crate) fn new(config: &Config, number: usize) -> Engine {
        let seed = config.seed.wrapping_add(number as u64);
        Engine { matcher: Matcher::new(config.engine, seed) }
    }

    /// Runs a request: reads its source and parameters, and writes its target and parameters. The
    /// caller writes the status.
    pub(crate) fn run(&mut self, request: &Submitted, fault: Option<Fault>, config: &Config) -> Outcome {
        let function = request.request().function();
        match self.attempt(request, fault, config) {
            Ok((status, done)) => {
                let work = Work {
                    function,
                    source_bytes: done.source_bytes,
                    target_bytes: done.output.len(),
                    uncompressed: done.uncompressed,
                };
                Outcome { status, work }
            }
            Err(status) => Outcome { status, work: Work { function, ..Work::default() } },
        }
    }

    fn attempt(
        &mut self,
        request: &Submitted,
        fault: Option<Fault>,
        config: &Config,
    ) -> Result<(Status, Done), Status> {
        if !request.has_blocks() {
            return Err(terminated(Completion::CrbUnreadable, request.request().csb()));
        }
        let valid = validate::check(request)?;
        let unmapped = |address: u64| terminated(Completion::ReadTranslation, address);
        match fault {
            Some(Fault::SourceFault) => {
                return Err(fault_at(valid.source.first().map(|part| part.address())));
            }
            Some(Fault::TargetFault) => {
                return Err(fault_at(valid.target.first().map(|part| part.address())));
            }
            Some(Fault::ForeignFault) => return Err(fault_at(Some(u64::from(u32::MAX)))),
            Some(Fault::Code(code)) => return Err(terminated(code, 0)),
            Some(Fault::Answer(status, source_bytes)) => {
                let mut cpb = request.read_parameters().unwrap_or_default();
                cpb.set_source_bytes(valid.function, source_bytes);
                request.write_parameters(&cpb, Cpb::output_range(valid.function));
                return Err(status);
            }
            _ => {}
        }
        let csb = request.request().csb();
        let mut cpb = request.read_parameters().ok_or_else(|| unmapped(csb))?;
        let is_low = request.request().has_low_limit();
        let bytes = if is_low { config.low_limit } else { config.high_limit };
        let injected = match fault {
            Some(Fault::Suspend(bytes)) => Some(bytes),
            _ => None,
        };
        let limit = Limit { bytes, injected };
        let total = valid.source.iter().map(|region| region.len).sum::<usize>();
        let mut used = usable(&valid, &cpb, &limit);
        let done = loop {
            let source = request.read(&valid.source, used);
            let source = source.ok_or_else(|| unmapped(first_unmapped(&valid.source)))?;
            let done = match valid.function {
                Function::Wrap => wrap(&source, &valid, &mut cpb),
                Function::Compress { .. } => {
                    compress::run(&mut self.matcher, &mut cpb, &valid, &source, &limit, config.marks_final)
                }
                Function::Decompress { .. } => decompress::run(&mut cpb, &valid, &source, &limit),
            };
            let done = done.map_err(|code| terminated(code, 0))?;
            // A stream may have blocks without output: then it gets more of its source.
            let is_short = matches!(valid.function, Function::Decompress { .. }) && done.source_bytes == used;
            if !is_short || used >= total {
                break done;
            }
            used = used.saturating_mul(2);
        };
        if !request.write(&valid.target, &done.output) {
            return Err(terminated(Completion::WriteTranslation, first_unmapped(&valid.target)));
        }
        cpb.set_source_bytes(valid.function, done.source_bytes as u32);
        request.write_parameters(&cpb, Cpb::output_range(valid.function));
        let partial = if done.is_partial { Status::PARTIAL } else { 0 };
        let status = Status {
            code: done.code as u8,
            extension: Status::HAS_COUNT | partial,
            target_bytes: done.output.len() as u32,
            address: 0,
        };
        Ok((status, done))
    }
}

/// Number of bytes of a source that a request usually has a use for, so that a long source is not
/// copied for each of the requests that it takes.
fn usable(valid: &Valid, cpb: &Cpb, limit: &Limit) -> usize {
    let history = if valid.function.is_resume() { cpb.input().history() } else { 0 };
    match valid.function {
        // One byte more shows that there are more.
        Function::Wrap => valid.target_len.saturating_add(1),
        Function::Compress { .. } => limit.after(history).saturating_add(history + 1),
        // Stored blocks are the longest for their output.
        Function::Decompress { .. } => {
            let output = valid.target_len.min(limit.after(history));
            history + output + output / 8 + decompress::READ_AHEAD + Cpb::TABLE_BYTES
        }
    }
}

fn first_unmapped(regions: &[super::memory::Region]) -> u64 {
    regions.iter().find(|region| !region.is_mapped()).map_or(0, |region| region.address())
}

/// Returns the status of a request that was terminated.
fn terminated(code: Completion, address: u64) -> Status {
    Status { code: code as u8, extension: Status::HAS_COUNT | Status::TERMINATED, target_bytes: 0, address }
}

fn fault_at(address: Option<u64>) -> Status {
    terminated(Completion::AddressFault, address.unwrap_or(0))
}

/// Returns the checksums of bytes with the checksums `sums`, and then `bytes`.
fn append(sums: Checksums, bytes: &[u8]) -> Checksums {
    // Both kinds can be appended to.
    let more = |kind, sum: u32| checksum_append(kind, sum.into(), bytes).unwrap_or_default() as u32;
    Checksums { adler: more(Checksum::Adler32, sums.adler), crc: more(Checksum::Crc32, sums.crc) }
}

/// Copies the source, and computes its checksums.
fn wrap(source: &[u8], valid: &Valid, cpb: &mut Cpb) -> Result<Done, Completion> {
    if source.len() > valid.target_len {
        return Err(valid.target_full());
    }
    let mut output = cpb.output_mut();
    output.clear();
    output.set_checksums(append(Checksums::START, source));
    Ok(Done {
        code: Completion::Done,
        is_partial: false,
        output: source.to_vec(),
        source_bytes: source.len(),
        uncompressed: source.len(),
    })
}
