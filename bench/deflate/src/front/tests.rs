use super::{Cell, Front};
use crate::data::Kind;
use crate::encoders::Family;

fn cell(kind: Kind, size: usize, compressed: f64, seconds: f64) -> Cell {
    let (name, family) = ("igzip1".into(), Family::Igzip);
    Cell { kind, size, name, family, uncompressed: 1e6, compressed, seconds }
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
    assert_eq!((all.len(), all[0].compressed, all[0].ratio), (1, 1_250_000.0, 1.6));
    assert!((all[0].speed - 50.0).abs() < 1e-9);
    assert_eq!(front.points(&[Kind::Json], None)[0].compressed, 450_000.0);
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

#[test]
fn panels_leave_out_what_only_stores() {
    let stores = |kind| Cell { name: "igzip0".into(), ..cell(kind, 4096, 1_000_100.0, 0.001) };
    let both = |kind, compressed| [cell(kind, 4096, compressed, 0.01), stores(kind)];
    let points = |cells: [Cell; 2]| Front::new(cells.to_vec()).panels()[0].points.len();
    assert_eq!(points(both(Kind::Json, 250_000.0)), 1);
    assert_eq!(points(both(Kind::Random, 1_000_000.0)), 2);
}
