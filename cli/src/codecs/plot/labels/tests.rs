use super::super::Point;
use super::{Area, CHARACTER_WIDTH, LINE_HEIGHT, place};

const FIELD: Area = Area { left: 0.0, top: 0.0, right: 900.0, bottom: 500.0 };

fn point(x: f64, y: f64) -> Point {
    Point { x, y, codec: 0, device: 0, label: "deflate 6".into() }
}

fn areas(points: &[Point]) -> Vec<Area> {
    let width = "deflate 6".len() as f64 * CHARACTER_WIDTH;
    let area = |left: f64, bottom: f64| Area { left, top: bottom - LINE_HEIGHT, right: left + width, bottom };
    place(points, FIELD).iter().map(|placed| area(placed.left, placed.baseline + 4.0)).collect()
}

fn assert_apart(areas: &[Area]) {
    for (index, area) in areas.iter().enumerate() {
        assert!((area.overlap(&FIELD) - area.size()).abs() < 1e-6, "{area:?} is outside");
        assert!(areas[..index].iter().all(|other| area.overlap(other) == 0.0), "{area:?} covers another");
    }
}

#[test]
fn a_lone_label_is_right_of_its_point() {
    let areas = areas(&[point(100.0, 100.0)]);
    assert!(areas[0].left > 100.0 && areas[0].left < 112.0, "{areas:?}");
    assert!(place(&[point(100.0, 100.0)], FIELD)[0].leader.is_none());
}

#[test]
fn labels_of_points_on_one_spot_keep_apart() {
    // Deflate, zlib and gzip at the same level lie on top of each other.
    let points: Vec<Point> = (0..9).map(|i| point(300.0 + f64::from(i), 200.0)).collect();
    assert_apart(&areas(&points));
    assert!(place(&points, FIELD).iter().any(|placed| placed.leader.is_some()));
}

#[test]
fn labels_stay_inside_at_the_corners() {
    assert_apart(&areas(&[point(1.0, 1.0), point(899.0, 1.0), point(1.0, 499.0), point(899.0, 499.0)]));
}
