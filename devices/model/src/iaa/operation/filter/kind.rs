//! Kinds of filter operations, with their checks before they run.

use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{RecordView, Status};

use super::elements::MAX_BITS;
use super::flags::Flags;
use crate::iaa::operation::refused;

/// A filter operation, as documented at the opcodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Scan,
    SetMembership,
    Extract,
    Select,
    RleBurst,
    FindUnique,
    Expand,
}

impl Kind {
    /// Returns whether elements are members of a set, so that some of their bits may be dropped.
    pub(super) fn has_set(self) -> bool {
        matches!(self, Kind::SetMembership | Kind::FindUnique)
    }

    /// Returns whether the flags have the right source 2. Find unique may have an AECS or none.
    pub(super) fn allows_source2(self, flags: u32) -> bool {
        let source2 = flags & operation::SOURCE2_MASK;
        match self {
            Kind::Scan | Kind::Extract => source2 == operation::SOURCE2_AECS,
            Kind::FindUnique => source2 != operation::SOURCE2_FILTER,
            Kind::SetMembership | Kind::Select | Kind::RleBurst | Kind::Expand => {
                source2 == operation::SOURCE2_FILTER
            }
        }
    }

    /// Returns the width of an output element before any widening.
    pub(super) fn nominal_width(self, first: u32, second: u32) -> u32 {
        match self {
            Kind::Scan | Kind::SetMembership | Kind::FindUnique => 1,
            Kind::Extract | Kind::Select | Kind::Expand => first,
            Kind::RleBurst => second,
        }
    }

    /// Checks the widths, once that of source 1 is known, which may be in its first byte.
    ///
    /// # Errors
    /// The record of the rejection.
    pub(super) fn check_widths(self, flags: &Flags, width: u32) -> Result<(), RecordView> {
        if flags.invert && self.nominal_width(width, flags.second_width) != 1 {
            return Err(refused(Status::InvalidInvert));
        }
        if self == Kind::RleBurst && !matches!(width, 8 | 16 | 32) {
            return Err(refused(Status::InvalidWidth));
        }
        if self.has_set() {
            let Some(bits) = width.checked_sub(flags.drop_low + flags.drop_high).filter(|bits| *bits > 0)
            else {
                return Err(refused(Status::InvalidFilterFlags));
            };
            if bits > MAX_BITS {
                return Err(refused(Status::InvalidWidth));
            }
        }
        Ok(())
    }
}
