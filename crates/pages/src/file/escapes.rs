//! Names of directories such as `city=New%20York`.

/// Undoes percent-encoding, which Hive and object stores use for characters that paths can't hold.
pub fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        match tail.first_chunk().and_then(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The value of a hexadecimal digit. Rust's own parsing of numbers takes a sign, too.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn what_is_no_escape_stays() {
        for (text, expected) in [
            ("New%20York", "New York"),
            ("5%+2", "5%+2"),
            ("5%-2", "5%-2"),
            ("% 2", "% 2"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%%41", "%A"),
            ("%c3%A9", "é"),
            ("%é", "%é"),
        ] {
            assert_eq!(unescape(text), expected, "{text}");
        }
    }
}
