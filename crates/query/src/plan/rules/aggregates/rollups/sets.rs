//! Grouping sets, each with a finer one to compute it from.

use std::fmt;

/// Most columns of an aggregate: the ID of a set has as many bits, and further ones for the number
/// of a repetition.
const MOST_COLUMNS: usize = 32;

/// A grouping set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::plan::rules::aggregates) struct Set {
    /// For each column of the finest set, whether this set leaves it out.
    pub omits: Vec<bool>,
    /// Grouping IDs, one for each time that the set is written: the columns left out as bits, the
    /// last one lowest, and above them the number of the repetition.
    pub ids: Vec<u64>,
    /// Index of the set that has the groups to merge; `None` for the finest.
    pub from: Option<usize>,
}

impl Set {
    /// Returns the sets of an aggregate, the finest one first; `None` if no set has all columns, or
    /// if there is only one.
    ///
    /// Each set is computed from a set with the fewest columns that has all of its own.
    pub fn all(groups: &[Vec<bool>]) -> Option<Vec<Self>> {
        if groups.iter().any(|omits| omits.len() > MOST_COLUMNS) {
            return None;
        }
        let mut sets: Vec<Self> = Vec::new();
        for omits in groups {
            let mask = omits.iter().fold(0u64, |mask, &is_omitted| mask << 1 | u64::from(is_omitted));
            match sets.iter_mut().find(|set| set.omits == *omits) {
                Some(set) => set.ids.push(mask | (set.ids.len() as u64) << omits.len()),
                None => sets.push(Self { omits: omits.clone(), ids: vec![mask], from: None }),
            }
        }
        sets.sort_by_key(Set::omitted);
        let finest = sets.first()?;
        if finest.omitted() > 0 || sets.len() < 2 {
            return None;
        }
        for at in 1..sets.len() {
            let finer = sets[..at].iter().enumerate().filter(|(_, finer)| finer.covers(&sets[at]));
            sets[at].from = finer.max_by_key(|(_, finer)| finer.omitted()).map(|(index, _)| index);
        }
        Some(sets)
    }

    /// Returns the indexes of the set's columns.
    pub fn columns(&self) -> impl Iterator<Item = usize> + '_ {
        self.omits.iter().enumerate().filter(|(_, is_omitted)| !**is_omitted).map(|(index, _)| index)
    }

    /// Returns the text of the set for a plan.
    pub fn shown<'a>(&'a self, names: &'a [&'a str]) -> impl fmt::Display + 'a {
        Shown { set: self, names }
    }

    fn omitted(&self) -> usize {
        self.omits.iter().filter(|is_omitted| **is_omitted).count()
    }

    /// Returns whether a set has all columns of another one.
    fn covers(&self, other: &Self) -> bool {
        self.omits.iter().zip(&other.omits).all(|(mine, others)| !mine || *others)
    }
}

struct Shown<'a> {
    set: &'a Set,
    names: &'a [&'a str],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (number, column) in self.set.columns().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.names[column])?;
        }
        f.write_str(")")
    }
}
