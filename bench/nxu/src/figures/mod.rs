//! Figures and tables of the paper, a module each.

mod choices;
mod engine;
mod lengths;
mod model;
mod ratios;
mod throughput;
mod token;
mod window;

use crate::check::Part;
use crate::data::File;
use crate::runs::Runs;

/// Returns all parts, in the paper's order.
pub fn all(files: &[File], runs: &Runs<'_>) -> Vec<Part> {
    let throughput = throughput::parts(files, runs);
    let parts = [window::part(files), lengths::part(files), token::part(files), engine::part(files, runs)];
    parts
        .into_iter()
        .chain([ratios::part(runs)])
        .chain(throughput)
        .chain([ratios::pages(runs), choices::part(files), model::part(files)])
        .collect()
}
