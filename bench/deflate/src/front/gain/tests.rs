use super::Question;
use crate::encoders::Family;
use crate::front::Point;

fn point(family: Family, name: &str, compressed: f64, speed: f64) -> Point {
    Point { name: name.into(), family, compressed, ratio: 1000.0 / compressed, speed }
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
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points()), "10.0% (pelton2)");
}

#[test]
fn the_fastest_level_that_is_as_small() {
    assert_eq!(Question::Faster("zlib6", 1.0).answer(Family::Pelton, &points()), "0.40x (pelton9)");
    assert_eq!(Question::Faster("zlib6", 1.03).answer(Family::Pelton, &points()), "4.00x (pelton6)");
    assert_eq!(Question::Faster("igzip1", 1.0).answer(Family::Pelton, &points()), "2.00x (pelton1)");
}

#[test]
fn storing_is_no_answer() {
    let mut points = points();
    points.insert(2, point(Family::Pelton, "pelton0", 1001.0, 9000.0));
    points[0].speed = 600.0;
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points), "2.0% (pelton1)");
    points[0].speed = 900.0;
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points), "none");
    points[0] = point(Family::Igzip, "igzip1", 1001.0, 900.0);
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points), "0.0% (pelton0)");
}

#[test]
fn no_answer() {
    let mut points = points();
    points[0].speed = 900.0;
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points), "none");
    points[1].compressed = 300.0;
    assert_eq!(Question::Faster("zlib6", 1.03).answer(Family::Pelton, &points), "none");
    assert_eq!(Question::Faster("libdeflate1", 1.0).answer(Family::Pelton, &points), "-");
    points.retain(|point| point.family != Family::Pelton);
    assert_eq!(Question::Fewer("igzip1").answer(Family::Pelton, &points), "-");
}
