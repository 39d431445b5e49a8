//! `pelton-fuzz-sql-engine`: Pelton in one configuration as a server, so that a crash is an answer.
//!
//! Its argument is a configuration, words such as `threads=2 memory=1048576 device=iaa-model`.
//! Requests and answers are those of `oracle.py`; a panic anywhere in the process is an answer of
//! its own, `panic`.

use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use arrow::record_batch::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use futures::StreamExt;
use pelton::{DeviceChoice, Engine};
use pelton_bitpack::Kernels;
use pelton_device_cpu::CpuDevice;
use pelton_fuzz_sql::case::MAX_BYTES;
use pelton_job::Router;
use pelton_query::{ScanContext, Session, SessionOptions};
use tokio::runtime::Runtime;

/// The last panic of any thread.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

type Rows = Result<(SchemaRef, Vec<RecordBatch>), String>;

/// Either way to run queries.
enum Runner {
    /// As programs do, and whether tables are cached on the GPU.
    Engine(Engine, bool),
    /// The same, but it loses the last row of queries with these words, to test the comparison.
    Faulty(Engine, String),
    /// With batches of a given number of rows, a setting that the engine does not offer.
    Session(Box<Session>, Runtime),
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(info.to_string());
    }));
    let words: Vec<String> = std::env::args().skip(1).collect();
    let served = Runner::open(&words).and_then(|runner| serve(&runner).map_err(|e| e.to_string()));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn serve(runner: &Runner) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut request = String::new();
    while input.read_line(&mut request)? > 0 {
        let line = request.trim_end();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let answer = match word {
            "reset" => runner.reset().map(|()| Vec::new()),
            "table" => {
                let (name, folder) = rest.split_once(' ').unwrap_or_default();
                runner.register(name, folder).map(|()| Vec::new())
            }
            _ => {
                let mut sql = vec![0; rest.parse().map_err(io::Error::other)?];
                input.read_exact(&mut sql)?;
                let sql = String::from_utf8_lossy(&sql);
                let run = || runner.run(&sql).and_then(encode);
                // the hook keeps its message
                catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("a panic".to_owned()))
            }
        };
        let panic = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (word, body) = match (panic, answer) {
            (Some(panic), _) => ("panic", panic.into_bytes()),
            (None, Ok(rows)) => ("rows", rows),
            (None, Err(message)) => ("error", message.into_bytes()),
        };
        writeln!(output, "{word} {}", body.len())?;
        output.write_all(&body)?;
        output.flush()?;
        request.clear();
    }
    Ok(())
}

fn rows(engine: &Engine, sql: &str) -> Rows {
    let query = engine.query(sql).map_err(|e| e.to_string())?;
    let (schema, mut batches) = (query.schema(), Vec::new());
    for batch in query {
        batches.push(batch.map_err(|e| e.to_string())?);
        if is_too_large(&batches) {
            break;
        }
    }
    Ok((schema, batches))
}

/// Returns whether there are more rows than an answer that is compared can have. The other rows are
/// not asked for: a join of everything with everything does not fit in memory.
fn is_too_large(batches: &[RecordBatch]) -> bool {
    batches.iter().map(RecordBatch::num_rows).sum::<usize>() > MAX_BYTES
}

fn encode((schema, batches): (SchemaRef, Vec<RecordBatch>)) -> Result<Vec<u8>, String> {
    if is_too_large(&batches) {
        // longer than the compared maximum, so the content does not matter
        return Ok(vec![0; MAX_BYTES + 1]);
    }
    let mut bytes = Vec::new();
    let written = StreamWriter::try_new(&mut bytes, &schema).and_then(|mut writer| {
        batches.iter().try_for_each(|batch| writer.write(&compact(batch)?))?;
        writer.finish()
    });
    written.map(|()| bytes).map_err(|e| format!("rows that Arrow can't hold: {e}"))
}

/// Returns rows without the text that others alone have, which each batch of a sort refers to.
fn compact(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(|column| -> ArrayRef {
        match column.data_type() {
            DataType::Utf8View => Arc::new(column.as_string_view().gc()),
            DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
            _ => column.clone(),
        }
    });
    RecordBatch::try_new(batch.schema(), columns.collect())
}

impl Runner {
    fn open(words: &[String]) -> Result<Self, String> {
        let (mut builder, mut cached, mut batch, mut fault) = (Engine::builder(), false, None, None);
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let number = || value.parse::<usize>().map_err(|e| format!("{word}: {e}"));
            builder = match key {
                "threads" => builder.threads(number()?),
                "memory" => builder.memory_limit(number()?),
                "device" => builder.devices(value.parse::<DeviceChoice>().map_err(|e| e.to_string())?),
                "decode-first" => builder.encoded_filters(false),
                "checksums" => builder.verify_checksums(true),
                "cached" => {
                    cached = true;
                    builder
                }
                "batch" => {
                    batch = Some(number()?);
                    builder
                }
                "fault" => {
                    fault = Some(value.replace('-', " "));
                    builder
                }
                _ => return Err(format!("no configuration has {word:?}")),
            };
        }
        match batch {
            Some(rows) => Self::batched(rows),
            None => {
                let engine = builder.build().map_err(|e| e.to_string())?;
                Ok(match fault {
                    Some(words) => Runner::Faulty(engine, words),
                    None => Runner::Engine(engine, cached),
                })
            }
        }
    }

    fn batched(rows: usize) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|e| e.to_string())?;
        let router = Router::builder().device(CpuDevice::builder().threads(2).build()).build();
        let kernels = Some(Kernels::detect());
        let scan = ScanContext {
            router,
            verify_checksums: false,
            window_bytes: 1 << 20,
            any_order: false,
            kernels,
            stores: Arc::default(),
            footers: Arc::default(),
        };
        let options = SessionOptions { threads: 2, memory_limit: None, scan, accelerator: None };
        let session = Session::new(options).map_err(|e| e.to_string())?;
        let setting = format!("SET datafusion.execution.batch_size = {rows}");
        runtime.block_on(session.context().sql(&setting)).map_err(|e| e.to_string())?;
        Ok(Runner::Session(Box::new(session), runtime))
    }

    /// Forgets all tables.
    fn reset(&self) -> Result<(), String> {
        match self {
            Runner::Engine(engine, cached) => engine.tables().iter().try_for_each(|name| {
                if *cached {
                    let _ = engine.sql(&format!("UNCACHE TABLE {name}"));
                }
                engine.deregister(name).map(drop).map_err(|e| e.to_string())
            }),
            Runner::Faulty(engine, _) => {
                let tables = engine.tables();
                tables
                    .iter()
                    .try_for_each(|name| engine.deregister(name).map(drop).map_err(|e| e.to_string()))
            }
            Runner::Session(session, _) => session
                .tables()
                .iter()
                .try_for_each(|name| session.deregister(name).map(drop).map_err(|e| e.to_string())),
        }
    }

    fn register(&self, name: &str, folder: &str) -> Result<(), String> {
        match self {
            Runner::Engine(engine, cached) => {
                engine.register(name, folder).map_err(|e| e.to_string())?;
                if *cached {
                    // tables without cacheable columns are read from their files
                    let _ = engine.sql(&format!("CACHE TABLE {name} IN gpu"));
                }
                Ok(())
            }
            Runner::Faulty(engine, _) => engine.register(name, folder).map_err(|e| e.to_string()),
            Runner::Session(session, runtime) => {
                runtime.block_on(session.register(name, &[folder])).map_err(|e| e.to_string())
            }
        }
    }

    fn run(&self, sql: &str) -> Rows {
        match self {
            Runner::Engine(engine, _) => rows(engine, sql),
            Runner::Faulty(engine, words) => {
                let (schema, mut batches) = rows(engine, sql)?;
                if sql.contains(words.as_str())
                    && let Some(last) = batches.pop()
                {
                    batches.push(last.slice(0, last.num_rows().saturating_sub(1)));
                }
                Ok((schema, batches))
            }
            Runner::Session(session, runtime) => runtime.block_on(async {
                let plan = session.sql(sql).await.map_err(|e| e.to_string())?;
                let mut stream = session.run(plan).map_err(|e| e.to_string())?;
                let (schema, mut batches) = (stream.schema(), Vec::new());
                while let Some(batch) = stream.next().await {
                    batches.push(batch.map_err(|e| pelton_query::Error::from(e).to_string())?);
                    if is_too_large(&batches) {
                        break;
                    }
                }
                Ok((schema, batches))
            }),
        }
    }
}
