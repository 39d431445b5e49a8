//! Repeatable question: tables, a query, the engine asked, and the reference.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Outcome};
use crate::engines::{DUCKDB, Engines, PLAIN_DUCKDB};
use crate::generate::Generated;
use crate::tables::Table;
use crate::tree::Dialect;

/// A question with all that it needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Case {
    /// The query in Pelton's dialect.
    pub pelton: String,
    /// The query in DuckDB's dialect.
    pub duckdb: String,
    /// Configuration that is asked.
    pub configuration: String,
    /// Reference: DuckDB, or Pelton in another configuration.
    pub reference: String,
    /// Columns that are compared with a tolerance.
    pub rough: Vec<bool>,
    /// Rows are compared in their order.
    pub ordered: bool,
    /// Description of the difference.
    pub difference: String,
    /// The tables.
    #[serde(with = "shared")]
    pub tables: Arc<Vec<Table>>,
}

/// Shared tables, which are saved and read as they are.
mod shared {
    use super::{Arc, Table};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(tables: &Arc<Vec<Table>>, serializer: S) -> Result<S::Ok, S::Error> {
        tables.as_ref().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Vec<Table>>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::new)
    }
}

/// Result of comparing two engines.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The same rows; how many.
    Same(usize),
    /// Both refuse it.
    BothRefuse,
    /// Too many rows to compare.
    TooLarge,
    /// Only Pelton refuses it, with this message.
    OnlyAsked(String),
    /// Only the reference refuses it, with this message.
    OnlyReference(String),
    /// Other rows, or a panic, a crash, a hang, an error that no user should see.
    Different(Kind, String),
}

/// Maximum size of a compared answer: a query without its conditions can have millions of
/// rows.
pub const MAX_BYTES: usize = 8 << 20;

/// Kinds of differences, which shrinking keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Other rows.
    Rows,
    /// A panic, or the end of the process.
    Crash,
    /// No answer.
    Hang,
    /// An error that shows something inside, or has several lines.
    Message,
    /// One configuration refuses a query that another answers.
    Configuration,
}

impl Case {
    /// Makes a question about a generated query.
    pub fn new(
        tables: &Arc<Vec<Table>>,
        generated: &Generated,
        configuration: &str,
        reference: &str,
    ) -> Self {
        Case {
            pelton: generated.query.text(Dialect::Pelton),
            duckdb: generated.query.text(Dialect::DuckDb),
            configuration: configuration.to_owned(),
            reference: reference.to_owned(),
            rough: generated.rough.clone(),
            ordered: generated.ordered,
            difference: String::new(),
            tables: Arc::clone(tables),
        }
    }

    /// Asks both engines.
    ///
    /// # Errors
    /// Files can't be written, or an engine can't be started.
    pub fn ask(&self, engines: &mut Engines) -> io::Result<Verdict> {
        let right = self.put_to(engines, &self.reference)?;
        let found = self.put_to(engines, &self.configuration)?;
        self.verdict(engines, found, right)
    }

    /// Asks one engine, in its dialect.
    ///
    /// # Errors
    /// Files can't be written, or the engine can't be started.
    pub fn put_to(&self, engines: &mut Engines, configuration: &str) -> io::Result<Outcome> {
        let is_duckdb = matches!(configuration, DUCKDB | PLAIN_DUCKDB);
        engines.ask(configuration, &self.tables, if is_duckdb { &self.duckdb } else { &self.pelton })
    }

    /// Compares two outcomes. DuckDB's counts if it is the same without its optimizer.
    ///
    /// # Errors
    /// DuckDB can't be started once more.
    pub fn verdict(&self, engines: &mut Engines, found: Outcome, right: Outcome) -> io::Result<Verdict> {
        let verdict = self.judge(found.clone(), right);
        if self.reference == DUCKDB && matches!(verdict, Verdict::Different(Kind::Rows, _)) {
            let plain = self.put_to(engines, PLAIN_DUCKDB)?;
            if matches!(self.judge(found, plain), Verdict::Same(_)) {
                let message = "DuckDB's rows are Pelton's without its optimizer, and others with it";
                return Ok(Verdict::OnlyReference(message.to_owned()));
            }
        }
        Ok(verdict)
    }

    /// Compares two outcomes.
    pub fn judge(&self, found: Outcome, right: Outcome) -> Verdict {
        let is_large = |outcome: &Outcome| matches!(outcome, Outcome::Rows(bytes) if bytes.len() > MAX_BYTES);
        if is_large(&found) || is_large(&right) {
            return Verdict::TooLarge;
        }
        let right = match right {
            Outcome::Rows(bytes) => Answer::read(&bytes),
            Outcome::Refused(message) | Outcome::Panicked(message) => Err(message),
            Outcome::Died(how) => Err(format!("the process died: {how}")),
            Outcome::Hung => Err("no answer".to_owned()),
        };
        let message = match found {
            Outcome::Rows(bytes) => match (Answer::read(&bytes), right) {
                (Ok(found), Ok(right)) => {
                    return match found.difference(&right, &self.rough, self.ordered) {
                        Some(what) => Verdict::Different(Kind::Rows, what),
                        None => Verdict::Same(right.rows.len()),
                    };
                }
                (Ok(_), Err(message)) => return Verdict::OnlyReference(message),
                (Err(why), _) => return Verdict::Different(Kind::Message, why),
            },
            Outcome::Panicked(message) => return Verdict::Different(Kind::Crash, message),
            Outcome::Died(how) => return Verdict::Different(Kind::Crash, how),
            Outcome::Hung => return Verdict::Different(Kind::Hang, "no answer".to_owned()),
            Outcome::Refused(message) => message,
        };
        if is_unfit(&message) {
            return Verdict::Different(Kind::Message, message);
        }
        match right {
            Err(_) => Verdict::BothRefuse,
            Ok(_) if self.reference != DUCKDB && !may_differ(&message) => {
                Verdict::Different(Kind::Configuration, message)
            }
            Ok(_) => Verdict::OnlyAsked(message),
        }
    }

    /// Reads a saved case.
    ///
    /// # Errors
    /// There is none.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }

    /// Saves it in a folder, under a name that is of its query.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn save(&self, folder: &Path) -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let hash = self.signature().bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let path = folder.join(format!("{hash:016x}.json"));
        std::fs::write(&path, serde_json::to_vec_pretty(self)?)?;
        Ok(path)
    }

    /// Returns the query's shape, without names and numbers: cases of one shape mostly have one
    /// reason.
    pub fn signature(&self) -> String {
        let mut out = String::new();
        for part in self.pelton.split_whitespace() {
            let part: String = part.chars().filter(|c| !c.is_ascii_digit()).collect();
            out.push_str(&part);
            out.push(' ');
        }
        out
    }
}

/// Returns whether a message is unfit for users.
fn is_unfit(message: &str) -> bool {
    let lower = message.to_lowercase();
    message.trim_end().contains('\n')
        || [
            "internal error",
            "bug in",
            "panicked",
            "datafusion's code",
            "unreachable",
            "does not satisfy",
            "match schema types",
            "logical expression",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// Returns whether configurations may differ in an error: memory is short in some, and the rows
/// computed before LIMIT has enough are not specified.
fn may_differ(message: &str) -> bool {
    let lower = message.to_lowercase();
    ["memory", "overflow", "out of range", "cast", "parse", "divi"].iter().any(|word| lower.contains(word))
}

/// Returns the first line of a message.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns a message without names and numbers of the query.
pub fn class(message: &str) -> String {
    let message = first_line(message);
    let message = message.find(".parquet: ").map_or(message, |at| &message[at..]);
    let mut class = String::new();
    let mut quoted = None;
    for c in message.chars() {
        match quoted {
            Some(quote) if c == quote => quoted = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quoted = Some(c),
            None if c.is_ascii_digit() => {}
            None => class.push(c),
        }
    }
    class.chars().take(90).collect()
}
