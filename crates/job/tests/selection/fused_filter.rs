//! Preference between a fused decompress-and-filter job and separate steps.

use std::sync::Arc;

use pelton_codec::Format;
use pelton_job::conformance::{Fault, Faulty};
use pelton_job::{Failure, Job, MembershipTest, OutputSize, Router};

use crate::support::Held;

const UNCOMPRESSED: usize = 10_000;

/// Returns whether the router prefers the fused job, and checks that asking counts nothing.
fn prefers(router: &Router) -> bool {
    let before = router.counters().to_string();
    let test = MembershipTest { uncompressed_len: UNCOMPRESSED, count: 8, set: vec![1].into() };
    let members = Job::test_membership(Format::Zlib, &b"compressed"[..], test);
    let decompress = Job::decompress(Format::Zlib, &b"compressed"[..], OutputSize::Exact(UNCOMPRESSED));
    let answer = router.prefers_fused_filter(&members.view(), &decompress.view());
    assert_eq!(before, router.counters().to_string());
    answer
}

fn at(bytes_per_second: f64) -> Arc<Held> {
    Held::new("fused", 1, bytes_per_second)
}

fn authority() -> Arc<Held> {
    Held::new("authority", 1, 1e6)
}

#[test]
fn without_such_a_device_separate_steps_are_preferred() {
    let router = Router::builder().device(authority()).device(Held::new("other", 1, 1e9)).build();
    assert!(!router.has_fused_filter() && !prefers(&router));
    let router = Router::builder().device(authority()).device(at(1.0)).build();
    assert!(router.has_fused_filter());
}

#[test]
fn it_has_to_be_done_no_later_than_decompression_elsewhere() {
    for (speed, expected) in [(9e5, false), (1e6, true), (2e6, true)] {
        let router = Router::builder().device(at(speed)).device(authority()).build();
        assert_eq!(prefers(&router), expected, "{speed}");
    }
}

#[test]
fn queued_jobs_count() {
    let device = at(2e6);
    let router = Router::builder().device(device.clone()).device(authority()).build();
    assert!(prefers(&router));
    let _ticket =
        router.submit(Job::decompress(Format::Zlib, &b"compressed"[..], OutputSize::Exact(UNCOMPRESSED)));
    assert_eq!(device.len(), 1);
    assert!(!prefers(&router), "behind that job it takes as long as elsewhere");
}

#[test]
fn the_fallback_is_no_alternative() {
    let router = Router::builder().device(at(1.0)).fallback(Held::new("authority", 1, 1e12)).build();
    assert!(prefers(&router));
}

#[test]
fn a_device_with_an_open_breaker_or_without_support_is_not_preferred() {
    let device = at(1e9);
    let router = Router::builder().device(device.clone()).device(authority()).build();
    for _ in 0..3 {
        let _ticket =
            router.submit(Job::decompress(Format::Zlib, &b"compressed"[..], OutputSize::Exact(UNCOMPRESSED)));
        device.take().remove(0).start().expect("not cancelled").finish(Err(Failure::Fault("gone".into())));
    }
    assert!(!prefers(&router));
    let unsupported = Faulty::new(at(1e9), Fault::UnsupportedOver(0), 1);
    let router = Router::builder().device(unsupported).device(authority()).build();
    assert!(!prefers(&router));
}
