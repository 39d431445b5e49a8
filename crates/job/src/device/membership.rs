//! Which of a block's dictionary codes are in a set, once the block is decompressed: the second half of
//! [`Operation::TestMembership`](crate::Operation::TestMembership) for devices that do it in two steps.

use pelton_codec::{Error, Format};
use pelton_filter::{Bitmap, Hybrid, Kernels, Source};

use crate::device::{Failure, Unsupported};
use crate::job::{JobView, MembershipTest, Operation};

/// The reason to refuse a job that does not say what it is to look for, as borrowed jobs can't.
pub const NO_TEST: &str = "it does not say which codes to look for";

/// Whether a job has everything that its operation needs.
pub fn check_parameters(job: &JobView<'_>) -> Result<(), Unsupported> {
    match (job.operation, job.membership) {
        (Operation::TestMembership { .. }, None) => Err(Unsupported::new(NO_TEST)),
        _ => Ok(()),
    }
}

/// The set as a bitmap.
pub fn set(codes: &MembershipTest) -> Bitmap {
    Bitmap::from_bytes(&codes.set, codes.set.len().saturating_mul(8))
}

/// Writes a bit for each value of `plain` into `output`, and returns how many bytes that are.
///
/// # Errors
/// `plain` does not have the declared size, has no width that a code may have, or fewer values than were declared.
pub fn test(
    kernels: Kernels,
    format: Format,
    plain: &[u8],
    codes: &MembershipTest,
    output: &mut [u8],
) -> Result<usize, Failure> {
    let corrupt = |what| Failure::Data(Error::Corrupt { format, what });
    if plain.len() < codes.uncompressed_len {
        return Err(Failure::WrongSize { expected: codes.uncompressed_len, produced: plain.len() });
    }
    let Some((&width, values)) = plain.split_first() else {
        return if codes.count == 0 { Ok(0) } else { Err(corrupt("there are no codes in the block")) };
    };
    // Of Parquet's widths only those up to 32 can be a code's.
    if width > 32 {
        return Err(corrupt("codes of more than 32 bits"));
    }
    let mut found = Bitmap::new();
    let source = Source::Hybrid(Hybrid::new(values, u32::from(width), codes.count));
    let result = kernels.members(&source, &set(codes), &mut found);
    result.map_err(|_| corrupt("the codes in the block are damaged"))?;
    let bytes = codes.count.div_ceil(8);
    let room = output.len();
    let output = output.get_mut(..bytes).ok_or(Failure::Data(Error::OutputTooSmall { format, room }))?;
    output.iter_mut().zip(found.bytes()).for_each(|(to, from)| *to = from);
    Ok(bytes)
}
