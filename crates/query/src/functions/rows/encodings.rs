//! Texts of bytes and numbers to a base, and digests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

use super::{Cell, Entry, Kind, Outcome, Value, form};

const TEXT: Kind = Kind::Text;
const BYTES: Kind = Kind::Bytes;

pub(super) const TABLE: &[Entry] = &[
    (
        &["hex", "to_hex"],
        &[form(&[Kind::Int], TEXT, hex), form(&[TEXT], TEXT, hex), form(&[BYTES], TEXT, hex)],
    ),
    (&["unhex", "from_hex"], &[form(&[TEXT], BYTES, unhex)]),
    (
        &["bin", "to_binary"],
        &[form(&[Kind::Int], TEXT, bin), form(&[TEXT], TEXT, bin), form(&[BYTES], TEXT, bin)],
    ),
    (&["unbin", "from_binary"], &[form(&[TEXT], BYTES, unbin)]),
    (
        &["base64", "to_base64"],
        &[form(&[BYTES], TEXT, |cells| match cells {
            [Cell::Bytes(bytes)] => Ok(Value::Text(STANDARD.encode(bytes))),
            _ => Ok(Value::Null),
        })],
    ),
    (
        &["from_base64"],
        &[form(&[TEXT], BYTES, |cells| match cells {
            [Cell::Text(text)] => match STANDARD.decode(text) {
                Ok(bytes) => Ok(Value::Bytes(bytes)),
                Err(_) => Err(format!("'{text}' is no Base64")),
            },
            _ => Ok(Value::Null),
        })],
    ),
    (
        &["encode"],
        &[form(&[TEXT], BYTES, |cells| match cells {
            [Cell::Text(text)] => Ok(Value::Bytes(text.as_bytes().to_vec())),
            _ => Ok(Value::Null),
        })],
    ),
    (&["decode"], &[form(&[BYTES], TEXT, decode), form(&[BYTES, TEXT], TEXT, decode)]),
    (&["md5"], &[form(&[TEXT], TEXT, digest::<Md5>), form(&[BYTES], TEXT, digest::<Md5>)]),
    (&["sha1"], &[form(&[TEXT], TEXT, digest::<Sha1>), form(&[BYTES], TEXT, digest::<Sha1>)]),
    (&["sha256"], &[form(&[TEXT], TEXT, digest::<Sha256>), form(&[BYTES], TEXT, digest::<Sha256>)]),
    (
        &["to_base"],
        &[
            form(&[Kind::Int, Kind::Int], TEXT, to_base),
            form(&[Kind::Int, Kind::Int, Kind::Int], TEXT, to_base),
        ],
    ),
    (&["url_encode"], &[form(&[TEXT], TEXT, url_encode)]),
    (&["url_decode"], &[form(&[TEXT], TEXT, url_decode)]),
];

/// Returns the bytes of a text or of bytes.
fn bytes<'a>(cell: Option<&Cell<'a>>) -> Option<&'a [u8]> {
    match cell {
        Some(Cell::Text(text)) => Some(text.as_bytes()),
        Some(Cell::Bytes(bytes)) => Some(bytes),
        _ => None,
    }
}

fn digits_of(bytes: &[u8], is_upper: bool) -> String {
    let digit = |byte: &u8| if is_upper { format!("{byte:02X}") } else { format!("{byte:02x}") };
    bytes.iter().map(digit).collect()
}

fn hex(cells: &[Cell<'_>]) -> Outcome {
    Ok(match cells {
        [Cell::Int(number)] => Value::Text(format!("{number:X}")),
        _ => bytes(cells.first()).map_or(Value::Null, |bytes| Value::Text(digits_of(bytes, true))),
    })
}

fn bin(cells: &[Cell<'_>]) -> Outcome {
    Ok(match cells {
        [Cell::Int(number)] => Value::Text(format!("{number:b}")),
        _ => bytes(cells.first()).map_or(Value::Null, |bytes| {
            Value::Text(bytes.iter().map(|byte| format!("{byte:08b}")).collect())
        }),
    })
}

fn unhex(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text)] = cells else { return Ok(Value::Null) };
    of_digits(text, 2, 16)
        .map(Value::Bytes)
        .ok_or_else(|| format!("'{text}' has other than hexadecimal digits"))
}

fn unbin(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text)] = cells else { return Ok(Value::Null) };
    of_digits(text, 8, 2).map(Value::Bytes).ok_or_else(|| format!("'{text}' has other than binary digits"))
}

/// Returns the bytes of digits, so many a byte; the first byte may have fewer.
fn of_digits(text: &str, size: usize, base: u32) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let (first, rest) = digits.split_at(digits.len() % size);
    let parts = (!first.is_empty()).then_some(first).into_iter().chain(rest.chunks(size));
    let byte = |part: &[u8]| {
        part.iter().try_fold(0_u32, |byte, digit| Some(byte * base + char::from(*digit).to_digit(base)?))
    };
    parts.map(|part| byte(part).and_then(|byte| u8::try_from(byte).ok())).collect()
}

fn decode(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Bytes(bytes), rest @ ..] = cells else { return Ok(Value::Null) };
    let text = match rest {
        [Cell::Text("replace")] => bytes
            .utf8_chunks()
            .fold(String::new(), |text, chunk| text + chunk.valid() + &"?".repeat(chunk.invalid().len())),
        [Cell::Text("ignore")] => bytes.utf8_chunks().map(|chunk| chunk.valid()).collect(),
        [Cell::Text("strict")] | [] => {
            let text = std::str::from_utf8(bytes);
            text.map_err(|_| "the bytes are no UTF-8: write decode(bytes, 'replace')".to_owned())?.to_owned()
        }
        _ => return Err("the second argument is 'strict', 'replace' or 'ignore'".to_owned()),
    };
    Ok(Value::Text(text))
}

fn digest<D: Digest>(cells: &[Cell<'_>]) -> Outcome {
    let digest = bytes(cells.first()).map(D::digest);
    Ok(digest.map_or(Value::Null, |digest| Value::Text(digits_of(&digest, false))))
}

fn to_base(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Int(number), Cell::Int(base), rest @ ..] = cells else { return Ok(Value::Null) };
    let length = match rest {
        [Cell::Int(length)] => *length,
        _ => 0,
    };
    let (Ok(mut number), Ok(base), Ok(length)) =
        (u64::try_from(*number), u32::try_from(*base), usize::try_from(length))
    else {
        return Err("a number to a base is not negative".to_owned());
    };
    if !(2..=36).contains(&base) || length > 64 {
        return Err("a base is from 2 to 36, and a length at most 64".to_owned());
    }
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        let digit = u32::try_from(number % u64::from(base)).unwrap_or_default();
        digits.extend(char::from_digit(digit, base).map(|digit| digit.to_ascii_uppercase()));
        number /= u64::from(base);
    }
    digits.extend(std::iter::repeat_n('0', length.saturating_sub(digits.len())));
    Ok(Value::Text(digits.into_iter().rev().collect()))
}

fn url_encode(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text)] = cells else { return Ok(Value::Null) };
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte))
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    Ok(Value::Text(encoded))
}

fn url_decode(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text)] = cells else { return Ok(Value::Null) };
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escaped = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|digits| {
            let [high, low] = [digits.first()?, digits.get(1)?].map(|digit| char::from(*digit).to_digit(16));
            u8::try_from(high? * 16 + low?).ok()
        });
        decoded.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded)
        .map(Value::Text)
        .map_err(|_| format!("'{text}' stands for bytes that are no UTF-8"))
}
