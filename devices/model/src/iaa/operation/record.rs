//! Completion records of operations that failed.

use pelton_device_iaa::hw::{AnalyticsError, RecordView, Status};

/// Data that the operation can't do anything with.
pub(crate) fn analytics(error: AnalyticsError) -> RecordView {
    RecordView::new(Status::AnalyticsError).with_error_byte(error as u8)
}

/// A descriptor that the device does not take.
pub(crate) fn refused(status: Status) -> RecordView {
    RecordView::new(status)
}
