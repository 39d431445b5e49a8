//! Runner of statements, one after the other.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use clap::ValueEnum;
use pelton::{CancelHandle, Engine, Parameters, Query};
use pelton_report::numbers::time;

use super::statements::Script;
use super::{RunOptions, meta::Meta, stats};
use crate::failure::{Failure, note};
use crate::interrupt::Job;
use crate::output::{self, Display, Format, SharedFile, Target, pager};
use crate::progress::QueryWatch;

/// Maximum depth of files that `.read` each other.
const MAX_READS: usize = 16;

/// An engine, and the way to show its results.
pub struct Runner {
    engine: Rc<Engine>,
    display: RefCell<Display>,
    place: RefCell<Place>,
    /// The file of `.once`, for the next result.
    once: RefCell<Option<PathBuf>>,
    stats: bool,
    timer: Cell<bool>,
    apart: bool,
    is_first: Cell<bool>,
    reads: Cell<usize>,
}

/// Place of the rows.
enum Place {
    Stdout,
    /// One result, for `--output`.
    File {
        path: PathBuf,
        format: Format,
    },
    /// The results until the next `.output`.
    Shared(SharedFile),
}

impl Runner {
    /// Makes a runner with the options.
    pub fn new(options: &RunOptions, engine: Engine) -> Self {
        let format = options.format();
        let place = options.output.clone().map_or(Place::Stdout, |path| Place::File { path, format });
        Runner {
            engine: Rc::new(engine),
            display: RefCell::new(Display { format, max_rows: options.max_rows, pager: None }),
            place: RefCell::new(place),
            once: RefCell::new(None),
            stats: options.stats,
            timer: Cell::new(false),
            apart: true,
            is_first: Cell::new(true),
            reads: Cell::new(0),
        }
    }

    /// Returns the engine.
    pub fn engine(&self) -> Rc<Engine> {
        self.engine.clone()
    }

    /// Runs all statements of a text, up to the first that fails.
    pub fn script(&self, text: &str) -> Result<(), Failure> {
        let statements: Vec<&str> = Script::cut(text)?.statements().collect();
        if statements.is_empty() {
            return Err(Failure::Error("there is no statement to run".into()));
        }
        let is_file = matches!(*self.place.borrow(), Place::File { .. });
        if statements.len() > 1 && (is_file || self.display.borrow().format == Format::Parquet) {
            let what = if is_file { "--output" } else { "--format parquet" };
            let number = statements.len();
            return Err(Failure::Error(format!(
                "{what} has room for one result, and these are {number} statements"
            )));
        }
        statements.into_iter().try_for_each(|statement| self.statement(statement))
    }

    /// Runs statements as soon as they end, up to the first one that fails.
    pub fn stream(&self, input: impl BufRead, name: &str) -> Result<(), Failure> {
        let mut pending = String::new();
        for line in input.lines() {
            let line = line.map_err(|error| Failure::Error(format!("{name}: {error}")))?;
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

    /// Runs the statements and meta-commands of a file.
    ///
    /// # Errors
    /// The file can't be read, a statement fails, or the files read each other without end.
    pub fn file(&self, path: &Path) -> Result<(), Failure> {
        let file = File::open(path).map_err(|error| Failure::file(path, &error))?;
        if self.reads.get() >= MAX_READS {
            let what =
                format!("{}: files read each other {MAX_READS} deep, which is the limit", path.display());
            return Err(Failure::Error(what));
        }
        self.reads.set(self.reads.get() + 1);
        let result = self.stream(BufReader::new(file), &path.display().to_string());
        self.reads.set(self.reads.get() - 1);
        result
    }

    /// Runs one statement to its end.
    pub fn statement(&self, sql: &str) -> Result<(), Failure> {
        self.query(|engine, cancel| engine.query_until(sql, &Parameters::none(), cancel))
    }

    /// Starts a query and runs it to its end.
    ///
    /// # Errors
    /// The query can't be started, fails, or its rows can't be written.
    pub fn query(
        &self,
        start: impl FnOnce(&Engine, &CancelHandle) -> pelton::Result<Query>,
    ) -> Result<(), Failure> {
        let job = Job::begin();
        let started = Instant::now();
        let mut watch = Some(QueryWatch::begin());
        let mut query = start(&self.engine, job.cancel_handle())?;
        watch.iter().for_each(|watch| watch.planned(query.progress_handle()));
        let rows_mix_with_a_bar = self.rows_mix_with_a_bar();
        // a statement without columns has an effect, and no rows to show
        let schema = query.schema();
        let shows = !schema.fields().is_empty();
        // a file is opened first, so that a wrong place is told at once; a result on standard
        // output begins with its first rows, so that a failed statement prints nothing there
        let mut sink = if shows && self.writes_file() { Some(self.opened(&schema)?) } else { None };
        if shows && sink.is_none() {
            output::check(&self.display.borrow(), &schema)?;
        }
        let mut rows = 0;
        for batch in query.by_ref() {
            let batch = batch?;
            rows += batch.num_rows() as u64;
            if rows_mix_with_a_bar && batch.num_rows() > 0 {
                watch = None;
            }
            if sink.is_none() && shows {
                sink = Some(self.opened(&schema)?);
            }
            if let Some(sink) = &mut sink {
                sink.write(&batch)?;
            }
        }
        // The output of a stopped query does not get its name.
        job.check()?;
        drop(watch);
        let took = started.elapsed();
        if sink.is_none() && shows {
            sink = Some(self.opened(&schema)?);
        }
        if let Some(sink) = sink {
            sink.finish()?;
        }
        query.notes().iter().for_each(|line| note(line));
        if self.stats {
            stats::print(&query.totals(), rows, took);
        } else if self.timer.get() {
            note(&time(took));
        }
        Ok(())
    }

    /// Returns whether the rows of the next statement go to a file of their own.
    fn writes_file(&self) -> bool {
        self.once.borrow().is_some() || matches!(*self.place.borrow(), Place::File { .. })
    }

    /// Opens the place of a statement's rows, apart from the rows before.
    fn opened(&self, schema: &arrow::datatypes::SchemaRef) -> Result<Box<dyn output::Sink>, Failure> {
        self.stand_apart()?;
        self.sink(schema)
    }

    /// Opens the place of a statement's rows. The file of `.once` is used up by it.
    fn sink(&self, schema: &arrow::datatypes::SchemaRef) -> Result<Box<dyn output::Sink>, Failure> {
        let mut display = self.display.borrow().clone();
        if let Some(path) = self.once.borrow_mut().take() {
            display.format = Format::of_path(&path).unwrap_or(display.format);
            return output::open(&self.engine, &display, || Target::create(&path, &self.engine), schema);
        }
        match &*self.place.borrow() {
            Place::Stdout => output::open(&self.engine, &display, || Target::open(None), schema),
            Place::Shared(file) => output::open(&self.engine, &display, || Ok(Target::shared(file)), schema),
            Place::File { path, format } => {
                display.format = *format;
                output::open(&self.engine, &display, || Target::create(path, &self.engine), schema)
            }
        }
    }

    /// Runs a line such as `.tables`.
    pub fn meta(&self, meta: &Meta) -> Result<(), Failure> {
        match meta {
            Meta::Tables => self.statement("SHOW TABLES"),
            Meta::Describe(table) => self.statement(&format!("DESCRIBE {table}")),
            Meta::Settings => self.statement("SHOW ALL"),
            Meta::Import(file, table) => {
                let file = file.replace('\'', "''");
                self.statement(&format!("CREATE TABLE {table} AS SELECT * FROM '{file}'"))
            }
            Meta::Read(path) => self.file(path),
            _ => {
                self.change(meta)?;
                Ok(())
            }
        }
    }

    /// Changes the way in which results are shown.
    fn change(&self, meta: &Meta) -> Result<(), Failure> {
        let mut display = self.display.borrow_mut();
        match meta {
            Meta::Mode(Some(format)) => display.format = *format,
            Meta::Mode(None) => note(&name(display.format)),
            Meta::MaxRows(rows) => display.max_rows = *rows,
            Meta::Pager(None) => display.pager = None,
            Meta::Pager(Some(program)) => {
                let program = if program == "on" { pager::default_command() } else { program.clone() };
                display.pager = Some(program);
            }
            Meta::Once(path) => *self.once.borrow_mut() = Some(path.clone()),
            Meta::Output(path) => self.redirect(path.as_deref())?,
            Meta::Timer(on) => {
                self.timer.set(on.unwrap_or(!self.timer.get()));
                note(if self.timer.get() { "timer on" } else { "timer off" });
            }
            Meta::Help(None) => note(&Meta::help()),
            Meta::Help(Some(command)) => note(&format!("{}: {}", command.usage(), command.help)),
            _ => {}
        }
        Ok(())
    }

    /// Writes the following results to a file, or to standard output, and gives the file before its
    /// name.
    pub fn redirect(&self, path: Option<&Path>) -> Result<(), Failure> {
        let create = |path| SharedFile::create(path, &self.engine).map(Place::Shared);
        let next = path.map_or(Ok(Place::Stdout), create)?;
        match self.place.replace(next) {
            Place::Shared(file) => file.commit(),
            Place::Stdout | Place::File { .. } => Ok(()),
        }
    }

    /// At the prompt each statement's time is shown, it is the prompt that stands between tables,
    /// and long tables are shown in the pager.
    pub fn at_prompt(&mut self) {
        self.timer.set(true);
        self.apart = false;
        self.display.borrow_mut().pager = Some(pager::default_command());
    }

    /// Returns whether the next result goes to standard output.
    fn is_stdout(&self) -> bool {
        self.once.borrow().is_none() && matches!(*self.place.borrow(), Place::Stdout)
    }

    /// Rows that are shown as they come would mix with a progress bar. Tables come at the end.
    fn rows_mix_with_a_bar(&self) -> bool {
        let is_stdout = self.is_stdout();
        let comes_whole = matches!(self.display.borrow().format, Format::Table | Format::Box);
        is_stdout && !comes_whole && io::stdout().is_terminal()
    }

    /// Tables have an empty line between them.
    fn stand_apart(&self) -> Result<(), Failure> {
        let is_table = matches!(self.display.borrow().format, Format::Table | Format::Box);
        if self.apart && self.is_stdout() && is_table && !self.is_first.replace(false) {
            let mut target = Target::open(None)?;
            let fault = target.fault();
            io::Write::write_all(&mut target, b"\n").map_err(|error| fault.behind(error))?;
            target.commit()?;
        }
        Ok(())
    }
}

/// Returns a format's name.
fn name(format: Format) -> String {
    format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
