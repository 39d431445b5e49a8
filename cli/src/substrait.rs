//! `pelton substrait`: plans of other programs, and plans made of SQL.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use pelton::{Engine, SubstraitOptions};

use crate::failure::Failure;
use crate::output::Target;
use crate::sql::{RunOptions, Runner, engine};

/// Options of `pelton substrait`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The plan, in protobuf's encoding or as JSON; - for standard input
    #[arg(value_name = "PLAN", required_unless_present = "from_sql")]
    plan: Option<std::path::PathBuf>,
    /// Write the plan of a SQL query in place of running one: as JSON, or in protobuf's encoding to
    /// an --output that does not end in .json
    #[arg(long, value_name = "SQL", conflicts_with_all = ["plan", "explain", "over", "format"])]
    from_sql: Option<String>,
    /// Print the plan as Pelton runs it, or write it to --output, and do not run it
    #[arg(long)]
    explain: bool,
    /// Compute expressions (an ExtendedExpression) for the rows of this table or file
    #[arg(long, value_name = "TABLE")]
    over: Option<String>,
    #[command(flatten)]
    run: RunOptions,
}

const EXAMPLES: &str = "\
Examples:
  Run a plan that another program made:
    pelton substrait --table trips=data/trips/ plan.pb
  The result as a file, in the format of its extension:
    pelton substrait --table trips=data/trips/ --output sums.parquet plan.json
  How it is run:
    pelton substrait --table trips=data/trips/ --explain plan.pb
  From standard input:
    make-plan | pelton substrait --format csv -
  Expressions that pyarrow made, over a file:
    pelton substrait --over trips.parquet expressions.pb
  A plan of SQL, to read and as bytes:
    pelton substrait --from-sql \"SELECT count(*) FROM 'trips.parquet'\"
    pelton substrait --from-sql \"SELECT count(*) FROM 'trips.parquet'\" --output plan.pb

Tables of a plan are those of --table, places of Parquet files, the local files that it
lists, and rows in it. docs/substrait.md has more.";

/// Runs it.
pub fn run(options: &Options) -> Result<(), Failure> {
    if let Some(sql) = &options.from_sql {
        return write_plan(&engine(&options.run)?, sql, options.run.output.as_deref());
    }
    let plan = match &options.plan {
        Some(path) => {
            refuse_replacing(path, options.run.output.as_deref())?;
            read(path)?
        }
        None => return Err(Failure::Usage("name a plan, or - for standard input".into())),
    };
    let runner = Runner::new(&options.run, engine(&options.run)?);
    let options = SubstraitOptions { over: options.over.as_deref(), explain: options.explain };
    runner.query(|engine, cancel| engine.substrait_until(&plan, options, cancel))
}

/// Refuses an output that would replace the plan.
///
/// # Errors
/// Both are one file.
fn refuse_replacing(plan: &Path, output: Option<&Path>) -> Result<(), Failure> {
    let place = |path: &Path| fs::canonicalize(path).ok();
    match output {
        Some(output) if place(plan).is_some_and(|plan| place(output) == Some(plan)) => Err(Failure::Usage(
            format!("--output {} would replace the plan: name another file", output.display()),
        )),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path != Path::new("-") {
        return fs::read(path).map_err(|error| Failure::file(path, &error));
    }
    let mut plan = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut plan);
    read.map_err(|error| Failure::Error(format!("standard input: {error}")))?;
    Ok(plan)
}

fn write_plan(engine: &Engine, sql: &str, output: Option<&Path>) -> Result<(), Failure> {
    let is_json = output.is_none_or(|path| path.extension().is_some_and(|extension| extension == "json"));
    let plan = match is_json {
        true => (engine.to_substrait_json(sql)? + "\n").into_bytes(),
        false => engine.to_substrait(sql)?,
    };
    let mut target = Target::open(output)?;
    let fault = target.fault();
    target.write_all(&plan).map_err(|error| fault.behind(error))?;
    target.commit()
}
