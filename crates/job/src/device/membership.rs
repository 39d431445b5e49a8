//! Membership test on a decompressed block: the second step of
//! [`Operation::TestMembership`](crate::Operation::TestMembership) for devices that do not fuse it
//! with the first.

use pelton_bitpack::{Bitmap, Hybrid, Kernels, Source};
use pelton_codec::{Error, Format};

use super::{Failure, Unsupported};
use crate::job::{JobView, MembershipTest, Operation};

/// The reason counted for a membership test without a set. Borrowed jobs cannot carry one.
pub const NO_TEST: &str = "it does not say which codes to look for";

/// Checks that a job has the parameters that its operation needs.
pub fn check_parameters(job: &JobView<'_>) -> Result<(), Unsupported> {
    match (job.operation, job.membership) {
        (Operation::TestMembership { .. }, None) => Err(Unsupported::new(NO_TEST)),
        _ => Ok(()),
    }
}

/// Returns the set as a bitmap.
pub fn set(test: &MembershipTest) -> Bitmap {
    Bitmap::from_bytes(&test.set, test.set.len().saturating_mul(8))
}

/// Writes a bit for each value of the block into `output`, and returns the number of bytes written.
///
/// # Errors
/// The block does not have the declared size, has a bit width that no index has, or has fewer
/// values than declared.
pub fn test(
    kernels: Kernels,
    format: Format,
    uncompressed: &[u8],
    test: &MembershipTest,
    output: &mut [u8],
) -> Result<usize, Failure> {
    let corrupt = |what| Failure::Data(Error::Corrupt { format, what });
    if uncompressed.len() < test.uncompressed_len {
        return Err(Failure::WrongSize { expected: test.uncompressed_len, produced: uncompressed.len() });
    }
    let Some((&width, values)) = uncompressed.split_first() else {
        return if test.count == 0 { Ok(0) } else { Err(corrupt("there are no codes in the block")) };
    };
    // Parquet has wider bit-packed values, but an index has at most 32 bits.
    if width > 32 {
        return Err(corrupt("codes of more than 32 bits"));
    }
    let mut found = Bitmap::new();
    let source = Source::Hybrid(Hybrid::new(values, u32::from(width), test.count));
    let result = kernels.members(&source, &set(test), &mut found);
    result.map_err(|_| corrupt("the codes in the block are damaged"))?;
    let bytes = test.count.div_ceil(8);
    let room = output.len();
    let output = output.get_mut(..bytes).ok_or(Failure::Data(Error::OutputTooSmall { format, room }))?;
    output.iter_mut().zip(found.bytes()).for_each(|(to, from)| *to = from);
    Ok(bytes)
}
