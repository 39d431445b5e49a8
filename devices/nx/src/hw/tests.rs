//! Layouts compared byte by byte with bytes worked out by hand from the manual.

use super::*;

#[test]
fn request_block() {
    let function = Function::Compress { dynamic: true, count: true, resume: false };
    let crb =
        Crb::new(function, true, 0x1234_5678_9abc_def0, Dde::direct(0x11, 0x22), Dde::list(0x330, 3, 0x44));
    let mut bytes = [0; Crb::BYTES];
    bytes[3] = 0x07;
    bytes[8..16].copy_from_slice(&[0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0]);
    (bytes[23], bytes[31]) = (0x22, 0x11);
    (bytes[34], bytes[39], bytes[46], bytes[47]) = (3, 0x44, 0x03, 0x30);
    assert_eq!(crb.as_bytes(), &bytes);
    assert_eq!((crb.function(), crb.has_low_limit()), (Some(function), true));
    assert_eq!((crb.csb(), crb.source().len(), crb.target().count()), (0x1234_5678_9abc_def0, 0x22, 3));
    assert!(crb.has_zero_reserved() && crb.source().has_zero_reserved());
    assert_eq!(size_of::<Crb>(), 128);
}

#[test]
fn every_reserved_byte_of_a_request_is_found() {
    let crb = Crb::new(Function::Wrap, false, 0x100, Dde::default(), Dde::default());
    for at in [0, 1, 2, 4, 7, 48, 63] {
        let mut bytes = *crb.as_bytes();
        bytes[at] = 1;
        assert!(!Crb::from_bytes(bytes).has_zero_reserved(), "byte {at}");
    }
    let mut bytes = *crb.as_bytes();
    (bytes[15], bytes[63]) = (8, 1);
    assert!(Crb::from_bytes(bytes).has_zero_reserved(), "an interrupt is a completion method");
    assert_eq!(Crb::from_bytes(bytes).csb(), 0x100);
    for at in [0, 1, 3] {
        let mut bytes = [0; Dde::BYTES];
        bytes[at] = 1;
        assert!(!Dde::from_bytes(bytes).has_zero_reserved(), "byte {at}");
    }
}

#[test]
fn functions_have_the_manuals_codes() {
    let codes: Vec<u8> = Function::all().map(Function::code).collect();
    assert_eq!(codes, [0, 2, 4, 6, 8, 0xa, 0xc, 0xe, 0x10, 0x12, 0x14, 0x16, 0x1e]);
    for function in Function::all() {
        assert_eq!(Function::from_code(function.code()), Some(function));
    }
    assert_eq!([0x01, 0x18, 0x1a, 0x20, 0x3e].map(Function::from_code), [None; 5]);
}

#[test]
fn codes_have_distinct_bytes() {
    for code in Completion::ALL {
        assert_eq!(Completion::from_byte(code as u8), Some(code));
    }
    assert_eq!([2, 4, 65, 249].map(Completion::from_byte), [None; 4]);
}

#[test]
fn status_block() {
    let csb = Csb::default();
    assert_eq!((csb.status(), csb.is_valid()), (None, false));
    let status = Status { code: 250, extension: 0x60, target_bytes: 0x0102, address: 0xabcd };
    csb.write(&status);
    assert_eq!((csb.status(), csb.is_valid()), (Some(status), true));
    assert_eq!(status.completion(), Some(Completion::AddressFault));
    csb.reset();
    assert_eq!(csb.status(), None);
    assert_eq!((size_of::<Csb>(), align_of::<Csb>()), (16, 16));
}

#[test]
fn parameter_block_input() {
    let mut cpb = Cpb::new();
    let mut input = cpb.input_mut();
    input.set_checksums(Checksums { adler: 0x0102_0304, crc: 0x0506_0708 });
    input.set_history(0x123 * 16);
    input.set_unused_bits(5);
    input.set_state(StreamState::Dynamic { is_final: true });
    input.set_table(&[0xee, 0xff], 0x345);
    let mut bytes = [0; Cpb::BYTES];
    bytes[..18].copy_from_slice(&[1, 2, 3, 4, 8, 7, 6, 5, 0x12, 0x30, 0, 5, 0, 0xd, 3, 0x45, 0xee, 0xff]);
    assert_eq!(cpb.as_bytes(), &bytes);
    let input = cpb.input();
    assert_eq!(input.checksums(), Checksums { adler: 0x0102_0304, crc: 0x0506_0708 });
    assert_eq!((input.history(), input.unused_bits(), input.table_bits()), (0x1230, 5, 0x345));
    assert_eq!(input.state(), Some(StreamState::Dynamic { is_final: true }));
}

#[test]
fn parameter_block_output() {
    let mut bytes = [0; Cpb::BYTES];
    // Offset of the output part, from the manual: quadword 24.
    bytes[24 * 16..24 * 16 + 16]
        .copy_from_slice(&[0, 0, 0, 9, 1, 0, 0, 0, 0, 0x03, 0x08, 0xed, 0, 0xe, 0xab, 0xcd]);
    bytes[25 * 16 + 3] = 7;
    bytes[25 * 16 + 286 * 4 + 3] = 8;
    bytes[43 * 16 + 3] = 43;
    bytes[104 * 16 + 2] = 1;
    let mut cpb = Cpb::from_bytes(bytes);
    let output = cpb.output();
    assert_eq!(output.checksums(), Checksums { adler: 9, crc: 1 });
    assert_eq!((output.last_bits(), output.unused_bits(), output.remaining()), (3, 0x8ed, 0xabcd));
    assert_eq!(output.state(), Some(StreamState::Header { is_final: false }));
    assert_eq!((cpb.counts().literals[0], cpb.counts().distances[0]), (7, 8));
    let compress = |count| Function::Compress { dynamic: false, count, resume: false };
    let decompress = Function::Decompress { resume: false, one_block: false };
    assert_eq!(
        [compress(false), compress(true), decompress].map(|function| cpb.source_bytes(function)),
        [7, 256, 43]
    );
    assert_eq!(Cpb::output_range(compress(true)).end, 104 * 16 + 4);
    cpb.continue_stream();
    assert_eq!((cpb.input().unused_bits(), cpb.input().history(), cpb.input().last_bits()), (5, 0, 0));
    assert_eq!(cpb.input().state(), Some(StreamState::Header { is_final: false }));
    assert_eq!(cpb.input().table()[3], 7);
    let counts = cpb.counts();
    let mut copy = Cpb::new();
    copy.set_counts(&counts);
    assert_eq!(copy.counts(), counts);
}

#[test]
fn states_of_four_bits() {
    let known: Vec<u8> = (0..16).filter(|bits| StreamState::from_bits(*bits).is_some()).collect();
    assert_eq!(known, [0, 8, 9, 10, 11, 12, 13, 14, 15]);
    for bits in known {
        assert_eq!(StreamState::from_bits(bits).map(StreamState::bits), Some(bits));
    }
}
