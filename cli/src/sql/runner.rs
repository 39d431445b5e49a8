//! Runner of statements, one after the other.

use std::cell::Cell;
use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

use pelton::Engine;
use pelton_report::numbers::time;

use super::statements::Script;
use super::{Options, meta::Meta, profile::Profile, stats};
use crate::failure::{Failure, note};
use crate::interrupt::Job;
use crate::output::{self, Format};
use crate::progress::QueryWatch;

/// An engine, and the way to show its results.
pub struct Runner {
    engine: Engine,
    format: Format,
    output: Option<PathBuf>,
    max_rows: usize,
    stats: bool,
    profile: Option<Profile>,
    timer: Cell<bool>,
    apart: bool,
    is_first: Cell<bool>,
}

impl Runner {
    /// Makes a runner with the options.
    pub fn new(options: &Options, engine: Engine) -> Self {
        Runner {
            engine,
            format: options.format(),
            output: options.output.clone(),
            max_rows: options.max_rows,
            stats: options.stats,
            profile: options.profile.clone().map(Profile::new),
            timer: Cell::new(false),
            apart: true,
            is_first: Cell::new(true),
        }
    }

    /// Runs all statements of a text, up to the first that fails.
    pub fn script(&self, text: &str) -> Result<(), Failure> {
        let statements: Vec<&str> = Script::cut(text)?.statements().collect();
        if statements.is_empty() {
            return Err(Failure::Error("there is no statement to run".into()));
        }
        if statements.len() > 1 && (self.output.is_some() || self.format == Format::Parquet) {
            let what = if self.output.is_some() { "--output" } else { "--format parquet" };
            let number = statements.len();
            return Err(Failure::Error(format!(
                "{what} has room for one result, and these are {number} statements"
            )));
        }
        statements.into_iter().try_for_each(|statement| self.statement(statement))
    }

    /// Runs statements as soon as they end, up to the first one that fails.
    pub fn stream(&self, input: impl BufRead) -> Result<(), Failure> {
        let mut pending = String::new();
        for line in input.lines() {
            let line = line.map_err(|error| Failure::Error(format!("standard input: {error}")))?;
            if pending.trim().is_empty() && Meta::is_meta(&line) {
                match Meta::parse(&line)? {
                    Meta::Quit => return Ok(()),
                    meta => self.meta(&meta)?,
                }
                continue;
            }
            pending.push_str(&line);
            pending.push('\n');
            // Without a semicolon nothing has ended; looking only then keeps long statements from
            // being read over and over.
            if line.contains(';')
                && let Ok(script) = Script::cut(&pending)
            {
                script.ended.iter().try_for_each(|statement| self.statement(statement))?;
                pending = script.rest.unwrap_or("").to_owned();
                if !pending.is_empty() {
                    pending.push('\n');
                }
            }
        }
        Script::cut(&pending)?.statements().try_for_each(|statement| self.statement(statement))
    }

    /// Runs one statement to its end.
    pub fn statement(&self, sql: &str) -> Result<(), Failure> {
        let job = Job::begin();
        let started = Instant::now();
        let watch = QueryWatch::begin(!self.rows_go_to_a_terminal());
        let mut query = self.engine.query(sql)?;
        job.stops(query.cancel_handle());
        watch.planned(query.progress_handle());
        // A statement without columns, such as CREATE VIEW, has nothing to show.
        let mut sink = None;
        if !query.schema().fields().is_empty() {
            self.stand_apart()?;
            let (output, rows) = (self.output.as_deref(), self.max_rows);
            sink = Some(output::open(&self.engine, self.format, output, rows, &query.schema())?);
        }
        let mut rows = 0;
        for batch in query.by_ref() {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            sink.as_mut().map_or(Ok(()), |sink| sink.write(&batch))?;
        }
        // The output of a stopped query does not get its name.
        job.check()?;
        drop(watch);
        let took = started.elapsed();
        sink.map_or(Ok(()), |sink| sink.finish())?;
        query.notes().iter().for_each(|line| note(line));
        if let Some(profile) = &self.profile {
            profile.add(&mut query)?;
        }
        if self.stats {
            stats::print(&query.totals(), rows, took);
        } else if self.timer.get() {
            note(&time(took));
        }
        Ok(())
    }

    /// Runs a line such as `.tables`.
    pub fn meta(&self, meta: &Meta) -> Result<(), Failure> {
        match meta {
            Meta::Tables => self.statement(
                "SELECT table_name FROM information_schema.tables \
                 WHERE table_schema <> 'information_schema' ORDER BY table_name",
            ),
            Meta::Describe(table) => self.statement(&format!("DESCRIBE {table}")),
            Meta::Timer(on) => {
                self.timer.set(on.unwrap_or(!self.timer.get()));
                note(if self.timer.get() { "timer on" } else { "timer off" });
                Ok(())
            }
            Meta::Help => {
                note(Meta::HELP);
                Ok(())
            }
            Meta::Quit => Ok(()),
        }
    }

    /// At the prompt each statement's time is shown, and it is the prompt that stands between
    /// tables.
    pub fn at_prompt(&mut self) {
        self.timer.set(true);
        self.apart = false;
    }

    /// Rows that are shown as they come would mix with a progress bar. Tables come at the end.
    fn rows_go_to_a_terminal(&self) -> bool {
        self.output.is_none() && self.format != Format::Table && io::stdout().is_terminal()
    }

    /// Tables have an empty line between them.
    fn stand_apart(&self) -> Result<(), Failure> {
        if self.apart
            && !self.is_first.replace(false)
            && self.format == Format::Table
            && self.output.is_none()
        {
            let mut target = output::Target::open(None)?;
            let fault = target.fault();
            io::Write::write_all(&mut target, b"\n").map_err(|error| fault.behind(error))?;
            target.commit()?;
        }
        Ok(())
    }
}
