use super::*;
use pelton_tpch::engine::protocol::Scanned;

#[test]
fn bytes_over_bandwidth() {
    let copies = Copies { bytes: 1, pinned: 50.0, pageable: 5.0, memory: 2000.0 };
    let scanned = Scanned {
        bytes_read: 1_000_000_000,
        bytes_of_columns: 4_000_000_000,
        plain_bytes_of_columns: 8_000_000_000,
        ..Scanned::default()
    };
    let figures = QueryFigures { query: 6, ms: Some(40.0), rival_ms: None, fault: None, on_gpu: None };
    let phases = [Phase { place: Place::Host, queries: vec![figures], fault: None }];
    let bounds = bounds(&copies, &[Read { query: 6, scanned }], &phases);
    let [bound] = &bounds[..] else { panic!("one query") };
    assert_eq!((bound.pruned, bound.plain_bytes), (0.75, 2_000_000_000));
    assert_eq!((bound.copy_ms, bound.memory_ms), (20.0, 1.0));
    assert_eq!((bound.of_copy, bound.of_memory), (Some(2.0), None));
}
