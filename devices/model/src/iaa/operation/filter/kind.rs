//! What the filter operations differ in before they run.

use pelton_device_iaa::hw::flags::operation;
use pelton_device_iaa::hw::{RecordView, Status};

use super::elements::MAX_BITS;
use super::flags::Flags;
use crate::iaa::operation::refused;

/// A filter operation; what it does is said at the opcodes.
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
    /// Elements are members of a set, so that some of their bits may not count.
    pub(super) fn has_set(self) -> bool {
        matches!(self, Kind::SetMembership | Kind::FindUnique)
    }

    /// What source 2 has to be, as bits of the operation's flags. Find unique may have an AECS or
    /// nothing.
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

    /// Bits of an output's element before any widening.
    pub(super) fn nominal_width(self, first: u32, second: u32) -> u32 {
        match self {
            Kind::Scan | Kind::SetMembership | Kind::FindUnique => 1,
            Kind::Extract | Kind::Select | Kind::Expand => first,
            Kind::RleBurst => second,
        }
    }

    /// What can only be said once the width of source 1 is known, which may be in its first byte.
    ///
    /// # Errors
    /// The record that says what is wrong.
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
