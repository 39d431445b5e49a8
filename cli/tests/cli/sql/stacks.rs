//! Many operators one above the other.

use std::fs;

use crate::support::Place;

/// Levels; a task of the async runtime has a budget of 128 units.
const LEVELS: [usize; 4] = [100, 130, 200, 500];

/// Runs a statement, with one thread and with several, and expects one number.
fn expect(place: &Place, statement: &str, number: usize) {
    fs::write(place.path("q.sql"), statement).expect("written");
    for threads in ["1", "4"] {
        let run = place.run(&["sql", "--format", "csv", "--threads", threads, "--file", "q.sql"]);
        assert_eq!(run.ok(), format!("n\n{number}\n"));
    }
}

/// Returns `levels` texts, one behind the other.
fn repeated(levels: usize, part: impl Fn(usize) -> String) -> String {
    (1..=levels).map(part).collect()
}

#[test]
fn stacks_of_joins_end() {
    let place = Place::new();
    for levels in LEVELS {
        let joins = repeated(levels, |at| format!(" JOIN range(2) t{at}(x) ON t{at}.x = t{}.x", at - 1));
        expect(&place, &format!("SELECT count(*) AS n FROM range(2) t0(x){joins}"), 2);
    }
}

#[test]
fn stacks_of_set_operations_end() {
    let place = Place::new();
    for levels in LEVELS {
        let count =
            |parts: String| format!("SELECT count(*) AS n FROM (SELECT x FROM range(600) t(x){parts})");
        expect(&place, &count(repeated(levels, |at| format!(" EXCEPT SELECT {at}"))), 600 - levels);
        let ranges = repeated(levels, |at| format!(" INTERSECT SELECT x FROM range({at}, 600) t(x)"));
        expect(&place, &count(ranges), 600 - levels);
        expect(&place, &count(repeated(levels, |at| format!(" UNION SELECT {}", 599 + at))), 600 + levels);
        let all = repeated(levels, |at| format!(" UNION ALL SELECT {at}"));
        expect(&place, &count(all), 600 + levels);
    }
}
