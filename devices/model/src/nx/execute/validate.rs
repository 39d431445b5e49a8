//! Validation of requests, before any function. The order of the checks is the model's own.

use pelton_device_nx::hw::{Completion, Dde, Function, Status};

use super::terminated;
use crate::nx::memory::{Region, Submitted};

/// A valid request.
pub(super) struct Valid {
    pub(super) function: Function,
    pub(super) source: Vec<Region>,
    pub(super) target: Vec<Region>,
    /// Capacity of the target.
    pub(super) target_len: usize,
    /// Whether the target's list has fewer bytes than it says.
    overflows: bool,
}

impl Valid {
    /// Returns the code for output beyond the target.
    pub(super) fn target_full(&self) -> Completion {
        if self.overflows { Completion::ListOverflow } else { Completion::TargetFull }
    }
}

/// Checks a request, and reads its lists.
///
/// # Errors
/// The status.
pub(super) fn check(request: &Submitted) -> Result<Valid, Status> {
    let crb = request.request();
    let refused = |code| terminated(code, 0);
    if !crb.has_zero_reserved() {
        return Err(refused(Completion::CrbReserved));
    }
    let function = crb.function().ok_or_else(|| refused(Completion::UnknownFunction))?;
    let (source, source_sum) = regions(request, crb.source(), Completion::SourceList)?;
    if source_sum < crb.source().len() as usize {
        return Err(refused(Completion::ListOverflow));
    }
    let (target, target_sum) = regions(request, crb.target(), Completion::TargetFull)?;
    let target_len = target.iter().map(|region| region.len).sum();
    Ok(Valid { function, source, target, target_len, overflows: target_sum < crb.target().len() as usize })
}

/// Returns the memory of a source or target, cut to its byte count, and the sum of its parts. An
/// empty descriptor has the code `empty`.
fn regions(request: &Submitted, dde: Dde, empty: Completion) -> Result<(Vec<Region>, usize), Status> {
    let refused = |code| terminated(code, 0);
    if !dde.has_zero_reserved() {
        return Err(refused(Completion::DdeReserved));
    }
    if dde.is_empty() {
        return Err(refused(empty));
    }
    if dde.count() == 0 {
        return Ok((vec![request.region(dde)], dde.len() as usize));
    }
    if !dde.address().is_multiple_of(Dde::BYTES as u64) {
        return Err(terminated(Completion::Alignment, dde.address()));
    }
    let parts = request.list(dde).ok_or_else(|| terminated(Completion::ReadTranslation, dde.address()))?;
    let (mut regions, mut left, mut sum) = (Vec::with_capacity(parts.len()), dde.len() as usize, 0);
    for part in parts {
        match () {
            () if !part.has_zero_reserved() => return Err(refused(Completion::DdeReserved)),
            () if part.count() > 0 => return Err(refused(Completion::NestedList)),
            () if part.is_empty() => return Err(refused(empty)),
            () => {}
        }
        let region = request.region(part).first(left);
        left -= region.len;
        sum += part.len() as usize;
        regions.push(region);
    }
    Ok((regions, sum))
}
