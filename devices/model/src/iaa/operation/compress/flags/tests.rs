//! Statuses for descriptors and data that the device rejects.

use pelton_device_iaa::hw::aecs::compress as layout;
use pelton_device_iaa::hw::flags::compress as flags;
use pelton_device_iaa::hw::{AnalyticsError, Descriptor, Opcode, Status};

use crate::iaa::operation::compress::test_support::{Tables, fixed_header, run, run_with};

const WHOLE: u16 = flags::FLUSH_OUTPUT | flags::END_EOB;

#[test]
fn symbols_without_a_code() {
    let fixed = Tables::fixed();
    let literal = |symbol: usize| {
        let mut tables = fixed.clone();
        tables.literals[symbol] = 0;
        run(WHOLE, b"abcabcabc", &tables.image(&fixed_header(true)), 64).record
    };
    for symbol in [b'b'.into(), 256, 260] {
        assert_eq!(
            literal(symbol).analytics_error(),
            Some(AnalyticsError::InvalidCompressorCode),
            "{symbol}"
        );
    }
    assert_eq!(literal(261).status(), Some(Status::Success));
    let mut tables = fixed.clone();
    tables.distances[2] = 0;
    let record = run(WHOLE, b"abcabcabc", &tables.image(&fixed_header(true)), 64).record;
    assert_eq!(record.analytics_error(), Some(AnalyticsError::InvalidCompressorCode));
}

/// The block of "abcabcabc" needs more bytes.
#[test]
fn too_small_a_destination() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    assert_eq!(run(WHOLE, b"abcabcabc", &aecs, 6).record.status(), Some(Status::Success));
    for capacity in 0..6 {
        let done = run(WHOLE, b"abcabcabc", &aecs, capacity);
        assert_eq!(done.record.analytics_error(), Some(AnalyticsError::UnrecoverableOverflow));
        assert_eq!(done.aecs, [0xEE; layout::BYTES], "nothing to go on with");
    }
    let counted = run(flags::STATISTICS, b"a", &[], layout::HISTOGRAM_BYTES - 1);
    assert_eq!(counted.record.analytics_error(), Some(AnalyticsError::UnrecoverableOverflow));
}

#[test]
fn an_aecs_that_is_none() {
    let mut aecs = Tables::fixed().image(&fixed_header(true));
    assert_eq!(run(WHOLE, b"a", &[], 64).record.status(), Some(Status::InvalidOperationFlags));
    let short = run(WHOLE, b"a", &aecs[..layout::DISTANCE_CODES + 4 * layout::DISTANCES - 1], 64);
    assert_eq!(short.record.analytics_error(), Some(AnalyticsError::InvalidAecs));
    aecs[layout::OUTPUT_BITS..][..4].copy_from_slice(&2049u32.to_le_bytes());
    assert_eq!(run(WHOLE, b"a", &aecs, 512).record.analytics_error(), Some(AnalyticsError::InvalidAecs));
}

#[test]
fn flags_of_later_devices() {
    let aecs = Tables::fixed().image(&fixed_header(true));
    for bit in 9..16 {
        let record = run(WHOLE | 1 << bit, b"a", &aecs, 64).record;
        assert_eq!(record.status(), Some(Status::InvalidOwnFlags), "bit {bit}");
    }
    let stored = flags::BIG_ENDIAN_16 | flags::END_EOB_AND_STORED;
    assert_eq!(run(stored, b"a", &aecs, 64).record.status(), Some(Status::InvalidOwnFlags));
    let descriptor = Descriptor::new(Opcode::Compress).with_own_flags(WHOLE);
    for odd in [descriptor.with_filter_flags(2), descriptor.with_elements(1)] {
        assert_eq!(run_with(odd, b"a", &aecs, 64).record.status(), Some(Status::ReservedField));
    }
}
