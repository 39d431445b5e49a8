//! Statuses for descriptors and data that the device rejects.

use pelton_device_iaa::hw::flags::{decompress, filter as flags, operation};
use pelton_device_iaa::hw::{AnalyticsError, Opcode, Status};

use crate::iaa::operation::filter::filter;
use crate::iaa::operation::filter::test_support::{Inputs, Layout, aecs};

const INDEXES_8: u32 = 1 << flags::OUTPUT_WIDTH_SHIFT;

fn scan(values: &[u32], width: u32, layout: Layout) -> Inputs {
    Inputs::new(Opcode::Scan, values, width, layout).with_aecs(aecs(0, u32::MAX, 0))
}

#[track_caller]
fn expect_status(inputs: &Inputs, status: Status) {
    assert_eq!(inputs.run(64).record.status(), Some(status));
}

#[track_caller]
fn expect_error(inputs: &Inputs, capacity: usize, error: AnalyticsError) {
    let record = inputs.run(capacity).record;
    assert_eq!((record.status(), record.analytics_error()), (Some(Status::AnalyticsError), Some(error)));
}

#[test]
fn opcodes_of_others() {
    for opcode in [Opcode::Noop, Opcode::Drain, Opcode::Decompress, Opcode::Compress, Opcode::Crc64] {
        assert!(filter(opcode).is_none());
    }
}

#[test]
fn flags_that_are_none() {
    let ok = scan(&[1, 2], 4, Layout::Little);
    expect_status(&ok, Status::Success);
    for bit in 28..32 {
        expect_status(&ok.clone().with_flags(1 << bit), Status::InvalidFilterFlags);
    }
    expect_status(&ok.clone().with_flags(3), Status::InvalidFilterFlags);
    expect_status(&ok.clone().with_flags(1 << flags::SOURCE2_WIDTH_SHIFT), Status::InvalidFilterFlags);
    expect_status(&ok.clone().with_flags(1 << flags::DROP_LOW_SHIFT), Status::InvalidFilterFlags);
    expect_status(&ok.clone().with_elements(0), Status::InvalidElements);
    let hybrid = scan(&[1, 2], 4, Layout::Hybrid);
    expect_status(&hybrid.with_flags(1 << flags::SOURCE1_WIDTH_SHIFT), Status::InvalidWidth);
    let own = |bits| {
        let mut inputs = ok.clone();
        inputs.descriptor = inputs.descriptor.with_own_flags(bits);
        inputs
    };
    expect_status(&own(decompress::FLUSH_OUTPUT), Status::InvalidOwnFlags);
    expect_status(&own(decompress::WHOLE_STREAM | decompress::SUPPRESS_OUTPUT), Status::InvalidOwnFlags);
    expect_status(&own(decompress::WHOLE_STREAM | 1 << decompress::INDEXING_SHIFT), Status::InvalidOwnFlags);
}

#[test]
fn sources_that_are_not_there() {
    let mut none = scan(&[1], 4, Layout::Little);
    none.descriptor = none.descriptor.with_operation_flags(0);
    expect_status(&none, Status::InvalidOperationFlags);
    let mask = Inputs::new(Opcode::Select, &[1], 4, Layout::Little);
    expect_status(&mask.clone().with_aecs(aecs(0, 0, 0)), Status::InvalidOperationFlags);
    let mut unique = Inputs::new(Opcode::FindUnique, &[1], 4, Layout::Little);
    unique.descriptor = unique.descriptor.with_operation_flags(operation::SOURCE2_FILTER);
    expect_status(&unique, Status::InvalidOperationFlags);
    let mut short = scan(&[1], 4, Layout::Little);
    short.aecs.truncate(31);
    expect_error(&short, 64, AnalyticsError::InvalidAecs);
}

#[test]
fn widths() {
    for width in (1..=32).filter(|width| ![8, 16, 32].contains(width)) {
        let burst = Inputs::new(Opcode::RleBurst, &[1], width, Layout::Little).with_second(&[1], 4, false);
        expect_status(&burst, Status::InvalidWidth);
    }
    let unique = |width, low: u32, high: u32| {
        Inputs::new(Opcode::FindUnique, &[1], width, Layout::Little)
            .with_flags(low << flags::DROP_LOW_SHIFT | high << flags::DROP_HIGH_SHIFT)
    };
    expect_status(&unique(16, 0, 0), Status::InvalidWidth);
    assert_eq!(unique(32, 10, 7).run(4096).record.status(), Some(Status::Success));
    expect_status(&unique(4, 3, 1), Status::InvalidFilterFlags);
    // Inverted elements.
    let extract = Inputs::new(Opcode::Extract, &[1], 4, Layout::Little).with_aecs(aecs(0, 0, 0));
    expect_status(&extract.clone().with_flags(flags::INVERT_OUTPUT), Status::InvalidInvert);
    // 9 bits in 8.
    let wide = Inputs::new(Opcode::Extract, &[1], 9, Layout::Little).with_aecs(aecs(0, 0, 0));
    expect_error(&wide.with_flags(INDEXES_8), 64, AnalyticsError::OutputWidthTooSmall);
}

/// The largest index of 8 bits, and the first larger one.
#[test]
fn indexes_that_do_not_fit() {
    let indexes = |elements: usize, modifier| {
        Inputs::new(Opcode::Scan, &vec![1; elements], 1, Layout::Little)
            .with_aecs(aecs(1, 1, modifier))
            .with_flags(INDEXES_8)
    };
    assert_eq!(indexes(256, 0).run(256).record.status(), Some(Status::Success));
    expect_error(&indexes(257, 0), 512, AnalyticsError::OutputWidthTooSmall);
    expect_error(&indexes(2, 255), 512, AnalyticsError::OutputWidthTooSmall);
    expect_error(&indexes(1, u32::MAX), 512, AnalyticsError::OutputWidthTooSmall);
}

#[test]
fn inputs_that_end_too_soon() {
    expect_error(&scan(&[1, 2], 4, Layout::Little).with_elements(3), 64, AnalyticsError::Source1TooSmall);
    expect_error(&scan(&[1; 8], 4, Layout::Hybrid).with_elements(9), 64, AnalyticsError::TooFewElements);
    let mut cut = scan(&[1, 2, 3], 4, Layout::Hybrid);
    cut.source1.truncate(2);
    expect_error(&cut, 64, AnalyticsError::BadParquetRle);
    cut.source1[0] = 33;
    expect_error(&cut, 64, AnalyticsError::ParquetRleTooWide);
    for opcode in [Opcode::Select, Opcode::Expand, Opcode::SetMembership] {
        let mut short = Inputs::new(opcode, &[1; 9], 4, Layout::Little).with_second(&[1; 16], 1, false);
        assert_eq!(short.run(64).record.status(), Some(Status::Success));
        short.source2.pop();
        expect_error(&short, 64, AnalyticsError::Source2TooSmall);
    }
    let expand = Inputs::new(Opcode::Expand, &[1; 2], 4, Layout::Little).with_second(&[1; 3], 1, false);
    expect_error(&expand.with_elements(3), 64, AnalyticsError::Source1TooSmall);
}

#[test]
fn too_small_a_destination() {
    let nine = scan(&[1; 9], 4, Layout::Little);
    assert_eq!(nine.run(2).record.status(), Some(Status::Success));
    expect_error(&nine, 1, AnalyticsError::UnrecoverableOverflow);
    expect_error(&nine, 0, AnalyticsError::UnrecoverableOverflow);
}

/// Offsets that decrease, and a step over the limit.
#[test]
fn counts_that_are_none() {
    let burst =
        |sums: &[u32]| Inputs::new(Opcode::RleBurst, sums, 32, Layout::Little).with_second(&[0], 1, false);
    assert_eq!(burst(&[5, 5 + 65_535]).run(8192).record.status(), Some(Status::Success));
    expect_error(&burst(&[0, 65_536]), 16_384, AnalyticsError::BadLength);
    expect_error(&burst(&[1, 0]), 64, AnalyticsError::BadLength);
}
