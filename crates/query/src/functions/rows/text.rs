//! Functions of text.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_segmentation::UnicodeSegmentation;

use super::{Cell, Entry, Kind, Outcome, Value, form};

const TEXT: Kind = Kind::Text;

pub(super) const TABLE: &[Entry] = &[
    (&["string_split", "str_split", "split"], &[form(&[TEXT, TEXT], Kind::Texts, split)]),
    (
        &["prefix"],
        &[form(&[TEXT, TEXT], Kind::Bool, |cells| both(cells, |text, part| text.starts_with(part)))],
    ),
    (&["suffix"], &[form(&[TEXT, TEXT], Kind::Bool, |cells| both(cells, |text, part| text.ends_with(part)))]),
    (&["strlen"], &[form(&[TEXT], Kind::Int, |cells| one(cells, |text| int(text.len())))]),
    (&["unicode", "ord"], &[form(&[TEXT], Kind::Int, |cells| one(cells, first_letter))]),
    (&["lcase"], &[form(&[TEXT], TEXT, |cells| one(cells, |text| Value::Text(text.to_lowercase())))]),
    (&["ucase"], &[form(&[TEXT], TEXT, |cells| one(cells, |text| Value::Text(text.to_uppercase())))]),
    (
        &["length_grapheme"],
        &[form(&[TEXT], Kind::Int, |cells| one(cells, |text| int(text.graphemes(true).count())))],
    ),
    (&["left_grapheme"], &[form(&[TEXT, Kind::Int], TEXT, |cells| end(cells, true))]),
    (&["right_grapheme"], &[form(&[TEXT, Kind::Int], TEXT, |cells| end(cells, false))]),
    (&["strip_accents"], &[form(&[TEXT], TEXT, |cells| one(cells, strip_accents))]),
    (
        &["nfc_normalize"],
        &[form(&[TEXT], TEXT, |cells| one(cells, |text| Value::Text(text.nfc().collect())))],
    ),
    (
        &["bar"],
        &[
            form(&[Kind::Double, Kind::Double, Kind::Double], TEXT, bar),
            form(&[Kind::Double, Kind::Double, Kind::Double, Kind::Double], TEXT, bar),
        ],
    ),
    (
        &["format_bytes", "formatreadablesize"],
        &[form(&[Kind::Int], TEXT, |cells| bytes(cells, 1024, &["KiB", "MiB", "GiB", "TiB", "PiB"]))],
    ),
    (
        &["formatreadabledecimalsize"],
        &[form(&[Kind::Int], TEXT, |cells| bytes(cells, 1000, &["kB", "MB", "GB", "TB", "PB"]))],
    ),
    (&["parse_filename"], &[form(&[TEXT], TEXT, filename), form(&[TEXT, Kind::Bool], TEXT, filename)]),
    (&["parse_path"], &[form(&[TEXT], Kind::Texts, path)]),
    (&["parse_dirname"], &[form(&[TEXT], TEXT, |cells| one(cells, |text| folder(text, false)))]),
    (&["parse_dirpath"], &[form(&[TEXT], TEXT, |cells| one(cells, |text| folder(text, true)))]),
];

/// Returns a length as a value.
fn int(length: usize) -> Value {
    i64::try_from(length).map_or(Value::Null, Value::Int)
}

fn one(cells: &[Cell<'_>], of: fn(&str) -> Value) -> Outcome {
    match cells {
        [Cell::Text(text), ..] => Ok(of(text)),
        _ => Ok(Value::Null),
    }
}

fn both(cells: &[Cell<'_>], of: fn(&str, &str) -> bool) -> Outcome {
    match cells {
        [Cell::Text(text), Cell::Text(part)] => Ok(Value::Bool(of(text, part))),
        _ => Ok(Value::Null),
    }
}

/// Splits a text at each separator; an empty one splits between all letters.
fn split(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), Cell::Text(separator)] = cells else { return Ok(Value::Null) };
    let parts: Vec<Option<String>> = match (text.is_empty(), separator.is_empty()) {
        (true, _) => vec![Some(String::new())],
        (false, true) => text.graphemes(true).map(|letter| Some(letter.to_owned())).collect(),
        (false, false) => text.split(separator).map(|part| Some(part.to_owned())).collect(),
    };
    Ok(Value::Texts(parts))
}

fn first_letter(text: &str) -> Value {
    Value::Int(text.chars().next().map_or(-1, |letter| i64::from(u32::from(letter))))
}

/// Returns the first or the last letters of a text; a negative number leaves as many out.
fn end(cells: &[Cell<'_>], is_start: bool) -> Outcome {
    let [Cell::Text(text), Cell::Int(count)] = cells else { return Ok(Value::Null) };
    let letters: Vec<&str> = text.graphemes(true).collect();
    let size = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let taken = if *count < 0 { letters.len().saturating_sub(size) } else { size.min(letters.len()) };
    let range = if is_start { 0..taken } else { letters.len() - taken..letters.len() };
    Ok(Value::Text(letters[range].concat()))
}

fn strip_accents(text: &str) -> Value {
    Value::Text(text.nfd().filter(|letter| !is_combining_mark(*letter)).nfc().collect())
}

/// Longest bar, in letters.
const MAX_BAR: f64 = 1000.0;

/// Draws a bar of a width that is in proportion to a value between two bounds.
fn bar(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Double(value), Cell::Double(low), Cell::Double(high), rest @ ..] = cells else {
        return Ok(Value::Null);
    };
    let width = match rest {
        [Cell::Double(width)] => *width,
        _ => 80.0,
    };
    if !(1.0..=MAX_BAR).contains(&width) {
        return Err(format!("the width of a bar is from 1 to {MAX_BAR}"));
    }
    if low.is_nan() || high.is_nan() || !low.is_finite() || !high.is_finite() || low >= high {
        return Err("the bounds of a bar are finite, and the lower one comes first".to_owned());
    }
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let share = match value {
        value if value.is_nan() || *value <= *low => 0.0,
        value if *value >= *high => width,
        value => (value - low) / (high - low) * width,
    };
    let whole = share.floor() as usize;
    let part = ((share - share.floor()) * 8.0) as usize;
    let mut text = "█".repeat(whole);
    text.push_str(PARTS.get(part).copied().unwrap_or_default());
    let drawn = text.chars().count();
    text.extend(std::iter::repeat_n(' ', (width as usize).saturating_sub(drawn)));
    Ok(Value::Text(text))
}

/// Writes a number of bytes in the largest unit below it, with one decimal place.
fn bytes(cells: &[Cell<'_>], step: u64, units: &[&str]) -> Outcome {
    let [Cell::Int(count)] = cells else { return Ok(Value::Null) };
    let sign = if *count < 0 { "-" } else { "" };
    let size = count.unsigned_abs();
    if size < step {
        let unit = if size == 1 { "byte" } else { "bytes" };
        return Ok(Value::Text(format!("{sign}{size} {unit}")));
    }
    let mut whole = size;
    let mut part = 0;
    let mut unit = "";
    for name in units {
        if whole < step {
            break;
        }
        (whole, part, unit) = (whole / step, whole % step, name);
    }
    let tenths = u128::from(part) * 10 / u128::from(step);
    Ok(Value::Text(format!("{sign}{whole}.{tenths} {unit}")))
}

/// Splits at the separators of paths on all systems.
fn components(path: &str) -> Vec<&str> {
    path.split(['/', '\\']).filter(|part| !part.is_empty()).collect()
}

fn filename(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), rest @ ..] = cells else { return Ok(Value::Null) };
    let name = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_trimmed = matches!(rest, [Cell::Bool(true)]);
    let name = if is_trimmed { name.rsplit_once('.').map_or(name, |(stem, _)| stem) } else { name };
    Ok(Value::Text(name.to_owned()))
}

fn path(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text)] = cells else { return Ok(Value::Null) };
    let root = text.starts_with(['/', '\\']).then(|| Some(text[..1].to_owned()));
    let parts = components(text).into_iter().map(|part| Some(part.to_owned()));
    Ok(Value::Texts(root.into_iter().chain(parts).collect()))
}

/// Returns the first folder of a path, or the path of the folder that holds the file.
fn folder(text: &str, is_path: bool) -> Value {
    let Some((folders, _)) = text.rsplit_once(['/', '\\']) else { return Value::Text(String::new()) };
    let text = match is_path {
        true => folders,
        false if text.starts_with(['/', '\\']) => &text[..1],
        false => folders.split(['/', '\\']).next().unwrap_or_default(),
    };
    Value::Text(text.to_owned())
}
