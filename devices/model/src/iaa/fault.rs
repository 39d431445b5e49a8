//! Faults that the model of an IAA injects.

use std::time::Duration;

use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Status};

/// A fault of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The queue does not accept the descriptor; a dedicated queue loses it. To the rules, another
    /// attempt is another descriptor.
    QueueFull,
    /// A page of source 1 is missing. If the descriptor blocks on faults, the device waits, which
    /// only takes time. Otherwise the operation only reports the address.
    ReadFault,
    /// As [`ReadFault`](Fault::ReadFault), for the destination, or for the completion record if
    /// there is no destination.
    WriteFault,
    /// A page of source 1 is missing, and the system can't provide it.
    UnresolvedReadFault,
    /// A page of the destination is missing, and the system can't provide it.
    UnresolvedWriteFault,
    /// The operation runs as if the destination had half its size.
    OutputOverflow,
    /// The operation only reports this error.
    Analytics(AnalyticsError),
    /// The operation only reports this status, such as [`Status::HardwareError`] or
    /// [`Status::Watchdog`].
    Status(Status),
    /// The operation never completes, and its record is never written.
    NoAnswer,
    /// From now on the device starts no operation, until every portal to its queues was closed.
    DeviceStops,
    /// The completion record is delayed until this number of others were written, or none are left.
    Overtaken(u32),
    /// The completion record is delayed by this time, in real time.
    Late(Duration),
    /// The completion record has a wrong number of written bytes, by this difference.
    WrongSize(i32),
    /// The completion record has a wrong CRC.
    WrongCrc,
    /// The completion record has a wrong number of valid bits in the last byte, by this difference
    /// modulo 8.
    WrongBits(u8),
}

/// A descriptor for the rules.
pub type Offered<'a> = crate::faults::Offered<'a, Descriptor>;
/// Rules that assign faults to descriptors.
pub type Faults = crate::faults::Faults<Descriptor, Fault>;
