//! Windows: credits, queues, suspension and closing.

use pelton_device_model::nx::{Config, Fault, Faults, Model};
use pelton_device_nx::hw::Crb;
use pelton_device_nx::{Credits, Pasted};

use crate::support::*;

fn requests(count: usize) -> (Vec<Request>, Vec<Crb>) {
    let mut requests: Vec<Request> = (0..count).map(|_| Request::new(&fresh(), b"abc", 16)).collect();
    let crbs = requests.iter_mut().map(|request| request.crb(FIXED)).collect();
    (requests, crbs)
}

#[test]
fn a_window_takes_as_many_requests_as_it_has_credits() {
    let faults = Faults::none().rule(|_| Some(Fault::NoAnswer));
    let model = Model::new(Config { credits: 3, faults, ..Config::default() });
    let window = window(&model);
    let (requests, crbs) = requests(5);
    let pasted: Vec<Pasted> =
        requests.iter().zip(&crbs).map(|(request, crb)| request.paste(&window, crb)).collect();
    assert_eq!(pasted, [Pasted::Accepted, Pasted::Accepted, Pasted::Accepted, Pasted::Busy, Pasted::Busy]);
    assert_eq!(window.limits().credits, 3);
    window.close();
    let counters = model.counters();
    assert_eq!(
        (counters.accepted, counters.busy, counters.dropped_at_close, counters.completed),
        (3, 2, 3, 0)
    );
    assert!(requests.iter().all(|request| !request.is_answered()));
    assert_eq!(requests[0].paste(&window, &crbs[0]), Pasted::Suspended);
    assert_eq!(model.counters().refused, 1);
}

#[test]
fn credits_come_back_unless_they_are_lost() {
    let faults = Faults::none().at(1, Fault::LostCredit);
    let model = Model::new(Config { credits: 1, faults, ..Config::default() });
    let window = window(&model);
    for expected in [Pasted::Accepted, Pasted::Accepted, Pasted::Busy] {
        let mut request = Request::new(&fresh(), b"abc", 16);
        let crb = request.crb(FIXED);
        // The credit comes back before the answer.
        assert_eq!(request.paste(&window, &crb), expected);
        if expected == Pasted::Accepted {
            request.answer();
        }
    }
    // A window of its own has its own credits.
    let (requests, crbs) = requests(1);
    let other = crate::support::window(&model);
    assert_eq!(requests[0].paste(&other, &crbs[0]), Pasted::Accepted);
}

#[test]
fn a_suspended_window_completes_earlier_requests() {
    let faults = Faults::none().at(1, Fault::SuspendWindow);
    let model = Model::new(Config { faults, ..Config::default() });
    let window = window(&model);
    let (mut requests, crbs) = requests(2);
    assert_eq!(requests[0].paste(&window, &crbs[0]), Pasted::Accepted);
    assert_eq!(requests[1].paste(&window, &crbs[1]), Pasted::Suspended);
    assert_eq!(requests[1].paste(&window, &crbs[1]), Pasted::Suspended);
    assert_eq!(inflate(requests.remove(0).answer().output(), 3), b"abc");
    assert_eq!(model.counters().windows, 1);
}

#[test]
fn there_is_no_window_of_an_engine_that_is_not_there() {
    let model = Model::new(Config { engines: 2, ..Config::default() });
    assert!(model.open(1, Credits::Shared).is_ok() && model.open(2, Credits::Shared).is_err());
}

/// PowerVM rejects a request that is too long by its source or its target.
#[test]
fn requests_beyond_the_limit_are_rejected() {
    let model = Model::new(Config { max_bytes: Some(100), ..Config::default() });
    let window = window(&model);
    assert_eq!(window.limits().max_bytes, Some(100));
    for (source, target) in [(101, 100), (100, 101)] {
        let mut request = Request::new(&fresh(), &text(source), target);
        let crb = request.crb(FIXED);
        assert_eq!(request.paste(&window, &crb), Pasted::Busy);
    }
    let mut request = Request::new(&fresh(), &text(100), 100);
    let crb = request.crb(FIXED);
    assert_eq!(request.paste(&window, &crb), Pasted::Accepted);
    assert_eq!(inflate(request.answer().output(), 100), text(100));
    assert_eq!((model.counters().too_long, model.counters().accepted), (2, 1));
}

#[test]
fn guaranteed_credits_have_the_queue_of_high_priority() {
    let model = Model::new(Config::default());
    for (credits, expected) in [(Credits::Shared, 0), (Credits::Guaranteed, 1)] {
        let window = model.open(0, credits).expect("a window");
        let mut request = Request::new(&fresh(), &text(100), 100);
        let crb = request.crb(FIXED);
        assert_eq!(request.paste(&window, &crb), Pasted::Accepted);
        assert_eq!(inflate(request.answer().output(), 100), text(100));
        assert_eq!(model.counters().high_priority, expected);
    }
}

#[test]
fn the_clock_counts_each_request() {
    let model = Model::new(Config::default());
    for _ in 0..3 {
        run(&model, FIXED, &fresh(), &text(1 << 16), 1 << 17);
    }
    let time = model.clock();
    let one = Config::default().timing.on_engine(FIXED, 1 << 16);
    assert_eq!((time.requests, time.bytes_in, time.modelled_makespan), (3, 3 << 16, 3 * one));
    assert!(model.report("nx-model").starts_with("nx-model modelled: 3 requests in"));
}
