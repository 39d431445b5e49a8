//! Numbers of runs: consecutive rows with equal keys.

/// Appends the number of the run of each row of a batch to `numbers`, from `first` on, and the
/// first row of each run to `starts`. `changes` has a bit for each row but the first one, lowest
/// bit first: set if the key differs from that of the row before.
pub fn number_runs(changes: &[u8], rows: usize, first: u32, numbers: &mut Vec<u32>, starts: &mut Vec<u32>) {
    let Some(others) = rows.checked_sub(1) else { return };
    numbers.push(first);
    let (begun, known) = (numbers.len(), starts.len());
    numbers.resize(begun + others, first);
    starts.resize(known + rows + 1, 0);
    let own = &mut starts[known..];
    let (mut run, mut row) = (0, 0u32);
    if let Some(start) = own.get_mut(1) {
        *start = 1;
    }
    for (&byte, numbers) in changes.iter().zip(numbers[begun..].chunks_mut(u8::BITS as usize)) {
        for (bit, number) in numbers.iter_mut().enumerate() {
            run += u32::from(byte >> bit & 1);
            row += 1;
            *number = first + run;
            // the row behind this one, until a later row is behind the run
            if let Some(start) = own.get_mut(run as usize + 1) {
                *start = row + 1;
            }
        }
    }
    starts.truncate(known + run as usize + 1);
}

#[cfg(test)]
mod tests;
