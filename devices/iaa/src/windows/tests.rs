use pelton_codec::Format;
use pelton_job::{Hints, Job, OutputSize};

use super::*;

const HISTORY: usize = 4096;

fn check(memory: &WindowPolicy, job: &Job, format: Format) -> Result<(), &'static str> {
    let container = Container::of(format).expect("DEFLATE");
    memory.check(&job.view(), container).map_err(|refusal| refusal.reason())
}

fn job(format: Format, window_log2: u8, len: usize, hints: Hints) -> Job {
    let input = Container::of(format).expect("DEFLATE").header(6, window_log2);
    Job::decompress(format, input, OutputSize::Exact(len)).with_hints(hints)
}

#[test]
fn what_is_known_to_fit_is_taken() {
    let memory = WindowPolicy::new(Windows::Known, HISTORY);
    let none = Hints::default();
    let hint = |window| Hints { window: Some(window), ..none };
    for (format, log2, len, hints, expected) in [
        // By the output's size.
        (Format::Deflate, 15, HISTORY, none, true),
        (Format::Deflate, 15, HISTORY + 1, none, false),
        // By the header.
        (Format::Zlib, 12, 1 << 20, none, true),
        (Format::Zlib, 13, 1 << 20, none, false),
        (Format::Gzip, 12, 1 << 20, none, true),
        (Format::Gzip, 15, 1 << 20, none, false),
        // By the hints.
        (Format::Deflate, 15, 1 << 20, hint(4096), true),
        (Format::Zlib, 15, 1 << 20, hint(100), true),
        (Format::Zlib, 15, 1 << 20, hint(4097), false),
    ] {
        let got = check(&memory, &job(format, log2, len, hints), format);
        assert_eq!(
            got,
            if expected { Ok(()) } else { Err(MAY_BE_TOO_FAR) },
            "{format}, {log2}, {len}, {hints:?}"
        );
    }
}

#[test]
fn an_affinity_key_is_learned() {
    let memory = WindowPolicy::new(Windows::Try, HISTORY);
    let alike = |number| Hints { affinity_key: Some(number), ..Hints::default() };
    let asked = |number, log2| check(&memory, &job(Format::Zlib, log2, 1 << 20, alike(number)), Format::Zlib);
    assert_eq!(asked(7, 15), Ok(()));
    memory.learn(Some(7));
    memory.learn(None);
    assert_eq!(asked(7, 15), Err(AFFINITY_TOO_FAR));
    assert_eq!(asked(7, 12), Ok(()), "what is known to fit is taken");
    assert_eq!(asked(8, 15), Ok(()));
    for number in [0, u64::MAX, u64::MAX - 1] {
        assert_eq!(asked(number, 15), Ok(()));
        memory.learn(Some(number));
        assert_eq!(asked(number, 15), Err(AFFINITY_TOO_FAR), "{number}");
    }
    let unknown = job(Format::Zlib, 15, 1 << 20, Hints::default());
    assert_eq!(check(&memory, &unknown, Format::Zlib), Ok(()));
}

#[test]
fn a_header_that_is_none_is_left_to_the_run() {
    let job = Job::decompress(Format::Gzip, &b"no header"[..], OutputSize::Exact(1 << 20));
    assert_eq!(check(&WindowPolicy::new(Windows::Known, HISTORY), &job, Format::Gzip), Err(MAY_BE_TOO_FAR));
    assert_eq!(check(&WindowPolicy::new(Windows::Try, HISTORY), &job, Format::Gzip), Ok(()));
    assert_eq!(
        check(&WindowPolicy::new(Windows::Known, 1 << 15), &job, Format::Gzip),
        Ok(()),
        "a later device"
    );
}
