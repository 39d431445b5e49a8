//! Summary of the measurements of encoders: size and speed, by kind of data, by size of block, and
//! together.

mod gain;

use gain::QUESTIONS;

use crate::data::Kind;
use crate::encoders::Family;
use crate::measure::geometric_mean;
use crate::options::human;
use pelton_report::table::TextTable;

/// One encoder on one kind of data in blocks of one size.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The data.
    pub kind: Kind,
    /// Bytes in a block.
    pub size: usize,
    /// The encoder with its level.
    pub name: String,
    /// The encoder's library.
    pub family: Family,
    /// Bytes before.
    pub uncompressed: f64,
    /// Bytes after.
    pub compressed: f64,
    /// Median time.
    pub seconds: f64,
}

/// One encoder on some cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The encoder with its level.
    pub name: String,
    /// The encoder's library.
    pub family: Family,
    /// Compressed bytes of all cells.
    pub compressed: f64,
    /// Uncompressed bytes of all cells over compressed bytes of all cells.
    pub ratio: f64,
    /// The geometric mean of MB/s.
    pub speed: f64,
}

/// Measurements of all encoders.
pub struct Front {
    cells: Vec<Cell>,
}

/// A picture of some points.
pub struct Panel {
    /// Name of the compressed data.
    pub title: String,
    /// The encoders.
    pub points: Vec<Point>,
}

impl Front {
    /// Makes a front of cells; every encoder has to be there for every kind and size.
    pub fn new(cells: Vec<Cell>) -> Self {
        Front { cells }
    }

    /// Returns the kinds that were measured, in order.
    fn kinds(&self) -> Vec<Kind> {
        let mut kinds = Vec::new();
        for cell in &self.cells {
            if !kinds.contains(&cell.kind) {
                kinds.push(cell.kind);
            }
        }
        kinds
    }

    /// Returns the kinds one by one, then together, then without random data, which no encoder
    /// compresses.
    fn scopes(&self) -> Vec<(&'static str, Vec<Kind>)> {
        let kinds = self.kinds();
        let mut scopes: Vec<_> = kinds.iter().map(|&kind| (kind.name(), vec![kind])).collect();
        if kinds.len() > 1 {
            scopes.push(("all", kinds.clone()));
        }
        if kinds.len() > 2 && kinds.contains(&Kind::Random) {
            scopes.push(("all but random", kinds.into_iter().filter(|&kind| kind != Kind::Random).collect()));
        }
        scopes
    }

    /// Returns each encoder's sums over the cells of some kinds, with blocks of one size or of all.
    fn points(&self, kinds: &[Kind], size: Option<usize>) -> Vec<Point> {
        let inside = |cell: &&Cell| kinds.contains(&cell.kind) && size.is_none_or(|size| size == cell.size);
        let mut names: Vec<(&str, Family)> = Vec::new();
        for cell in self.cells.iter().filter(inside) {
            if !names.contains(&(&cell.name, cell.family)) {
                names.push((&cell.name, cell.family));
            }
        }
        let point = |(name, family): (&str, Family)| {
            let cells = || self.cells.iter().filter(inside).filter(|cell| cell.name == name);
            let compressed = cells().map(|cell| cell.compressed).sum::<f64>();
            Point {
                name: name.to_owned(),
                family,
                compressed,
                ratio: cells().map(|cell| cell.uncompressed).sum::<f64>() / compressed,
                speed: geometric_mean(cells().map(|cell| cell.uncompressed / cell.seconds / 1e6)),
            }
        };
        names.into_iter().map(point).collect()
    }

    /// Returns every cell, for programs.
    pub fn csv(&self) -> String {
        let line = |cell: &Cell| {
            let Cell { kind, size, name, uncompressed, compressed, seconds, .. } = cell;
            format!("{},{size},{name},{uncompressed},{compressed},{seconds:.6}\n", kind.name())
        };
        "data,block bytes,coder,plain bytes,packed bytes,seconds\n".to_owned()
            + &self.cells.iter().map(line).collect::<String>()
    }

    /// Returns the gains of the levels of one of our families, by kind of data.
    pub fn gains(&self, of: Family, size: Option<usize>) -> TextTable {
        let mut table = TextTable::of_numbers(["data"].into_iter().chain(QUESTIONS.map(|(title, _)| title)));
        for (name, kinds) in self.scopes() {
            let points = self.points(&kinds, size);
            let answers = QUESTIONS.map(|(_, question)| question.answer(of, &points));
            table.row([name.to_owned()].into_iter().chain(answers));
        }
        table
    }

    /// Returns ratio and speed of every encoder, by kind of data.
    pub fn table(&self, size: usize) -> TextTable {
        let scopes = self.scopes();
        let mut table =
            TextTable::of_numbers(["coder"].into_iter().chain(scopes.iter().map(|(name, _)| *name)));
        let columns: Vec<_> = scopes.iter().map(|(_, kinds)| self.points(kinds, Some(size))).collect();
        for (row, first) in columns.first().into_iter().flatten().enumerate() {
            let cells =
                columns.iter().map(|points| format!("{:.3} {:.0}", points[row].ratio, points[row].speed));
            table.row([first.name.clone()].into_iter().chain(cells));
        }
        table
    }

    /// Returns all data together for each size of block, then each kind in blocks of 64 KB or of
    /// the first size there is.
    pub fn panels(&self) -> Vec<Panel> {
        let mut sizes: Vec<usize> = self.cells.iter().map(|cell| cell.size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let panel = |name: &str, kinds: &[Kind], size| {
            let mut points = self.points(kinds, Some(size));
            // A level that only stores, thirty times as fast as all else, would squeeze the others
            // into a corner.
            if points.iter().any(|point| point.ratio > 1.1) {
                points.retain(|point| point.ratio > 1.0);
            }
            Panel { title: format!("{name}, {} blocks", human(size)), points }
        };
        let (kinds, scopes) = (self.kinds(), self.scopes());
        let mut panels = Vec::new();
        if let [.., (name, together)] = &scopes[kinds.len()..] {
            panels.extend(sizes.iter().map(|&size| panel(name, together, size)));
        }
        let size = sizes.iter().copied().find(|&size| size == 64 << 10).or(sizes.first().copied());
        if let Some(size) = size {
            panels.extend(kinds.iter().map(|&kind| panel(kind.name(), &[kind], size)));
        }
        panels
    }
}

#[cfg(test)]
mod tests;
