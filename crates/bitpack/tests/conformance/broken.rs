//! Bad input, for which every implementation has to return the same error.

use std::ffi::OsString;

use pelton_bitpack::{Bitmap, Error, Hybrid, Kernels, Order, Packed, Position, Predicate, Source};

use crate::cases::SEED;
use pelton_random::{Random, reduced};

/// Runs every operation on a source. After an error each leaves its output unchanged.
fn all(kernels: &Kernels, source: &Source<'_>) -> Result<Vec<u32>, Error> {
    let (mut bits, mut values) = (Bitmap::with_len(3, true), vec![7]);
    let mask = Bitmap::with_len(source.len(), true);
    let scanned = kernels.scan(source, Predicate::Equal(1), &mut bits);
    let selected = kernels.select(source, &mask, &mut values);
    let mut results = vec![scanned.clone(), selected];
    if scanned.is_err() {
        assert_eq!(
            (bits.clone(), values.clone()),
            (Bitmap::with_len(3, true), vec![7]),
            "{}",
            kernels.name()
        );
    }
    let set = Bitmap::from_words(vec![0b101], 3);
    results.push(kernels.members(source, &set, &mut bits).map(drop));
    results.push(kernels.expand(source, &mask, &mut values));
    if let Source::Hybrid(hybrid) = source {
        let mut position = Position::default();
        results.push(kernels.read(hybrid, &mut position, hybrid.len(), &mut values));
        assert!(scanned.is_ok() || position == Position::default(), "{}", kernels.name());
    }
    for result in &results {
        assert_eq!(*result, scanned, "{}", kernels.name());
    }
    values.clear();
    kernels.unpack(source, &mut values).map(|()| values)
}

#[test]
fn broken_hybrids_are_errors() {
    let cases: [(&[u8], u32, usize, Error); 10] = [
        (&[], 3, 1, Error::TooFew { found: 0, len: 1 }),
        (&[4, 1], 3, 3, Error::TooFew { found: 2, len: 3 }),
        (&[4, 1, 4], 3, 4, Error::Truncated { at: 2 }),
        (&[4, 1, 0x84], 3, 4, Error::Truncated { at: 2 }),
        (&[0, 1], 3, 1, Error::EmptyRun { at: 0 }),
        (&[4, 1, 1, 1], 3, 4, Error::EmptyRun { at: 2 }),
        (&[4, 8], 3, 2, Error::RunValue { at: 0, value: 8, width: 3 }),
        (&[3, 1, 2], 3, 6, Error::Truncated { at: 0 }),
        (&[0xff, 0xff, 0xff, 0xff, 0x1f, 0], 3, 1, Error::RunHeader { at: 0 }),
        (&[4, 1], 33, 2, Error::Width { width: 33, least: 0, most: 32 }),
    ];
    for (bytes, width, len, error) in cases {
        for kernels in Kernels::available() {
            let bytes: Box<[u8]> = bytes.into();
            let found = all(&kernels, &Hybrid::new(&bytes, width, len).into());
            assert_eq!(found, Err(error.clone()), "{}, {bytes:?}", kernels.name());
        }
    }
}

#[test]
fn hybrids_may_end_within_a_group_and_have_more_than_is_asked_for() {
    for kernels in Kernels::available() {
        let found = all(&kernels, &Hybrid::new(&[3, 0b1000_1000, 0b1100_0110], 3, 5).into());
        assert_eq!(found, Ok(vec![0, 1, 2, 3, 4]), "{}", kernels.name());
        let found = all(&kernels, &Hybrid::new(&[200, 1, 5, 9, 0], 3, 2).into());
        assert_eq!(found, Ok(vec![5, 5]), "{}", kernels.name());
        // Rows before the fault can be read.
        let mut values = vec![];
        let broken = Hybrid::new(&[20, 5, 0], 3, 11).into();
        assert_eq!(kernels.extract(&broken, 3..10, &mut values), Ok(()), "{}", kernels.name());
        assert_eq!(values, [5; 7]);
    }
}

#[test]
fn arbitrary_bytes_get_the_same_from_all() {
    let mut random = Random::new(SEED);
    for round in 0..reduced(20_000) {
        let bytes: Box<[u8]> =
            (0..random.below(24)).map(|_| random.next() as u8 >> random.below(8)).collect();
        let (width, len) = (random.below(34) as u32, random.below(400));
        let source = Hybrid::new(&bytes, width, len).into();
        let [naive, others @ ..] = &Kernels::available()[..] else { unreachable!("there is the naive one") };
        let expected = all(naive, &source);
        for kernels in others {
            assert_eq!(
                all(kernels, &source),
                expected,
                "{}, round {round} of seed {SEED:#x}",
                kernels.name()
            );
        }
    }
}

#[test]
fn what_does_not_go_together() {
    let bytes = [0; 10];
    assert!(Packed::new(&bytes, 10, 8, Order::Big).is_ok());
    let short = Packed::new(&bytes, 10, 9, Order::Big).map(|_| ());
    assert_eq!(short, Err(Error::TooShort { len: 9, width: 10, given: 10 }));
    assert!(Packed::new(&bytes, 32, usize::MAX / 2, Order::Little).is_err());
    assert!(
        Packed::new(&bytes, 0, 1, Order::Little).is_err()
            && Packed::new(&bytes, 33, 1, Order::Little).is_err()
    );
    let source: Source<'_> = Packed::new(&bytes, 10, 8, Order::Big).unwrap().into();
    for kernels in Kernels::available() {
        let mut values = vec![];
        let mask = Bitmap::with_len(7, true);
        let error = Err(Error::MaskLength { mask: 7, values: 8 });
        assert_eq!(kernels.select(&source, &mask, &mut values), error);
        assert_eq!(kernels.expand(&source, &mask, &mut values), error);
        assert_eq!(kernels.extract(&source, 3..9, &mut values), Err(Error::Rows { rows: 3..9, len: 8 }));
        assert_eq!(values, []);
    }
}

#[test]
fn names() {
    for kernels in Kernels::available() {
        assert_eq!(Kernels::named(kernels.name()).unwrap().name(), kernels.name());
    }
    let unknown = Kernels::named("sse").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "unknown implementation 'sse' of filters; use one of naive, portable, avx2, avx512"
    );
    assert_eq!(Kernels::detect().name(), Kernels::available().last().unwrap().name());
}

/// The test runs itself again, for a process's environment is not to be changed while it runs.
#[test]
fn the_environment_names_one() {
    const CHILD: &str = "PELTON_FILTER_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        match Kernels::from_environment() {
            Ok(kernels) => println!("[{}]", kernels.name()),
            Err(error) => println!("[{error}]"),
        }
        return;
    }
    let run = |value: Option<&str>| {
        // An emulator and its arguments, where the tests run in one.
        let runner = std::env::var("PELTON_TEST_RUNNER").unwrap_or_default();
        let mut words: Vec<OsString> = runner.split_whitespace().map(OsString::from).collect();
        words.push(std::env::current_exe().unwrap().into());
        let mut command = std::process::Command::new(&words[0]);
        command
            .args(&words[1..])
            .args(["--exact", "broken::the_environment_names_one", "--nocapture"])
            .env(CHILD, "1");
        match value {
            Some(value) => command.env("PELTON_FILTER", value),
            None => command.env_remove("PELTON_FILTER"),
        };
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(run(Some("portable")).contains("[portable]"));
    assert!(run(None).contains(&format!("[{}]", Kernels::detect().name())));
    assert!(run(Some("sse")).contains("[unknown implementation 'sse' of filters;"));
}
