//! The interface, against the library where it is installed.

use std::cell::Cell;

use super::run::alignments;
use super::sys::Library;
use super::{Backend, Choices, Engine, NvcompUse};
use crate::decompress::Format;
use crate::{Error, Gpu, HostOptions};

#[test]
fn what_is_unsafe_is_only_for_who_trusts() {
    for format in Format::ALL {
        assert_eq!(NvcompUse::Never.backend(format), None);
        let safe = (format == Format::Lz4Raw).then_some(Backend::Cuda);
        assert_eq!(NvcompUse::default().backend(format), safe, "{format:?}");
    }
    assert_eq!(NvcompUse::Trusted.backend(Format::Zstd), Some(Backend::Default));
}

/// The options arrive as they are meant: Zstandard has no hardware backend, and the library says so
/// without a GPU.
#[test]
fn the_library_has_what_is_called() {
    let library = match Library::load() {
        Ok(library) => library,
        Err(why) => {
            println!(
                "not tested, since nvCOMP 6 is not installed (PELTON_NVCOMP may say where it is): {why}"
            );
            return;
        }
    };
    for format in Format::ALL {
        let functions = library.functions(format);
        assert_eq!(functions.is_some(), NvcompUse::Trusted.backend(format).is_some(), "{format:?}");
        let Some(functions) = functions else { continue };
        for backend in [Backend::Default, Backend::Cuda] {
            let found = alignments(&functions, backend).unwrap();
            let sound = |alignment: usize| alignment.is_power_of_two() && alignment <= 256;
            assert!(
                [found.input, found.output, found.temporary].into_iter().all(sound),
                "{format:?}: {found:?}"
            );
        }
        let hardware = alignments(&functions, Backend::Hardware);
        assert_eq!(hardware.is_some(), format != Format::Zstd, "{format:?}");
    }
}

/// The choice of the faster one can't be tested without timing; these are the other cases.
#[test]
fn what_fails_or_is_small_leaves_the_pages_to_us() {
    let gpu = Gpu::host(HostOptions::default()).unwrap();
    let stream = gpu.stream("test").unwrap();
    let choices = Choices::default();
    let (theirs, ours) = (Cell::new(0), Cell::new(0));
    let fail = || {
        theirs.set(theirs.get() + 1);
        Err(Error::BadCall { what: "a test".into() })
    };
    let succeed = || {
        ours.set(ours.get() + 1);
        Ok(())
    };
    choices.measure((Format::Snappy, 1000), &stream, fail, succeed).unwrap();
    assert_eq!((choices.get(Format::Snappy), theirs.get(), ours.get()), (None, 0, 1));
    choices.measure((Format::Snappy, 1 << 30), &stream, fail, succeed).unwrap();
    assert_eq!((choices.get(Format::Snappy), theirs.get()), (Some(Engine::Ours), 1));
    assert!(ours.get() > 1, "ours ran last");
    assert_eq!(choices.get(Format::Zstd), None);
}
