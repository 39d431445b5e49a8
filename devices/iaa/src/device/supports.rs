//! Checks whether the device supports a job.

use pelton_codec::{Checksum, Container, Format, Level};
use pelton_job::{JobView, Operation, Unsupported, membership};

use super::{Common, LEVELS};
use crate::hw::Opcode;
use crate::hw::aecs::decompress::HISTORY_BYTES;
use crate::operations::membership::{MAX_SET_BYTES, WIDTH, is_checked};

impl Common {
    pub(super) fn supports(&self, job: &JobView<'_>) -> Result<(), Unsupported> {
        match job.operation {
            Operation::Decompress { format } => {
                self.check_opcode(Opcode::Decompress)?;
                self.memory.check(job, Container::of(format).ok_or_else(not_deflate)?)
            }
            Operation::TestMembership { format } => {
                self.check_opcode(Opcode::SetMembership)?;
                let container = Container::of(format).ok_or_else(not_deflate)?;
                membership::check_parameters(job)?;
                self.supports_members(format, job)?;
                self.memory.check(job, container)
            }
            Operation::Compress { format, level } => self.supports_compression(format, level, job),
            Operation::CompressPart { level } => self.supports_compression(Format::Deflate, level, job),
            Operation::Checksum { kind: Checksum::Crc64 } => {
                self.check_opcode(Opcode::Crc64)?;
                let len = job.input.len();
                match len {
                    0 => Err(nothing()),
                    _ if len > self.limits.transfer => Err(over_transfer(len)),
                    _ => Ok(()),
                }
            }
            Operation::Checksum { .. } => {
                Err(Unsupported::new("the device has CRC-64 and no other checksum of its own"))
            }
            _ => Err(Unsupported::new("unknown operation")),
        }
    }

    fn check_opcode(&self, opcode: Opcode) -> Result<(), Unsupported> {
        match self.allowed.contains(&opcode) {
            true => Ok(()),
            false => Err(Unsupported::new("the work queues do not allow the operation")),
        }
    }

    fn supports_compression(
        &self,
        format: Format,
        level: Level,
        job: &JobView<'_>,
    ) -> Result<(), Unsupported> {
        self.check_opcode(Opcode::Compress)?;
        Container::of(format).ok_or_else(not_deflate)?;
        if !LEVELS.contains(&level.value()) {
            return Err(Unsupported::new("the device has no such level"));
        }
        if job.hints.window.is_some_and(|max| (max as usize) < HISTORY_BYTES) {
            return Err(Unsupported::new("the job limits the window to less than the 4 KB of the device"));
        }
        if job.input.is_empty() { Err(nothing()) } else { Ok(()) }
    }

    fn supports_members(&self, format: Format, job: &JobView<'_>) -> Result<(), Unsupported> {
        if !is_checked(format) {
            return Err(Unsupported::new("the container has no checksum to verify a filtered stream with"));
        }
        let (count, set) = job.membership.map_or((0, 0), |codes| (codes.count, codes.set.len()));
        match () {
            () if count == 0 => Err(nothing()),
            () if set > MAX_SET_BYTES => {
                Err(Unsupported::new(WIDTH).with_detail(format!("{} values", set * 8)))
            }
            () if job.input.len() > self.limits.transfer || count / 8 >= self.limits.transfer => {
                Err(over_transfer(job.input.len()))
            }
            () => Ok(()),
        }
    }
}

fn over_transfer(len: usize) -> Unsupported {
    Unsupported::new("the input is over the largest transfer").with_detail(format!("{len} bytes"))
}

fn not_deflate() -> Unsupported {
    Unsupported::new("the device knows no format but DEFLATE")
}

fn nothing() -> Unsupported {
    Unsupported::new("the input is empty")
}
