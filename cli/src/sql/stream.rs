//! Statements from standard input, each run as soon as it has ended.

use std::io::BufRead;

use super::meta::Meta;
use super::runner::Runner;
use super::statements::Script;
use crate::failure::Failure;

/// Runs what comes, up to the first statement that fails.
pub fn run(runner: &Runner, input: impl BufRead) -> Result<(), Failure> {
    let mut pending = String::new();
    for line in input.lines() {
        let line = line.map_err(|error| Failure::Error(format!("standard input: {error}")))?;
        if pending.trim().is_empty() && Meta::is_meta(&line) {
            match Meta::parse(&line)? {
                Meta::Quit => return Ok(()),
                meta => runner.meta(&meta)?,
            }
            continue;
        }
        pending.push_str(&line);
        pending.push('\n');
        // Without a semicolon nothing has ended; looking only then keeps long statements from being
        // read over and over.
        if line.contains(';')
            && let Ok(script) = Script::cut(&pending)
        {
            script.ended.iter().try_for_each(|statement| runner.statement(statement))?;
            pending = script.rest.unwrap_or("").to_owned();
            if !pending.is_empty() {
                pending.push('\n');
            }
        }
    }
    Script::cut(&pending)?.statements().try_for_each(|statement| runner.statement(statement))
}
