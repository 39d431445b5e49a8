//! Host of Pelton for a driver: the counterpart of [`crate::engine::rival`].

use std::io::{BufRead, Write};
use std::path::Path;

use crate::Error;
use crate::engine::protocol::{Reply, Request};
use crate::engine::system::{Local, LocalOptions, System};

/// Answers requests from `input` on `output` until the input ends. A request that fails is answered
/// with its error; only a broken pipe ends the loop early.
pub fn serve(input: impl BufRead, mut output: impl Write) -> std::io::Result<()> {
    let mut system = None;
    for line in input.lines() {
        let reply = answer(&line?, &mut system).unwrap_or_else(|error| Reply::Error(error.to_string()));
        serde_json::to_writer(&mut output, &reply)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str, system: &mut Option<Local>) -> Result<Reply, Error> {
    let request = serde_json::from_str(line).map_err(|e| Error::Argument(format!("not a request: {e}")))?;
    let not_open = || Error::Argument("no data set is open yet".into());
    match request {
        Request::Open { engine, folder, threads } => {
            let mut parts = engine.split('+');
            if parts.next() != Some("pelton") {
                return Err(Error::Argument(format!("this process hosts pelton, not {engine}")));
            }
            let settings = parts.map(str::to_owned).collect();
            let options = LocalOptions { settings, ..LocalOptions::threads(threads) };
            let opened = Local::open_tables(parquet_files(&folder)?, &options)?;
            let opened = system.insert(opened);
            Ok(Reply::Opened(opened.identity().clone()))
        }
        Request::Query { sql, rows } => {
            Ok(Reply::Answered(system.as_mut().ok_or_else(not_open)?.query(&sql, rows)?))
        }
        Request::Memory => {
            Ok(Reply::Memory { peak_bytes: system.as_mut().ok_or_else(not_open)?.peak_memory()? })
        }
    }
}

/// Returns the Parquet files in a folder, each a table named as the file is.
fn parquet_files(folder: &Path) -> Result<Vec<(String, std::path::PathBuf)>, Error> {
    let failed = |e| Error::io(folder, e);
    let mut tables = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "parquet")
            && let Some(name) = path.file_stem()
        {
            tables.push((name.to_string_lossy().into_owned(), path));
        }
    }
    tables.sort();
    Ok(tables)
}

#[cfg(test)]
mod tests;
