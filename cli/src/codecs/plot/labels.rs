//! Placement of the points' labels, so that none covers another or a point.

use super::Point;

pub const FONT_SIZE: u32 = 12;

/// The average width of a character in the usual sans serif fonts is 0.55 of their size; digits and
/// capitals are wider.
const CHARACTER_WIDTH: f64 = FONT_SIZE as f64 * 0.6;
const LINE_HEIGHT: f64 = FONT_SIZE as f64 + 2.0;
/// Half the width of a marker, with a little air.
const MARKER: f64 = 6.0;
/// Distances of a label from its point, in pixels; nearer is better.
const DISTANCES: [f64; 9] = [8.0, 14.0, 22.0, 32.0, 44.0, 58.0, 74.0, 92.0, 112.0];
/// A label that is further off than this has a line to its point.
const NEAR: f64 = 15.0;
/// Directions of a label from its point, preferred ones first; angles in eighths of a turn.
const DIRECTIONS: [f64; 8] = [0.0, 4.0, 7.0, 1.0, 5.0, 3.0, 6.0, 2.0];

/// A rectangle.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Start of a label, and the end of the line from its point to it if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub left: f64,
    pub baseline: f64,
    pub leader: Option<(f64, f64)>,
}

/// Places every label, in the points' order: each at the first place where it is free, else where
/// it covers least. An empty one is nowhere in the way.
pub fn place(points: &[Point], field: Area) -> Vec<Placed> {
    let mut taken: Vec<Area> =
        points.iter().map(|point| around((point.x, point.y), MARKER, MARKER)).collect();
    points
        .iter()
        .map(|point| {
            let (area, distance) = best(point, field, &taken);
            if !point.label.is_empty() {
                taken.push(area);
            }
            let end = (point.x.clamp(area.left, area.right), point.y.clamp(area.top, area.bottom));
            Placed { left: area.left, baseline: area.bottom - 4.0, leader: (distance > NEAR).then_some(end) }
        })
        .collect()
}

fn best(point: &Point, field: Area, taken: &[Area]) -> (Area, f64) {
    let mut best: Option<(f64, Area, f64)> = None;
    for distance in DISTANCES {
        for direction in DIRECTIONS {
            let area = beside(point, distance, direction);
            let outside = area.size() - area.overlap(&field);
            let covered: f64 = outside + taken.iter().map(|other| area.overlap(other)).sum::<f64>();
            if best.as_ref().is_none_or(|(min, ..)| covered < *min) {
                best = Some((covered, area, distance));
            }
            if covered == 0.0 {
                return (area, distance);
            }
        }
    }
    // The lists are not empty, so there is always a best place.
    best.map_or_else(|| (beside(point, NEAR, 0.0), NEAR), |(_, area, distance)| (area, distance))
}

/// Returns the area of a point's label in a direction, so far away that it just does not touch the
/// point at the least distance.
fn beside(point: &Point, distance: f64, direction: f64) -> Area {
    let (sine, cosine) = (direction * std::f64::consts::FRAC_PI_4).sin_cos();
    let half = (point.label.chars().count() as f64 * CHARACTER_WIDTH / 2.0, LINE_HEIGHT / 2.0);
    let centre = (point.x + cosine * (distance + half.0), point.y - sine * (distance + half.1));
    around(centre, half.0, half.1)
}

fn around((x, y): (f64, f64), half_width: f64, half_height: f64) -> Area {
    Area { left: x - half_width, top: y - half_height, right: x + half_width, bottom: y + half_height }
}

impl Area {
    fn size(&self) -> f64 {
        (self.right - self.left) * (self.bottom - self.top)
    }

    /// Returns the square pixels of the intersection.
    fn overlap(&self, other: &Area) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        width.max(0.0) * height.max(0.0)
    }
}

#[cfg(test)]
mod tests;
