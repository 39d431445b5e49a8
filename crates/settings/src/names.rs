//! Nearest of several names to one that was not found.

use strsim::osa_distance;

/// Returns the candidate that differs least from a name, in any case, if it is near enough to be
/// meant: a third of the letters may differ.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let limit = lower.chars().count().div_ceil(3).min(4);
    let distance = |candidate: &'a str| {
        let other = candidate.to_lowercase();
        // letters that were left out at the end are the usual mistake
        let is_start = lower.len() >= 3 && (other.starts_with(&lower) || lower.starts_with(&other));
        let distance = if is_start { 1 } else { osa_distance(&lower, &other) };
        (distance, candidate)
    };
    let candidates = candidates.into_iter().filter(|candidate| candidate.len() > 1).map(distance);
    let best = candidates.filter(|(distance, _)| *distance <= limit).min_by_key(|(distance, _)| *distance);
    best.map(|(_, candidate)| candidate)
}

/// Returns "did you mean ...?" for the nearest candidate.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, candidates).map(|candidate| format!("did you mean {candidate}?"))
}

#[cfg(test)]
mod tests;
