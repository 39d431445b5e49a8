//! Destination of output: standard output, or a file, which may be in a store.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pelton::{Engine, Output, OutputFile};

use crate::failure::Failure;

/// Standard output or a file, buffered.
pub struct Target {
    way: Way,
    name: String,
    fault: Fault,
}

enum Way {
    Stdout(BufWriter<Stdout>),
    /// A file that appears when it is whole, or something that is written in place.
    File(BufWriter<Output>),
    /// A file for several results, which appears when its owner commits it.
    Shared(SharedFile),
}

/// A file that gets the output of several statements, and appears when it is committed.
#[derive(Clone)]
pub struct SharedFile {
    file: Arc<Mutex<BufWriter<Output>>>,
    path: Arc<Path>,
}

impl SharedFile {
    /// Opens it; nothing appears yet.
    pub fn create(path: &Path, engine: &Engine) -> Result<Self, Failure> {
        let file = BufWriter::new(create(path, engine)?);
        Ok(SharedFile { file: Arc::new(Mutex::new(file)), path: path.into() })
    }

    /// Gives the file its name.
    pub fn commit(self) -> Result<(), Failure> {
        let name = self.path.display().to_string();
        // nothing writes into it between statements
        let file =
            Arc::into_inner(self.file).map(|file| file.into_inner().unwrap_or_else(PoisonError::into_inner));
        let Some(file) = file else { return Err(Failure::Error(format!("{name} is being written to"))) };
        let file = file.into_inner().map_err(|error| Failure::writing(&name, error.error()))?;
        file.commit().map_err(|error| Failure::writing(&name, &error))
    }
}

fn create(path: &Path, engine: &Engine) -> Result<Output, Failure> {
    match engine.create_in_store(&path.to_string_lossy()) {
        Some(file) => Ok(file?),
        None => create_local(path),
    }
}

fn create_local(path: &Path) -> Result<Output, Failure> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(Failure::Error(format!("cannot write {name}: it is a folder; name a file in it")));
    }
    OutputFile::create(path).map(Output::Local).map_err(|error| Failure::writing(&name, &error))
}

/// Failure of a [`Target`], for callers with writers that replace it by an error of their own.
#[derive(Clone, Debug, Default)]
pub struct Fault(Arc<Mutex<Option<Failure>>>);

impl Fault {
    /// Returns the failure behind an error of a writer over the target; the error itself, if the
    /// target is not to blame.
    pub fn behind(&self, error: impl std::fmt::Display) -> Failure {
        let fault = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        fault.unwrap_or_else(|| Failure::error(error))
    }
}

impl Target {
    /// Opens a local file, or standard output if none is named.
    pub fn open(file: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = file else {
            let way = Way::Stdout(BufWriter::new(io::stdout()));
            return Ok(Target { way, name: "standard output".into(), fault: Fault::default() });
        };
        Ok(Target::of(path, create_local(path)?))
    }

    /// Opens a file for the rows of an engine, local or in one of its stores.
    pub fn create(path: &Path, engine: &Engine) -> Result<Self, Failure> {
        Ok(Target::of(path, create(path, engine)?))
    }

    fn of(path: &Path, file: Output) -> Self {
        let way = Way::File(BufWriter::new(file));
        Target { way, name: path.display().to_string(), fault: Fault::default() }
    }

    /// Returns a target that adds to a file of several results.
    pub fn shared(file: &SharedFile) -> Self {
        let name = file.path.display().to_string();
        Target { way: Way::Shared(file.clone()), name, fault: Fault::default() }
    }

    /// Returns the place of the target's failure.
    pub fn fault(&self) -> Fault {
        self.fault.clone()
    }

    /// Returns its name in error messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self.way, Way::Stdout(_)) && io::IsTerminal::is_terminal(&io::stdout())
    }

    /// Flushes the buffer and gives a file its name.
    pub fn commit(mut self) -> Result<(), Failure> {
        self.flush().map_err(|error| Failure::writing(&self.name, &error))?;
        match self.way {
            Way::Stdout(_) | Way::Shared(_) => Ok(()),
            Way::File(file) => {
                let file = file.into_inner().map_err(|error| Failure::writing(&self.name, error.error()))?;
                file.commit().map_err(|error| Failure::writing(&self.name, &error))
            }
        }
    }

    fn noted<T>(&self, result: io::Result<T>) -> io::Result<T> {
        // A call that a signal interrupted is made again.
        if let Err(error) = &result
            && error.kind() != io::ErrorKind::Interrupted
        {
            let failure = Failure::writing(&self.name, error);
            self.fault.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
        }
        result
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = match &mut self.way {
            Way::Stdout(way) => way.write(bytes),
            Way::File(way) => way.write(bytes),
            Way::Shared(way) => way.file.lock().unwrap_or_else(PoisonError::into_inner).write(bytes),
        };
        self.noted(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = match &mut self.way {
            Way::Stdout(way) => way.flush(),
            Way::File(way) => way.flush(),
            Way::Shared(way) => way.file.lock().unwrap_or_else(PoisonError::into_inner).flush(),
        };
        self.noted(result)
    }
}
