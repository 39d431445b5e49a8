use super::*;

fn tape() -> Tape {
    Tape { recorder: Arc::default(), table: "t".into() }
}

#[test]
fn work_is_kept_while_it_is_on() {
    let tape = tape();
    tape.add(Work::Read, None, Some(1), 10, Duration::ZERO);
    tape.recorder.start();
    tape.add(Work::Read, None, Some(1), 10, Duration::from_secs(1000));
    let device = Arc::from("cpu");
    tape.add(Work::Decompress, Some(&device), None, 20, Duration::ZERO);
    tape.add(Work::Decode, None, None, 0, Duration::ZERO);
    let elsewhere = tape.clone();
    thread::spawn(move || elsewhere.add(Work::Filter, None, None, 0, Duration::ZERO)).join().expect("done");
    let (spans, left_out) = tape.recorder.take();
    let workers: Vec<_> = spans.iter().map(|span| (span.work, span.worker.clone())).collect();
    let expected = [
        (Work::Read, Worker::Store),
        (Work::Decompress, Worker::Device(device)),
        (Work::Decode, Worker::Thread(0)),
        (Work::Filter, Worker::Thread(1)),
    ];
    assert_eq!((&workers[..], left_out), (&expected[..], 0));
    // the work took longer than the recording so far, so its span is cut at the start
    assert_eq!((spans[0].start, spans[0].bytes), (Duration::ZERO, 10));
    assert!(spans.iter().all(|span| span.start <= span.end));
    assert!(tape.recorder.take().0.is_empty());
}

#[test]
fn there_is_an_end_to_what_is_kept() {
    let tape = tape();
    tape.recorder.start();
    (0..MAX_SPANS + 3).for_each(|_| tape.add(Work::Decode, None, None, 0, Duration::ZERO));
    let (spans, left_out) = tape.recorder.take();
    assert_eq!((spans.len(), left_out), (MAX_SPANS, 3));
}
