use super::{Cell, Front, Point, Question};
use crate::coders::Family;
use crate::data::Kind;

fn point(family: Family, name: &str, packed: f64, speed: f64) -> Point {
    Point { name: name.into(), family, packed, ratio: 1000.0 / packed, speed }
}

fn points() -> Vec<Point> {
    vec![
        point(Family::Igzip, "igzip1", 500.0, 400.0),
        point(Family::Zlib, "zlib6", 400.0, 50.0),
        point(Family::Pelton, "pelton1", 490.0, 800.0),
        point(Family::Pelton, "pelton2", 450.0, 400.0),
        point(Family::Pelton, "pelton3", 430.0, 399.0),
        point(Family::Pelton, "pelton6", 411.0, 200.0),
        point(Family::Pelton, "pelton9", 380.0, 20.0),
    ]
}

#[test]
fn the_smallest_level_that_is_as_fast() {
    assert_eq!(Question::Fewer("igzip1").answer(&points()), "10.0% (pelton2)");
}

#[test]
fn the_fastest_level_that_is_as_small() {
    assert_eq!(Question::Faster("zlib6", 1.0).answer(&points()), "0.40x (pelton9)");
    assert_eq!(Question::Faster("zlib6", 1.03).answer(&points()), "4.00x (pelton6)");
    assert_eq!(Question::Faster("igzip1", 1.0).answer(&points()), "2.00x (pelton1)");
}

#[test]
fn panels_leave_out_what_only_stores() {
    let stores = |kind| Cell { name: "igzip0".into(), ..cell(kind, 4096, 1_000_100.0, 0.001) };
    let both = |kind, packed| [cell(kind, 4096, packed, 0.01), stores(kind)];
    let points = |cells: [Cell; 2]| Front::new(cells.to_vec()).panels()[0].points.len();
    assert_eq!(points(both(Kind::Json, 250_000.0)), 1);
    assert_eq!(points(both(Kind::Random, 1_000_000.0)), 2);
}

#[test]
fn storing_is_no_answer() {
    let mut points = points();
    points.insert(2, point(Family::Pelton, "pelton0", 1001.0, 9000.0));
    points[0].speed = 600.0;
    assert_eq!(Question::Fewer("igzip1").answer(&points), "2.0% (pelton1)");
    points[0].speed = 900.0;
    assert_eq!(Question::Fewer("igzip1").answer(&points), "none");
    points[0] = point(Family::Igzip, "igzip1", 1001.0, 900.0);
    assert_eq!(Question::Fewer("igzip1").answer(&points), "0.0% (pelton0)");
}

#[test]
fn no_answer() {
    let mut points = points();
    points[0].speed = 900.0;
    assert_eq!(Question::Fewer("igzip1").answer(&points), "none");
    points[1].packed = 300.0;
    assert_eq!(Question::Faster("zlib6", 1.03).answer(&points), "none");
    assert_eq!(Question::Faster("libdeflate1", 1.0).answer(&points), "-");
    points.retain(|point| point.family != Family::Pelton);
    assert_eq!(Question::Fewer("igzip1").answer(&points), "-");
}

fn cell(kind: Kind, size: usize, packed: f64, seconds: f64) -> Cell {
    let (name, family) = ("igzip1".into(), Family::Igzip);
    Cell { kind, size, name, family, plain: 1e6, packed, seconds }
}

#[test]
fn bytes_are_added_and_speeds_averaged() {
    let front = Front::new(vec![
        cell(Kind::Json, 4096, 250_000.0, 0.01),
        cell(Kind::Random, 4096, 1_000_000.0, 0.04),
        cell(Kind::Json, 8192, 200_000.0, 0.01),
        cell(Kind::Random, 8192, 1_000_000.0, 0.01),
        cell(Kind::Floats, 4096, 500_000.0, 0.01),
        cell(Kind::Floats, 8192, 500_000.0, 0.01),
    ]);
    let all = front.points(&[Kind::Json, Kind::Random], Some(4096));
    assert_eq!((all.len(), all[0].packed, all[0].ratio), (1, 1_250_000.0, 1.6));
    assert!((all[0].speed - 50.0).abs() < 1e-9);
    assert_eq!(front.points(&[Kind::Json], None)[0].packed, 450_000.0);
    let names: Vec<&str> = front.scopes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["json", "random", "floats", "all", "all but random"]);
    let titles: Vec<String> = front.panels().into_iter().map(|panel| panel.title).collect();
    assert_eq!(
        titles,
        [
            "all but random, 4K blocks",
            "all but random, 8K blocks",
            "json, 4K blocks",
            "random, 4K blocks",
            "floats, 4K blocks"
        ]
    );
    assert!(front.table(4096).plain().contains("4.000 100"));
    assert_eq!(front.csv().lines().nth(1).unwrap(), "json,4096,igzip1,1000000,250000,0.010000");
}
