use super::plot;
use crate::encoders::Family;
use crate::front::{Panel, Point};

fn panel(title: &str) -> Panel {
    let point = |family: Family, level: i32, ratio, speed| Point {
        name: format!("{}{level}", family.name()),
        family,
        compressed: 1.0,
        ratio,
        speed,
    };
    Panel {
        title: title.into(),
        points: vec![
            point(Family::Pelton, 1, 2.5, 600.0),
            point(Family::Pelton, 6, 3.1, 90.0),
            point(Family::ZlibNg, 1, 2.0, 350.0),
            point(Family::Zstd, 3, 3.5, 300.0),
        ],
    }
}

#[test]
fn every_point_is_in_its_panel() {
    let svg = plot(&[panel("json, 4K blocks"), panel("source, 4K blocks")]);
    for title in ["json, 4K blocks", "source, 4K blocks"] {
        assert_eq!(svg.matches(title).count(), 1);
    }
    for name in ["pelton1", "pelton6", "zlib-ng1", "zstd3"] {
        assert_eq!(svg.matches(&format!("<title>{name}: ")).count(), 2, "{name}");
    }
    assert!(svg.contains("ratio 2.500, 600 MB/s"));
    // Two panels, 460 by 360 below the legend: no dot is outside.
    for circle in svg.split("<circle cx=\"").skip(1) {
        let number = |text: &str| text.split('"').next().unwrap().parse::<f64>().unwrap();
        let (x, y) = (number(circle), number(circle.split("cy=\"").nth(1).unwrap()));
        assert!((0.0..920.0).contains(&x) && (0.0..404.0).contains(&y), "{x} {y}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn tags_are_closed() {
    let svg = plot(&[panel("json, 4K blocks")]);
    for tag in ["svg", "text", "title"] {
        assert_eq!(
            svg.matches(&format!("<{tag}")).count(),
            svg.matches(&format!("</{tag}>")).count(),
            "{tag}"
        );
    }
    assert!(svg.trim_end().ends_with("</svg>"));
}
