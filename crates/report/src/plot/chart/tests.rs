use super::{Chart, Mark, Scale, Series, spread};

#[test]
fn names_are_apart_and_in_order() {
    assert_eq!(spread(vec![100.0, 300.0, 104.0]), [100.0, 300.0, 116.0]);
    assert_eq!(spread(vec![50.0, 50.0, 50.0]), [50.0, 66.0, 82.0]);
}

#[test]
fn a_chart_has_lines_single_points_and_marks() {
    let series = |name: &str, points: &[(f64, f64)]| Series {
        name: name.to_owned(),
        points: points.to_vec(),
        is_dashed: false,
    };
    let chart = Chart {
        title: "time & size",
        notes: &["measured".to_owned()],
        x: ("bytes", Scale::Logarithmic),
        y: ("ratio", Scale::Linear),
        series: &[series("line", &[(1.0, 2.0), (100.0, 3.0)]), series("point", &[(10.0, 2.5)])],
        marks: &[Mark { at: (10.0, 2.5), series: 1, text: "here".to_owned() }],
    };
    let svg = chart.draw();
    for part in ["time &amp; size", "bytes (logarithmic)", ">ratio<", ">line<", ">point<", ">here<"] {
        assert!(svg.contains(part), "no {part} in {svg}");
    }
    assert_eq!((svg.matches("<polyline").count(), svg.matches("<circle").count()), (1, 1));
}
