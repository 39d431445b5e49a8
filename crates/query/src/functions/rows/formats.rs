//! Texts with values filled in: `format` with `{}`, and `printf` with `%`.

use super::{Cell, Entry, Form, Kind, Outcome, Value};

pub(super) const TABLE: &[Entry] = &[(&["format"], &[variadic(format)]), (&["printf"], &[variadic(printf)])];

const fn variadic(compute: fn(&[Cell<'_>]) -> Outcome) -> Form {
    Form { takes: &[Kind::Text], rest: Some(Kind::Any), gives: Kind::Text, is_strict: true, compute }
}

/// Most letters to which a value is padded, and most decimal places.
const MAX_WIDTH: usize = 10_000;

/// Form in which a value is written.
#[derive(Default)]
struct Style {
    fill: Option<char>,
    /// `<`, `>` or `^`.
    align: Option<char>,
    has_plus: bool,
    has_space: bool,
    has_base: bool,
    has_zeros: bool,
    width: usize,
    /// The sign between thousands.
    thousands: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

fn text<'a>(cells: &[Cell<'a>], at: usize) -> Result<&'a str, String> {
    match cells.get(at) {
        Some(Cell::Text(text)) => Ok(text),
        _ => Err("there are fewer values than places for them".to_owned()),
    }
}

fn format(cells: &[Cell<'_>]) -> Outcome {
    let pattern = text(cells, 0)?;
    let mut written = String::new();
    let mut letters = pattern.chars().peekable();
    let mut next = 1;
    while let Some(letter) = letters.next() {
        match letter {
            '{' if letters.next_if_eq(&'{').is_some() => written.push('{'),
            '}' if letters.next_if_eq(&'}').is_some() => written.push('}'),
            '}' => return Err("a } stands alone: write }} for the sign".to_owned()),
            '{' => {
                let mut field = String::new();
                loop {
                    match letters.next() {
                        Some('}') => break,
                        Some(letter) => field.push(letter),
                        None => return Err("a { is not closed: write {{ for the sign".to_owned()),
                    }
                }
                let (index, style) = field.split_once(':').unwrap_or((&field, ""));
                let at = match index {
                    "" => {
                        next += 1;
                        next - 1
                    }
                    index => {
                        index.parse::<usize>().map_err(|_| format!("{{{field}}} has no number of a value"))?
                            + 1
                    }
                };
                written.push_str(&Style::of_format(style)?.write(text(cells, at)?)?);
            }
            letter => written.push(letter),
        }
    }
    Ok(Value::Text(written))
}

fn printf(cells: &[Cell<'_>]) -> Outcome {
    let pattern = text(cells, 0)?;
    let mut written = String::new();
    let mut letters = pattern.chars().peekable();
    let mut next = 1;
    while let Some(letter) = letters.next() {
        if letter != '%' {
            written.push(letter);
            continue;
        }
        if letters.next_if_eq(&'%').is_some() {
            written.push('%');
            continue;
        }
        let mut style = Style::default();
        while let Some(flag) = letters.next_if(|letter| "-+ 0#,'_".contains(*letter)) {
            match flag {
                '-' => style.align = Some('<'),
                '+' => style.has_plus = true,
                ' ' => style.has_space = true,
                '0' => style.has_zeros = true,
                '#' => style.has_base = true,
                sign => style.thousands = Some(sign),
            }
        }
        let mut digits = String::new();
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        style.width = size(&digits)?;
        if letters.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            style.precision = Some(size(&digits)?);
        }
        while letters.next_if(|letter| "lhqjzt".contains(*letter)).is_some() {}
        style.kind = Some(letters.next().ok_or("the text ends with %: write %% for the sign")?);
        style.align = style.align.or(Some('>'));
        if style.kind == Some('i') || style.kind == Some('u') {
            style.kind = Some('d');
        }
        written.push_str(&style.write(text(cells, next)?)?);
        next += 1;
    }
    Ok(Value::Text(written))
}

fn size(digits: &str) -> Result<usize, String> {
    match digits.parse().unwrap_or(if digits.is_empty() { 0 } else { usize::MAX }) {
        size if size <= MAX_WIDTH => Ok(size),
        _ => Err(format!("a value is written with at most {MAX_WIDTH} letters")),
    }
}

impl Style {
    /// Reads a style in the form `[[fill]align][sign][#][0][width][,][.precision][type]`.
    fn of_format(text: &str) -> Result<Self, String> {
        let mut style = Style::default();
        let mut letters = text.chars().peekable();
        let mut ahead = text.chars().skip(1);
        let is_align = |letter: char| matches!(letter, '<' | '>' | '^');
        if ahead.next().is_some_and(is_align) {
            style.fill = letters.next();
        }
        style.align = letters.next_if(|letter| is_align(*letter));
        if let Some(sign) = letters.next_if(|letter| "+- ".contains(*letter)) {
            style.has_plus = sign == '+';
            style.has_space = sign == ' ';
        }
        style.has_base = letters.next_if_eq(&'#').is_some();
        style.has_zeros = letters.next_if_eq(&'0').is_some();
        let mut digits = String::new();
        while let Some(digit) = letters.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        style.width = size(&digits)?;
        style.thousands = letters.next_if(|letter| ",'_".contains(*letter));
        // {:t_} has the sign behind a t
        if letters.next_if_eq(&'t').is_some() {
            style.thousands = letters.next();
        }
        if letters.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            style.precision = Some(size(&digits)?);
        }
        style.kind = letters.next();
        match letters.next() {
            None => Ok(style),
            Some(_) => Err(format!("{{:{text}}} is no way to write a value: write {{}} or {{:.2f}}")),
        }
    }

    fn write(&self, value: &str) -> Result<String, String> {
        let whole = || value.parse::<i128>().map_err(|_| format!("'{value}' is no whole number"));
        let double = || value.parse::<f64>().map_err(|_| format!("'{value}' is no number"));
        let (mut body, is_number) = match self.kind {
            None if self.precision.is_none() => (value.to_owned(), value.parse::<f64>().is_ok()),
            None if value.parse::<f64>().is_err() => (cut(value, self.precision), false),
            Some('s') => (cut(value, self.precision), false),
            Some('c') => {
                let letter = u32::try_from(whole()?).ok().and_then(char::from_u32);
                (letter.ok_or_else(|| format!("'{value}' is no letter"))?.to_string(), false)
            }
            Some('d') => (whole()?.to_string(), true),
            Some('x') => (self.to_base(whole()?, "0x", |number| format!("{number:x}")), true),
            Some('X') => (self.to_base(whole()?, "0X", |number| format!("{number:X}")), true),
            Some('o') => (self.to_base(whole()?, "0", |number| format!("{number:o}")), true),
            Some('b') => (self.to_base(whole()?, "0b", |number| format!("{number:b}")), true),
            Some('f' | 'F' | 'e' | 'E') if !double()?.is_finite() => {
                (double()?.to_string().to_lowercase(), true)
            }
            Some('f' | 'F') => (format!("{:.*}", self.precision.unwrap_or(6), double()?), true),
            Some('e' | 'E') => {
                let text = exponent(double()?, self.precision.unwrap_or(6));
                (if self.kind == Some('E') { text.to_uppercase() } else { text }, true)
            }
            None | Some('g' | 'G') => (general(double()?, self.precision.unwrap_or(6)), true),
            Some(other) => {
                return Err(format!("{other} is no way to write a value: write d, f, e, g, s, x, o or b"));
            }
        };
        if let (Some(sign), true) = (self.thousands, is_number) {
            body = grouped(&body, sign);
        }
        if is_number && !body.starts_with('-') {
            match (self.has_plus, self.has_space) {
                (true, _) => body.insert(0, '+'),
                (false, true) => body.insert(0, ' '),
                _ => {}
            }
        }
        let missing = self.width.saturating_sub(body.chars().count());
        if missing == 0 {
            return Ok(body);
        }
        if self.has_zeros && is_number && self.align != Some('<') {
            let start = usize::from(body.starts_with(['-', '+', ' ']));
            body.insert_str(start, &"0".repeat(missing));
            return Ok(body);
        }
        let fill = |count: usize| self.fill.unwrap_or(' ').to_string().repeat(count);
        let before = match self.align {
            Some('>') => missing,
            Some('^') => missing / 2,
            Some(_) => 0,
            None if is_number => missing,
            None => 0,
        };
        Ok(format!("{}{body}{}", fill(before), fill(missing - before)))
    }

    fn to_base(&self, number: i128, base: &str, digits: fn(u128) -> String) -> String {
        let sign = if number < 0 { "-" } else { "" };
        let base = if self.has_base { base } else { "" };
        format!("{sign}{base}{}", digits(number.unsigned_abs()))
    }
}

fn cut(value: &str, length: Option<usize>) -> String {
    length.map_or_else(|| value.to_owned(), |length| value.chars().take(length).collect())
}

/// Writes a number with one digit in front of the point, and an exponent of two digits at least.
fn exponent(number: f64, places: usize) -> String {
    let text = format!("{number:.places$e}");
    let Some((digits, power)) = text.split_once('e') else { return text };
    let (sign, power) = match power.strip_prefix('-') {
        Some(power) => ('-', power),
        None => ('+', power),
    };
    format!("{digits}e{sign}{power:0>2}")
}

/// Writes a number with so many digits, without zeros at the end.
fn general(number: f64, digits: usize) -> String {
    let digits = digits.max(1);
    if number == 0.0 || !number.is_finite() {
        return number.to_string().to_lowercase();
    }
    let rounded = format!("{number:.*e}", digits - 1);
    let power: i64 = rounded.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or_default();
    let is_plain = (-4..i64::try_from(digits).unwrap_or(i64::MAX)).contains(&power);
    let text = match is_plain {
        true => format!("{number:.*}", usize::try_from(digits as i64 - 1 - power).unwrap_or_default()),
        false => exponent(number, digits - 1),
    };
    let (body, power) =
        text.split_once('e').map_or((text.as_str(), ""), |(body, _)| (body, &text[body.len()..]));
    let body = match body.contains('.') {
        true => body.trim_end_matches('0').trim_end_matches('.'),
        false => body,
    };
    format!("{body}{power}")
}

/// Puts a sign between the thousands of a number.
fn grouped(number: &str, sign: char) -> String {
    let start = usize::from(number.starts_with('-'));
    let end =
        number[start..].find(|letter: char| !letter.is_ascii_digit()).map_or(number.len(), |end| start + end);
    let digits = &number[start..end];
    let mut grouped = number[..start].to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(sign);
        }
        grouped.push(digit);
    }
    grouped.push_str(&number[end..]);
    grouped
}
