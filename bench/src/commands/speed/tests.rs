use super::Speed;
use pelton_tpch::engine::contest::{Outcome, Task};
use pelton_tpch::engine::protocol::Identity;

fn identity(name: &str) -> Identity {
    Identity { name: name.into(), version: "1".into() }
}

fn task(name: &str) -> Task {
    Task { name: name.into(), sql: String::new(), order_by: &[], answer: None, share: 0.0 }
}

fn outcome(runs_ms: [f64; 3]) -> Outcome {
    Outcome { runs_ms: runs_ms.to_vec(), ..Outcome::default() }
}

#[test]
fn the_total_is_the_median_of_the_runs_totals() {
    let (systems, tasks) = ([identity("A"), identity("B")], [task("Q1"), task("Q2")]);
    let outcomes = [
        vec![outcome([10.0, 20.0, 30.0]), outcome([40.0, 40.0, 40.0])],
        vec![outcome([3.0, 2.0, 1.0]), outcome([4.0, 4.0, 4.0])],
    ];
    let speed = Speed { codec: "gzip".into(), systems: &systems, tasks: &tasks, outcomes: &outcomes };
    assert!(!speed.has_faults());
    let expected = "   query      A ms      B ms      of B  fault\n      \
                       Q1      20.0      40.0      0.50\n      \
                       Q2       2.0       4.0      0.50\n   \
                    total      22.0      44.0      0.50\n\
           geometric mean         -         -      0.50\n   \
                   worst         -         -      0.50\n";
    assert_eq!(speed.plain(), expected);
    assert!(speed.markdown().starts_with("| query | A ms | B ms | of B | fault |\n| --- | ---: |"));
    let measured = serde_json::to_value(speed.measured()).unwrap();
    assert_eq!(measured[1]["system"], "B");
    assert_eq!(measured[0]["runs_ms"], serde_json::json!([10.0, 20.0, 30.0]));
}

#[test]
fn a_fault_leaves_no_total() {
    let (systems, tasks) = ([identity("A"), identity("B")], [task("Q1"), task("Q2")]);
    let broken = Outcome { fault: Some("out of memory".into()), ..Outcome::default() };
    let outcomes = [vec![outcome([1.0; 3]), broken], vec![outcome([1.0; 3]), outcome([1.0; 3])]];
    let speed = Speed { codec: "gzip".into(), systems: &systems, tasks: &tasks, outcomes: &outcomes };
    assert!(speed.has_faults());
    let text = speed.plain();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].ends_with("-         -  B: out of memory"), "{text}");
    assert!(lines[3].ends_with("2.0         -         -"), "{text}");
}
