use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use super::*;

fn options(folder: &Path) -> Options {
    Options { time: Duration::from_millis(200), seed: 1, folder: folder.to_path_buf(), slow: SLOW }
}

fn hello() -> Vec<Vec<u8>> {
    vec![b"hello".to_vec()]
}

#[test]
fn a_sound_target_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target { name: "sound", seeds: hello, run: |_| {} };
    let executions = run_target(&target, &options(folder.path())).unwrap();
    assert!(executions > 1, "{executions}");
    assert_eq!(fs::read_dir(folder.path().join("crashes")).unwrap().count(), 0);
}

#[test]
fn a_panic_is_found_and_its_input_saved() {
    let folder = tempfile::tempdir().unwrap();
    let run = |input: &[u8]| assert!(input.starts_with(b"hello"), "this panic is part of the test");
    let target = Target { name: "fragile", seeds: hello, run };
    match run_target(&target, &options(folder.path())) {
        Err(Failure::Panicked(path)) => {
            assert!(!fs::read(&path).unwrap().starts_with(b"hello"));
            assert_eq!(fs::read_dir(folder.path().join("crashes")).unwrap().count(), 1);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_of_the_corpus_are_run() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus/reader");
    fs::create_dir_all(&corpus).unwrap();
    fs::write(corpus.join("one"), b"from a file").unwrap();
    let run = |input: &[u8]| assert_ne!(input, b"from a file", "this panic is part of the test");
    let target = Target { name: "reader", seeds: hello, run };
    let options = Options { time: Duration::ZERO, ..options(folder.path()) };
    assert!(matches!(run_target(&target, &options), Err(Failure::Panicked(_))));
}

#[test]
fn an_input_that_is_always_slow_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = |_: &[u8]| {
        RUNS.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(2));
    };
    let target = Target { name: "slow", seeds: hello, run };
    let options = Options { slow: Duration::from_millis(1), ..options(folder.path()) };
    match run_target(&target, &options) {
        Err(failure @ Failure::Slow(..)) => {
            let path = folder.path().join("crashes/slow-1-1");
            assert_eq!(fs::read(&path).unwrap(), b"hello");
            assert!(failure.to_string().ends_with(&path.display().to_string()), "{failure}");
            assert_eq!(RUNS.load(Ordering::Relaxed), TRIES);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_machine_that_stood_still_once_is_not_a_slow_input() {
    let folder = tempfile::tempdir().unwrap();
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = |_: &[u8]| {
        if RUNS.fetch_add(1, Ordering::Relaxed) == 0 {
            thread::sleep(Duration::from_millis(600));
        }
    };
    let target = Target { name: "still", seeds: hello, run };
    let options = Options { slow: Duration::from_millis(500), ..options(folder.path()) };
    assert!(run_target(&target, &options).unwrap() >= 1);
    assert!(RUNS.load(Ordering::Relaxed) >= 2);
}
