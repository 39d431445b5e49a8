//! When codes had better be looked up by a device that decompresses them at once.

use std::sync::Arc;

use pelton_codec::Format;
use pelton_job::conformance::{Fault, Faulty};
use pelton_job::{Failure, Job, MembershipTest, OutputSize, Router};

use crate::support::Held;

const PLAIN: usize = 10_000;

/// Whether the router would look codes up in one step; nothing is counted for the question.
fn says(router: &Router) -> bool {
    let before = router.counters().to_string();
    let codes = MembershipTest { uncompressed_len: PLAIN, count: 8, set: vec![1].into() };
    let members = Job::test_membership(Format::Zlib, &b"packed"[..], codes);
    let decompress = Job::decompress(Format::Zlib, &b"packed"[..], OutputSize::Exact(PLAIN));
    let answer = router.prefers_fused_filter(&members.view(), &decompress.view());
    assert_eq!(before, router.counters().to_string());
    answer
}

fn at(bytes_per_second: f64) -> Arc<Held> {
    Held::new("one step", 1, bytes_per_second)
}

fn authority() -> Arc<Held> {
    Held::new("authority", 1, 1e6)
}

#[test]
fn without_such_a_device_there_is_nothing_to_ask() {
    let router = Router::builder().device(authority()).device(Held::new("other", 1, 1e9)).build();
    assert!(!router.has_fused_filter() && !says(&router));
    let router = Router::builder().device(authority()).device(at(1.0)).build();
    assert!(router.has_fused_filter());
}

#[test]
fn it_has_to_be_done_no_later_than_decompression_elsewhere() {
    for (speed, expected) in [(9e5, false), (1e6, true), (2e6, true)] {
        let router = Router::builder().device(at(speed)).device(authority()).build();
        assert_eq!(says(&router), expected, "{speed}");
    }
}

#[test]
fn what_is_queued_counts() {
    let device = at(2e6);
    let router = Router::builder().device(device.clone()).device(authority()).build();
    assert!(says(&router));
    let _ticket = router.submit(Job::decompress(Format::Zlib, &b"packed"[..], OutputSize::Exact(PLAIN)));
    assert_eq!(device.len(), 1);
    assert!(!says(&router), "behind that job it takes as long as elsewhere");
}

#[test]
fn a_reserve_is_no_alternative() {
    let router = Router::builder().device(at(1.0)).fallback(Held::new("authority", 1, 1e12)).build();
    assert!(says(&router));
}

#[test]
fn nobody_asks_a_device_that_was_set_aside_or_refuses() {
    let device = at(1e9);
    let router = Router::builder().device(device.clone()).device(authority()).build();
    for _ in 0..3 {
        let _ticket = router.submit(Job::decompress(Format::Zlib, &b"packed"[..], OutputSize::Exact(PLAIN)));
        device.take().remove(0).start().expect("not cancelled").finish(Err(Failure::Fault("gone".into())));
    }
    assert!(!says(&router));
    let refuses = Faulty::new(at(1e9), Fault::RefusesOver(0), 1);
    let router = Router::builder().device(refuses).device(authority()).build();
    assert!(!says(&router));
}
