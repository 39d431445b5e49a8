//! Completion codes, one by one.

use pelton_device_model::nx::{Config, Fault, Model};
use pelton_device_nx::hw::{Completion, Cpb, Crb, Dde, Function, Status, StreamState};

use crate::support::*;

#[track_caller]
fn terminated(answer: &Answer, code: Completion) {
    assert_eq!((answer.code(), answer.status.is_terminated()), (Some(code), true), "{:?}", answer.status);
    assert_eq!(answer.status.target_bytes, 0);
}

#[test]
fn reserved_bits_and_unknown_functions() {
    let change = |at: usize, value: u8| {
        ask(&Model::new(Config::default()), &fresh(), b"abc", 16, |addresses| {
            let crb = Crb::new(
                FIXED,
                false,
                addresses.csb,
                Dde::direct(addresses.source, 3),
                Dde::direct(addresses.target, 16),
            );
            let mut bytes = *crb.as_bytes();
            bytes[at] = value;
            Crb::from_bytes(bytes)
        })
    };
    terminated(&change(0, 1), Completion::CrbReserved);
    terminated(&change(3, 0x40), Completion::CrbReserved);
    terminated(&change(4, 1), Completion::CrbReserved);
    terminated(&change(63, 1), Completion::CrbReserved);
    terminated(&change(16, 1), Completion::DdeReserved);
    terminated(&change(35, 1), Completion::DdeReserved);
    for code in [0x18, 0x1a, 0x1c, 0x20, 0x3e] {
        terminated(&change(3, code), Completion::UnknownFunction);
    }
    terminated(&change(23, 0), Completion::SourceList);
    terminated(&change(39, 0), Completion::TargetFull);
    assert_eq!(change(100, 1).code(), Some(Completion::Expanded), "bytes from 64 on are ignored");
}

#[test]
fn lists_that_lie() {
    #[repr(align(16))]
    struct List([[u8; 16]; 2]);
    let with = |change: &dyn Fn(u64, u64) -> ([Dde; 2], Dde)| {
        let list = std::cell::UnsafeCell::new(List([[0; 16]; 2]));
        let at = list.get().expose_provenance() as u64;
        let source = text(100);
        let mut request = Request::new(&fresh(), &source, 200);
        let addresses = request.addresses();
        let (parts, dde) = change(at, addresses.source);
        // SAFETY: the engine does not have the list yet.
        unsafe { (*list.get()).0 = parts.map(|part| *part.as_bytes()) };
        let target = Dde::direct(addresses.target, 200);
        let crb = Crb::new(Function::Wrap, false, addresses.csb, dde, target);
        let window = window(&Model::new(Config::default()));
        assert_eq!(request.paste(&window, &crb), pelton_device_nx::Pasted::Accepted);
        request.answer()
    };
    let two = |at| [Dde::direct(at, 60), Dde::direct(at + 60, 40)];
    assert_eq!(with(&|list, at| (two(at), Dde::list(list, 2, 100))).code(), Some(Completion::Done));
    terminated(&with(&|list, at| (two(at), Dde::list(list + 8, 2, 100))), Completion::Alignment);
    terminated(&with(&|list, at| (two(at), Dde::list(list, 2, 101))), Completion::ListOverflow);
    let nested = |list: u64, at| ([Dde::list(list, 1, 60), Dde::direct(at, 40)], Dde::list(list, 2, 100));
    terminated(&with(&nested), Completion::NestedList);
    let empty = |list, at| ([Dde::direct(at, 60), Dde::direct(at, 0)], Dde::list(list, 2, 60));
    terminated(&with(&empty), Completion::SourceList);
    let nowhere = |_: u64, at| (two(at), Dde::list(16, 2, 100));
    terminated(&with(&nowhere), Completion::ReadTranslation);
}

/// A target whose list has fewer bytes than it says: an error only if the output gets there.
#[test]
fn a_target_list_that_lies() {
    #[repr(align(16))]
    struct List([u8; 16]);
    let copied = |says: u32, bytes: usize| {
        let source = text(bytes);
        let mut request = Request::new(&Cpb::new(), &source, 100);
        let at = request.addresses();
        let list = List(*Dde::direct(at.target, 100).as_bytes());
        let target = Dde::list(list.0.as_ptr().expose_provenance() as u64, 1, says);
        let source = Dde::direct(at.source, bytes as u32);
        let window = window(&Model::new(Config::default()));
        let crb = Crb::new(Function::Wrap, false, at.csb, source, target);
        assert_eq!(request.paste(&window, &crb), pelton_device_nx::Pasted::Accepted);
        request.answer().code()
    };
    assert_eq!(copied(200, 100), Some(Completion::Done));
    assert_eq!(copied(200, 101), Some(Completion::ListOverflow));
    assert_eq!(copied(100, 101), Some(Completion::TargetFull));
    assert_eq!(copied(50, 51), Some(Completion::TargetFull), "the byte count of the list is less");
}

#[test]
fn addresses_without_memory() {
    let model = Model::new(Config::default());
    let to = |source: u64, target: u64| {
        ask(&model, &Cpb::new(), b"abc", 16, |at| {
            let (source, target) =
                (if source == 0 { at.source } else { source }, if target == 0 { at.target } else { target });
            Crb::new(Function::Wrap, false, at.csb, Dde::direct(source, 3), Dde::direct(target, 16))
        })
    };
    let answer = to(8, 0);
    terminated(&answer, Completion::ReadTranslation);
    assert_eq!(answer.status.address, 8);
    let answer = to(0, u64::MAX - 4);
    terminated(&answer, Completion::WriteTranslation);
    assert_eq!(answer.status.address, u64::MAX - 4);
    // A status that can't be written is only counted.
    let mut request = Request::new(&Cpb::new(), b"abc", 16);
    let at = request.addresses();
    let crb = Crb::new(Function::Wrap, false, 16, Dde::direct(at.source, 3), Dde::direct(at.target, 16));
    let window = window(&model);
    assert_eq!(request.paste(&window, &crb), pelton_device_nx::Pasted::Accepted);
    while model.counters().completed < 3 {
        std::thread::yield_now();
    }
    window.close();
    assert_eq!((model.counters().code(Completion::CrbUnreadable), request.is_answered()), (1, false));
}

#[test]
fn targets_that_are_too_short() {
    let uncompressed = text(10_000);
    let there = plain(FIXED, &fresh(), &uncompressed, 20_000);
    let len = there.output().len();
    assert_eq!(plain(FIXED, &fresh(), &uncompressed, len).code(), Some(Completion::Done));
    terminated(&plain(FIXED, &fresh(), &uncompressed, len - 1), Completion::TargetFull);
    terminated(&plain(DECOMPRESS, &fresh(), there.output(), 9_999), Completion::TargetFull);
    terminated(&plain(Function::Wrap, &fresh(), &uncompressed, 9_999), Completion::TargetFull);
}

#[test]
fn an_expanded_block_is_valid() {
    let random = noise(5000);
    let answer = plain(FIXED, &fresh(), &random, 8000);
    assert_eq!((answer.code(), answer.status.extension), (Some(Completion::Expanded), Status::HAS_COUNT));
    assert_eq!(inflate(answer.output(), 5000), random);
}

#[test]
fn the_end_of_a_source() {
    let stream = deflate(&text(10_000));
    let ended = plain(DECOMPRESS, &fresh(), &stream[..stream.len() / 2], 10_000);
    assert_eq!(
        (ended.code(), ended.status.extension & Status::PARTIAL),
        (Some(Completion::Partial), Status::PARTIAL)
    );
    assert!(matches!(ended.cpb.output().state(), Some(StreamState::Dynamic { .. })));
    assert!(ended.cpb.output().unused_bits() < 48);
    // A trailer of gzip: 64 bits and those of the last byte.
    let trailed = plain(DECOMPRESS, &fresh(), &[&stream[..], &[0; 8]].concat(), 10_000);
    assert_eq!(
        (trailed.code(), trailed.cpb.output().state()),
        (Some(Completion::Partial), Some(StreamState::Ended))
    );
    assert!((64..72).contains(&trailed.cpb.output().unused_bits()));
    assert_eq!(trailed.cpb.source_bytes(DECOMPRESS) as usize, stream.len() + 8);
    // In a header: BFINAL, BTYPE 10 and nothing else.
    let header = plain(DECOMPRESS, &fresh(), &[0b101], 16);
    assert_eq!((header.code(), header.cpb.output().unused_bits()), (Some(Completion::Partial), 8));
    assert!(matches!(header.cpb.output().state(), Some(StreamState::Header { .. })));
    // In a stored block of 5 bytes, after two of them.
    let stored = plain(DECOMPRESS, &fresh(), &[1, 5, 0, 0xfa, 0xff, 1, 2], 16);
    assert_eq!(stored.cpb.output().state(), Some(StreamState::Stored { is_final: true }));
    assert_eq!((stored.cpb.output().remaining(), stored.output()), (3, &[1, 2][..]));
}

#[test]
fn a_history_as_long_as_the_source() {
    let mut cpb = fresh();
    cpb.input_mut().set_history(32);
    terminated(&plain(COMPRESS_RESUME, &cpb, &text(32), 100), Completion::Partial);
    terminated(&plain(COMPRESS_RESUME, &cpb, &text(20), 100), Completion::Partial);
    terminated(&plain(RESUME, &cpb, &text(20), 100), Completion::Partial);
}

#[test]
fn damaged_streams() {
    // BTYPE 11.
    terminated(&plain(DECOMPRESS, &fresh(), &[0b111, 0, 0], 16), Completion::InvalidCode);
    // LEN and NLEN differ.
    terminated(&plain(DECOMPRESS, &fresh(), &[1, 1, 0, 1, 0, 7], 16), Completion::InvalidCode);
    // A match of three bytes at the start: length code 0000001, distance code 00000.
    terminated(&plain(DECOMPRESS, &fresh(), &[0b0000_0011, 0b0000_0010, 0, 0], 16), Completion::TooFar);
    // HLIT 31.
    terminated(
        &plain(DECOMPRESS, &fresh(), &[0b1111_1101, 0xff, 0, 0, 0, 0, 0, 0], 16),
        Completion::InvalidTable,
    );
}

#[test]
fn tables_that_are_none() {
    let mut cpb = fresh();
    cpb.input_mut().set_table(&[0xff; 288], 2000);
    terminated(&plain(DYNAMIC, &cpb, b"abcabc", 100), Completion::InvalidTable);
    cpb.input_mut().set_table(&[0; 288], 41);
    terminated(&plain(DYNAMIC, &cpb, b"abcabc", 100), Completion::InvalidTable);
    // A table of the counts of one text lacks the letters of another; a bit more is a wrong length.
    let counts =
        pelton_nxu::Counts::of(&[pelton_nxu::Symbol::Literal(b'a'), pelton_nxu::Symbol::Literal(b'b')]);
    let mut to = pelton_nxu::BitWriter::new();
    pelton_nxu::Table::from_counts(&counts).table.write(&mut to);
    let bits = to.len_bits() as usize;
    let bytes = to.into_bytes();
    cpb.input_mut().set_table(&bytes, bits);
    terminated(&plain(DYNAMIC, &cpb, b"abz", 100), Completion::InvalidCode);
    assert_eq!(inflate(plain(DYNAMIC, &cpb, b"ab", 100).output(), 2), b"ab");
    cpb.input_mut().set_table(&bytes, bits + 1);
    terminated(&plain(DYNAMIC, &cpb, b"ab", 100), Completion::InvalidTable);
}

#[test]
fn injected_codes() {
    for code in Completion::ALL {
        let model = with_fault(Fault::Code(code));
        terminated(&run(&model, FIXED, &fresh(), b"abc", 100), code);
        assert_eq!((model.counters().code(code), model.counters().injected()), (1, 1));
        assert_eq!(
            run(&model, FIXED, &fresh(), b"abc", 100).code(),
            Some(Completion::Expanded),
            "the next one"
        );
    }
}

#[test]
fn address_faults() {
    let uncompressed = text(100);
    for (fault, is_source) in [(Fault::SourceFault, true), (Fault::TargetFault, false)] {
        let mut request = Request::new(&fresh(), &uncompressed, 200);
        let (at, crb) = (request.addresses(), request.crb(FIXED));
        let model = with_fault(fault);
        let window = window(&model);
        assert_eq!(request.paste(&window, &crb), pelton_device_nx::Pasted::Accepted);
        let answer = request.answer();
        terminated(&answer, Completion::AddressFault);
        assert_eq!(answer.status.address, if is_source { at.source } else { at.target });
        assert!(answer.target.iter().all(|byte| *byte == 0), "nothing is written");
    }
}

#[test]
fn a_suspension_at_will() {
    let model = with_fault(Fault::Suspend(300));
    let answer = run(&model, FIXED, &fresh(), &text(1000), 2000);
    assert_eq!((answer.code(), answer.cpb.source_bytes(FIXED)), (Some(Completion::Partial), 300));
    let stream = deflate(&text(1000));
    let model = with_fault(Fault::Suspend(300));
    let answer = run(&model, DECOMPRESS, &fresh(), &stream, 1000);
    assert_eq!(answer.code(), Some(Completion::Partial));
    assert!((290..=300).contains(&answer.output().len()), "{}", answer.output().len());
}
