//! Outcomes of a contest as a table and as a record: times, and the first engine's ratio to each
//! other engine.

use serde::Serialize;

use pelton_report::numbers::{median, ms};
use pelton_report::table::{Columns, markdown};
use pelton_tpch::engine::contest::{Outcome, Task};
use pelton_tpch::engine::protocol::Identity;

/// One engine's times for one query on one codec.
#[derive(Serialize)]
pub struct Measured {
    codec: String,
    query: String,
    system: String,
    median_ms: Option<f64>,
    runs_ms: Vec<f64>,
    fault: Option<String>,
}

/// The outcomes of a contest on one codec.
pub struct Speed<'a> {
    /// The data's codec.
    pub codec: String,
    /// The engines; ratios are the first one's time by each other's.
    pub systems: &'a [Identity],
    /// The queries.
    pub tasks: &'a [Task],
    /// Outcomes by query, then by engine.
    pub outcomes: &'a [Vec<Outcome>],
}

impl Speed<'_> {
    /// Returns every measurement, for a record.
    pub fn measured(&self) -> Vec<Measured> {
        let mut all = Vec::new();
        for (task, outcomes) in self.tasks.iter().zip(self.outcomes) {
            for (system, outcome) in self.systems.iter().zip(outcomes) {
                all.push(Measured {
                    codec: self.codec.clone(),
                    query: task.name.clone(),
                    system: system.name.clone(),
                    median_ms: (!outcome.runs_ms.is_empty()).then(|| outcome.median_ms()),
                    runs_ms: outcome.runs_ms.clone(),
                    fault: outcome.fault.clone(),
                });
            }
        }
        all
    }

    /// Returns whether an engine failed or returned wrong rows.
    pub fn has_faults(&self) -> bool {
        self.outcomes.iter().flatten().any(|outcome| outcome.fault.is_some())
    }

    /// Returns the table for a terminal.
    pub fn plain(&self) -> String {
        let columns = Columns::new(self.titles(), 8);
        let lines = self.rows().into_iter().map(|row| columns.line(&row));
        std::iter::once(columns.header()).chain(lines).map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        markdown(&self.titles(), &self.rows())
    }

    fn titles(&self) -> Vec<String> {
        let mut titles = vec!["query".to_owned()];
        titles.extend(self.systems.iter().map(|system| format!("{} ms", system.name)));
        titles.extend(self.systems.iter().skip(1).map(|system| format!("of {}", system.name)));
        titles.push("fault".to_owned());
        titles
    }

    /// Returns a row a query and one for their total, which counts only if every query does.
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = self
            .tasks
            .iter()
            .zip(self.outcomes)
            .map(|(task, outcomes)| {
                let medians: Vec<f64> = outcomes.iter().map(Outcome::median_ms).collect();
                let faults = self.systems.iter().zip(outcomes).filter_map(|(system, outcome)| {
                    outcome.fault.as_ref().map(|fault| format!("{}: {fault}", system.name))
                });
                row(&task.name, &medians, faults.collect::<Vec<_>>().join("; "))
            })
            .collect();
        if self.tasks.len() > 1 {
            let totals: Vec<f64> = (0..self.systems.len()).map(|system| self.total_ms(system)).collect();
            rows.push(row("total", &totals, String::new()));
            rows.extend(self.summary());
        }
        rows
    }

    /// Returns the geometric mean and the greatest of the queries' ratios to each other engine; not
    /// numbers if a query has a fault.
    fn summary(&self) -> [Vec<String>; 2] {
        let ratios = |other: usize| {
            self.outcomes.iter().map(move |outcomes| outcomes[0].median_ms() / outcomes[other].median_ms())
        };
        let others = 1..self.systems.len();
        let mean = |other| (ratios(other).map(f64::ln).sum::<f64>() / self.outcomes.len() as f64).exp();
        // `f64::max` leaves out what is not a number.
        let worst = |other| ratios(other).fold(0.0, |a: f64, b| if a >= b || a.is_nan() { a } else { b });
        let line = |name: &str, ratios: Vec<f64>| {
            let mut cells = vec![name.to_owned()];
            cells.extend(self.systems.iter().map(|_| "-".to_owned()));
            cells.extend(ratios.into_iter().map(|ratio| or_dash(ratio, format!("{ratio:.2}"))));
            cells.push(String::new());
            cells
        };
        [
            line("geometric mean", others.clone().map(mean).collect()),
            line("worst", others.map(worst).collect()),
        ]
    }

    /// Returns the median over the runs of the sum over the queries; not a number if a query has a
    /// fault.
    fn total_ms(&self, system: usize) -> f64 {
        let queries = || self.outcomes.iter().map(|outcomes| &outcomes[system]);
        if queries().any(|outcome| outcome.fault.is_some()) {
            return f64::NAN;
        }
        let runs = queries().map(|outcome| outcome.runs_ms.len()).min().unwrap_or(0);
        let totals: Vec<f64> = (0..runs).map(|run| queries().map(|o| o.runs_ms[run]).sum()).collect();
        median(&totals)
    }
}

fn or_dash(value: f64, text: String) -> String {
    if value.is_nan() { "-".to_owned() } else { text }
}

fn row(name: &str, medians: &[f64], faults: String) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend(medians.iter().map(|&value| or_dash(value, ms(value))));
    if let Some((first, others)) = medians.split_first() {
        cells.extend(others.iter().map(|other| or_dash(first / other, format!("{:.2}", first / other))));
    }
    cells.push(faults);
    cells
}

#[cfg(test)]
mod tests;
