//! Completion record: the answer of the device to an operation.

use std::sync::atomic::{AtomicU8, Ordering};

use super::status::{AnalyticsError, Status};

/// A completion record, which the device writes while the processor polls its first byte.
///
/// Every byte is an atomic, because the device acts as another thread. It writes the first byte
/// last, so a reader of a status through [`status_byte`](CompletionRecord::status_byte) sees the
/// whole record.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct CompletionRecord([AtomicU8; CompletionRecord::BYTES]);

impl CompletionRecord {
    /// Size in bytes.
    pub const BYTES: usize = 64;

    /// Returns an empty record, of an operation in progress.
    pub fn new() -> CompletionRecord {
        CompletionRecord([const { AtomicU8::new(0) }; CompletionRecord::BYTES])
    }

    /// Returns the address for a descriptor.
    pub fn address(&self) -> u64 {
        std::ptr::from_ref(self).expose_provenance() as u64
    }

    /// Returns the first byte. If it is not zero, the operation has ended and
    /// [`view`](CompletionRecord::view) returns the record.
    pub fn status_byte(&self) -> u8 {
        self.0[0].load(Ordering::Acquire)
    }

    /// Returns the first byte, for an instruction that waits for a write.
    pub fn status_cell(&self) -> &AtomicU8 {
        &self.0[0]
    }

    /// Empties the record for the next operation.
    pub fn reset(&self) {
        for byte in &self.0[1..] {
            byte.store(0, Ordering::Relaxed);
        }
        self.0[0].store(0, Ordering::Release);
    }

    /// Returns a copy of the record; none while the operation is in progress.
    pub fn view(&self) -> Option<RecordView> {
        let status = self.status_byte();
        if status == 0 {
            return None;
        }
        let mut bytes = [0; CompletionRecord::BYTES];
        for (byte, cell) in bytes.iter_mut().zip(&self.0) {
            *byte = cell.load(Ordering::Relaxed);
        }
        bytes[0] = status;
        Some(RecordView(bytes))
    }

    /// Writes a record like a device, the first byte last.
    pub fn write(&self, record: &RecordView) {
        for (cell, byte) in self.0.iter().zip(record.0).skip(1) {
            cell.store(byte, Ordering::Relaxed);
        }
        self.0[0].store(record.0[0], Ordering::Release);
    }
}

impl Default for CompletionRecord {
    fn default() -> Self {
        Self::new()
    }
}

/// A copy of a completion record. docs/iaa.md has its layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordView([u8; CompletionRecord::BYTES]);

impl RecordView {
    /// Returns a record with a status and no other field.
    pub fn new(status: Status) -> RecordView {
        let mut bytes = [0; CompletionRecord::BYTES];
        bytes[0] = status as u8;
        RecordView(bytes)
    }

    /// Returns the record of these bytes, which may be arbitrary.
    pub fn from_bytes(bytes: [u8; CompletionRecord::BYTES]) -> RecordView {
        RecordView(bytes)
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8; CompletionRecord::BYTES] {
        &self.0
    }

    /// Returns the status; none if its byte is unknown.
    pub fn status(&self) -> Option<Status> {
        Status::from_byte(self.0[0])
    }

    /// Returns whether a page fault was a write.
    pub fn is_write_fault(&self) -> bool {
        self.0[0] & Status::WRITE_FAULT != 0
    }

    /// Returns the error; none if its byte is unknown.
    pub fn analytics_error(&self) -> Option<AnalyticsError> {
        AnalyticsError::from_byte(self.0[1])
    }

    field!(/// Status byte with its highest bit.
        status_byte, with_status_byte, u8, 0);
    field!(/// Error byte.
        error_byte, with_error_byte, u8, 1);
    field!(/// Fault information.
        fault_info, with_fault_info, u8, 2);
    field!(/// Bytes of source 1 that were used.
        consumed, with_consumed, u32, 4);
    field!(/// Address of a page fault.
        fault_address, with_fault_address, u64, 8);
    field!(/// Which flags were invalid.
        invalid_flags, with_invalid_flags, u32, 16);
    field!(/// Bytes written.
        produced, with_produced, u32, 24);
    field!(/// Bits that are valid in the last byte written; 0 is all 8.
        output_bits, with_output_bits, u8, 28);
    field!(/// XOR of the decompressed data's 16-bit words.
        xor, with_xor, u16, 30);
    field!(/// CRC of the decompressed data.
        crc, with_crc, u32, 32);
    field!(/// Smallest value, or first index.
        min_or_first, with_min_or_first, u32, 36);
    field!(/// Largest value, or last index.
        max_or_last, with_max_or_last, u32, 40);
    field!(/// Sum of the values, or number of ones.
        sum_or_count, with_sum_or_count, u32, 44);
    field!(/// Result of a CRC64.
        crc64, with_crc64, u64, 40);
}
