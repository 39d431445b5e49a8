//! Options of `COPY … TO (FORMAT pelton, …)`.

use pelton_pages::{OptionValue, ParquetOptions};

use crate::sys::Value;

/// Codec without the option: every reader has it, and the devices that Pelton is for compress it.
pub const CODEC: &str = "gzip";

/// Options of a statement.
#[derive(Debug)]
pub struct Options {
    /// Those that are the same in every engine.
    pub parquet: ParquetOptions,
    /// The devices.
    pub device: Option<String>,
    /// Names of the columns.
    pub columns: Option<Vec<String>>,
}

impl Options {
    /// Reads the options of a statement.
    ///
    /// # Errors
    /// An option is unknown, of a wrong type, or out of its range.
    pub fn of(options: Vec<(String, Value)>) -> Result<Options, String> {
        let mut read = Options { parquet: ParquetOptions::default(), device: None, columns: None };
        for (name, value) in options {
            let (name, value) = (name.to_ascii_lowercase(), option_value(&value));
            match name.as_str() {
                "device" => read.device = Some(value.text(&name)?),
                "columns" => read.columns = Some(value.names(&name)?),
                _ if read.parquet.read(&name, &value)? => {}
                _ => {
                    return Err(format!(
                        "FORMAT pelton has no option {name}; there are {}, device and columns, beside those that \
                         DuckDB has for every format",
                        ParquetOptions::NAMES
                    ));
                }
            }
        }
        Ok(read)
    }
}

/// Returns a value of DuckDB's as options have it.
fn option_value(value: &Value) -> OptionValue {
    let names =
        value.elements().or_else(|| Some(value.fields()?.into_iter().map(|(_, name)| name).collect()));
    let texts = names.and_then(|names| {
        names.iter().map(|name| name.is_text().then(|| name.as_text()).flatten()).collect()
    });
    match (texts, value.as_text()) {
        (Some(texts), _) => OptionValue::List(texts),
        (None, None) => OptionValue::Absent,
        (None, Some(text)) if value.is_text() => OptionValue::Text(text),
        (None, Some(text)) => OptionValue::Other(text),
    }
}
