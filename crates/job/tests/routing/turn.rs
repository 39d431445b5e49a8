//! Jobs that the submitter does in a device's name.

use std::sync::Arc;

use bytes::Bytes;
use pelton_codec::Format;
use pelton_job::conformance::{Fault, Faulty};
use pelton_job::{Job, Operation, Router};

use crate::support::Held;

fn part() -> Job {
    Job::compress_part(Format::Deflate.default_level(), Bytes::from(vec![0; 10_000]))
}

fn with(other: f64) -> Arc<Router> {
    Router::builder().device(Held::new("other", 1, other)).device(Held::new("authority", 1, 1e6)).build()
}

#[test]
fn it_is_the_turn_of_who_would_be_done_first() {
    assert!(with(2e6).turn(&part().view(), "authority").is_none());
    assert!(with(5e5).turn(&part().view(), "authority").is_some());
    assert!(with(5e5).turn(&part().view(), "nobody").is_none());
    assert!(Router::builder().build().turn(&part().view(), "authority").is_none());
}

#[test]
fn a_reserve_has_its_turn_when_nobody_else_takes_the_job() {
    let reserve = || Held::new("authority", 1, 1e12);
    let router = Router::builder().device(Held::new("other", 1, 1.0)).reserve(reserve()).build();
    assert!(router.turn(&part().view(), "authority").is_none());
    let refuses = Faulty::new(Held::new("other", 1, 1e12), Fault::RefusesOver(0), 1);
    let router = Router::builder().device(refuses).reserve(reserve()).build();
    assert!(router.turn(&part().view(), "authority").is_some());
    let refused: u64 = router.counters().devices[0].rows.iter().map(|row| row.refused_total()).sum();
    assert_eq!(refused, 1, "{}", router.counters());
}

#[test]
fn what_is_done_and_what_is_dropped_is_counted() {
    let router = with(1.0);
    let job = part();
    let turn = router.turn(&job.view(), "authority").expect("the other is slow");
    turn.done(123);
    drop(router.turn(&job.view(), "authority"));
    let row = router.counters().row("authority", job.operation);
    assert_eq!((row.tried, row.done, row.cancelled), (2, 1, 1), "{row:?}");
    assert_eq!((row.bytes_in, row.bytes_out), (10_000, 123));
    assert_eq!(row.operation, "compress part");
    assert!(matches!(job.operation, Operation::CompressPart { .. }));
}

#[test]
fn a_turn_is_load_while_it_lasts() {
    let router = with(9e5);
    let job = part();
    let turn = router.turn(&job.view(), "authority").expect("it is a little faster");
    assert!(
        router.turn(&job.view(), "authority").is_none(),
        "behind that job it takes longer than elsewhere"
    );
    turn.done(1);
    assert!(router.turn(&job.view(), "authority").is_some());
}
