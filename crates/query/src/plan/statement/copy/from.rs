//! COPY FROM: the rows of files into a table, written as an INSERT.

use pelton_pages::OptionValue;

use super::grammar::Given;
use super::options::{Kind, format};

/// Returns the INSERT of a COPY FROM. `columns` are those of the table, or the ones in parentheses
/// behind its name.
///
/// Values of CSV are read as text, and converted to the types of the columns; fields of JSON are
/// found by the columns' names.
///
/// # Errors
/// Neither the options nor the place name a format, or it has no options.
pub(super) fn insert(
    table: &str,
    columns: &[String],
    place: &str,
    options: &[Given],
) -> Result<String, String> {
    let kind = format(options, place)?;
    let place = text(place);
    let own = options.iter().filter(|option| option.name != "format");
    let own = own.map(|option| Ok(format!("{} := {}", option.name, argument(option)?)));
    let own = own.collect::<Result<Vec<String>, String>>()?;
    let call = |function: &str, arguments: &[String]| format!("{function}({})", arguments.join(", "));
    let arguments = [vec![place.clone()], own.clone()].concat();
    let source = match kind {
        Kind::Csv => format!(
            "* FROM {}",
            call("read_csv", &[arguments, vec!["all_varchar := true".to_owned()]].concat())
        ),
        Kind::Json => {
            let columns: Vec<String> =
                columns.iter().map(|column| format!("\"{}\"", column.replace('"', "\"\""))).collect();
            format!("{} FROM {}", columns.join(", "), call("read_json", &arguments))
        }
        Kind::Parquet if own.is_empty() => format!("* FROM {place}"),
        Kind::Parquet => format!("* FROM {}", call("read_parquet", &arguments)),
        Kind::Arrow(_) => {
            return Err("files of format arrow are written, and not read; write Parquet".to_owned());
        }
    };
    Ok(format!("INSERT INTO {table} SELECT {source}"))
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns the value of an option as an argument of a function.
fn argument(option: &Given) -> Result<String, String> {
    let scalar = |value: &str| match value.to_ascii_lowercase().as_str() {
        "true" | "false" => value.to_ascii_lowercase(),
        _ => text(value),
    };
    match &option.value {
        OptionValue::Absent => Ok("true".to_owned()),
        OptionValue::Text(value) => Ok(scalar(value)),
        OptionValue::Other(number) => Ok(number.clone()),
        OptionValue::List(all) if all.is_empty() => {
            Err(format!("option {} is empty; give values, or leave it out", option.name))
        }
        OptionValue::List(all) => {
            Ok(format!("[{}]", all.iter().map(|one| text(one)).collect::<Vec<_>>().join(", ")))
        }
    }
}

#[cfg(test)]
mod tests;
