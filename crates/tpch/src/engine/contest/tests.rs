use std::cell::RefCell;
use std::rc::Rc;

use super::{Outcome, Task, contest};
use crate::Error;
use crate::engine::protocol::{Answered, Identity};
use crate::engine::result::{Kind, ResultSet};
use crate::engine::system::System;

/// An engine that always returns one number, and notes its calls.
struct Canned {
    identity: Identity,
    value: Result<&'static str, &'static str>,
    ms: f64,
    turns: Rc<RefCell<String>>,
}

impl System for Canned {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn query(&mut self, _sql: &str, rows: bool) -> Result<Answered, Error> {
        self.turns.borrow_mut().push_str(&self.identity.name);
        let value = self.value.map_err(|reason| Error::Argument(reason.into()))?;
        let mut result = ResultSet::from_answer(&format!("x\n{value}\n"));
        result.columns[0].kind = Kind::Number;
        Ok(Answered {
            ms: self.ms,
            planned_ms: None,
            row_count: 1,
            result: rows.then_some(result),
            scanned: None,
        })
    }

    fn peak_memory(&mut self) -> Result<u64, Error> {
        Ok(0)
    }
}

fn run(
    values: &[Result<&'static str, &'static str>],
    answer: Option<&str>,
    tasks: usize,
) -> (Vec<Vec<Outcome>>, String) {
    let turns = Rc::new(RefCell::new(String::new()));
    let mut systems: Vec<Box<dyn System>> = Vec::new();
    for (index, (&value, name)) in values.iter().zip(["A", "B", "C"]).enumerate() {
        let identity = Identity { name: name.into(), version: "1".into() };
        systems.push(Box::new(Canned { identity, value, ms: index as f64, turns: turns.clone() }));
    }
    let answer = answer.map(|value| ResultSet::from_answer(&format!("x\n{value}\n")));
    let tasks: Vec<Task> = (0..tasks)
        .map(|index| Task {
            name: format!("T{index}"),
            sql: String::new(),
            order_by: &[],
            answer: answer.clone(),
            share: 0.0,
        })
        .collect();
    let outcomes = contest(&mut systems, &tasks, 2, None, &|_| {});
    (outcomes, turns.take())
}

#[test]
fn engines_take_turns_and_the_first_turn_rotates() {
    let (outcomes, turns) = run(&[Ok("1"), Ok("1"), Ok("1")], None, 2);
    // Two tasks compared, then two runs of two tasks.
    assert_eq!(turns, "ABCABC ABC BCA BCA CAB".replace(' ', ""));
    assert_eq!(outcomes[1][2].runs_ms, [2.0, 2.0]);
    assert_eq!(outcomes[1][2].median_ms(), 2.0);
}

#[test]
fn who_returns_other_rows_does_not_compete() {
    let (outcomes, _) = run(&[Ok("1"), Ok("2")], None, 1);
    assert!(outcomes[0][0].fault.is_none());
    let fault = outcomes[0][1].fault.clone().unwrap();
    assert_eq!(fault, "not the same as A: row 1, x: 2, expected 1");
    assert!(outcomes[0][1].runs_ms.is_empty() && outcomes[0][1].median_ms().is_nan());
}

#[test]
fn a_known_answer_binds_the_first_engine_too() {
    let (outcomes, _) = run(&[Ok("1"), Ok("2")], Some("2"), 1);
    assert!(outcomes[0][0].fault.clone().unwrap().contains("not the same as the answer"));
    assert!(outcomes[0][1].fault.is_none());
}

#[test]
fn an_engine_that_fails_leaves_the_others_running() {
    let (outcomes, turns) = run(&[Err("out of memory"), Ok("2")], None, 1);
    assert_eq!(outcomes[0][0].fault.as_deref(), Some("out of memory"));
    assert_eq!(outcomes[0][1].runs_ms.len(), 2);
    assert_eq!(turns, "ABBB");
}

#[test]
fn first_runs_are_those_of_new_systems() {
    let (opened, turns) = (RefCell::new(Vec::new()), Rc::new(RefCell::new(String::new())));
    let canned = |name: &str| -> Box<dyn System> {
        let identity = Identity { name: name.into(), version: "1".into() };
        Box::new(Canned { identity, value: Ok("1"), ms: 1.0, turns: turns.clone() })
    };
    let task = Task { name: "T".into(), sql: String::new(), order_by: &[], answer: None, share: 0.0 };
    let open = |system| {
        opened.borrow_mut().push(system);
        Ok(canned(["a", "b"][system]))
    };
    let mut systems = vec![canned("A"), canned("B")];
    let outcomes = contest(&mut systems, &[task], 2, Some(&open), &|_| {});
    assert_eq!(turns.take(), "AB ab ba".replace(' ', ""));
    assert_eq!(opened.take(), [0, 1, 1, 0]);
    assert_eq!(outcomes[0][1].runs_ms.len(), 2);
}
