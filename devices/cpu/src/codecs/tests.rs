use pelton_codec::{Checksum, Format};
use pelton_job::Job;

use super::*;

#[test]
fn a_panic_is_a_failure_and_leaves_fresh_state() {
    let mut state = 7;
    let result = guarded(&mut state, |state| {
        *state += 1;
        if *state == 8 {
            // Without the hook's message, which would look like this test's own.
            std::panic::resume_unwind(Box::new("out of cheese"));
        }
        Ok(*state)
    });
    assert!(matches!(result, Err(Failure::Panicked(message)) if message == "out of cheese"));
    assert_eq!(state, 0);
}

#[test]
fn state_is_kept_when_nothing_panics() {
    let mut state = 7;
    let kept = guarded(&mut state, |state| {
        *state += 1;
        Ok(*state)
    });
    assert!(matches!(kept, Ok(8)));
    let bad = Failure::Data(Error::Truncated { format: Format::Zstd });
    assert!(guarded::<_, ()>(&mut state, |_| Err(bad)).is_err());
    assert_eq!(state, 8);
}

#[test]
fn memory_that_cannot_be_had_is_the_devices_failure_and_bad_data_is_the_jobs() {
    assert!(!failure(Error::OutOfMemory { format: Format::Zstd }).is_data());
    assert!(failure(Error::Truncated { format: Format::Zstd }).is_data());
}

fn crc32(plain: &'static [u8]) -> Result<BorrowedOutput, Failure> {
    run(&Job::checksum(Checksum::Crc32, plain).view(), &mut [])
}

#[test]
fn a_thread_that_is_ending_still_has_codecs() {
    struct AtExit;
    impl Drop for AtExit {
        fn drop(&mut self) {
            let done = crc32(b"123456789").unwrap();
            assert_eq!(done.checksum, Some(0xcbf4_3926));
        }
    }
    thread_local! { static AT_EXIT: AtExit = const { AtExit }; }
    std::thread::spawn(|| {
        // Thread-locals are destroyed in the order they were made or the reverse; one of these is
        // after `CODECS`.
        AT_EXIT.with(|_| ());
        crc32(b"").unwrap();
    })
    .join()
    .unwrap();
    std::thread::spawn(|| {
        crc32(b"").unwrap();
        AT_EXIT.with(|_| ());
    })
    .join()
    .unwrap();
}
