use super::*;

fn options(folder: &Path) -> Options {
    Options { time: Duration::from_millis(200), seed: 1, folder: folder.to_path_buf() }
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
